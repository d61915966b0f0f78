package published

import (
	"io"
	"sync"
	"testing"

	"github.com/sirupsen/logrus"
	"github.com/sirupsen/logrus/hooks/test"
)

// A hook may be added while another goroutine logs. It needs -race.
func TestAddHookDuringLog(t *testing.T) {
	log := logrus.New()
	log.SetOutput(io.Discard)
	var wg sync.WaitGroup
	wg.Go(func() { log.AddHook(new(test.Hook)) })
	log.Info("text")
	wg.Wait()
}
