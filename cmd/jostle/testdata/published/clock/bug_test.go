package published

import (
	"sync"
	"testing"
	"time"

	"github.com/benbjohnson/clock"
)

// The function of AfterFunc is called, also when time passes meanwhile. It needs -race.
func TestAfterFunc(t *testing.T) {
	mock := clock.NewMock()
	called := make(chan bool, 1)
	var wg sync.WaitGroup
	wg.Go(func() { mock.Add(time.Second) })
	mock.AfterFunc(time.Second, func() { called <- true })
	wg.Wait()
	mock.Add(time.Second)
	<-called
}
