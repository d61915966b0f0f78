package published

import (
	"bytes"
	"sync"
	"testing"

	"github.com/hashicorp/memberlist"
)

// Each added key is in the ring.
func TestAddKeys(t *testing.T) {
	key := func(n byte) []byte { return bytes.Repeat([]byte{n}, 16) }
	ring, err := memberlist.NewKeyring(nil, key(0))
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for n := range byte(2) {
		wg.Go(func() { ring.AddKey(key(1 + n)) })
	}
	wg.Wait()
	if n := len(ring.GetKeys()); n != 3 {
		t.Errorf("%d keys", n)
	}
}
