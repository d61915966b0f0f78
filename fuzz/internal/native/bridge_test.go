package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// The engine's bytes reach different orders: a bridge that always reports the same slots
// would be useless.
func TestBridgeSeesOrders(t *testing.T) {
	h := harness(t)
	seen := map[[len(bridge{}.seen)]uint16]bool{}
	for i := range uint64(500) {
		h.Run(RandomBytes(i))
		seen[h.bridge.seen] = true
	}
	if len(seen) < 20 {
		t.Errorf("500 inputs give %d sets of slots", len(seen))
	}
}

// countSlots is the source of a test that reads the engine's counters at their linker
// addresses. It prints how many slots change exactly one counter that no other slot
// changes, and how many still do after two of the 256 words are exchanged.
const countSlots = `package native

import (
	"testing"
	"unsafe"
)

//go:linkname first internal/fuzz._counters
//go:linkname last internal/fuzz._ecounters
var first, last [0]byte

var before, after [1 << 16]byte

func TestCount(*testing.T) {
	println(alone(func() {}), alone(func() {
		words[2] |= words[3]
		words[3] = 0
	}))
}

var words [256]uint16

func alone(mistake func()) (n int) {
	counters := unsafe.Slice((*byte)(unsafe.Pointer(&first)), uintptr(unsafe.Pointer(&last))-uintptr(unsafe.Pointer(&first)))
	var changed [4096][]int    // by slot, the counters that it changes
	var slots [len(before)]int // by counter, how many slots change it
	for slot := range changed {
		clear(words[:])
		words[slot/16] = 1 << (slot % 16)
		mistake()
		copy(before[:], counters)
		hitAll[byte](words[:])
		copy(after[:], counters)
		for i := range counters {
			if before[i] != after[i] {
				changed[slot] = append(changed[slot], i)
				slots[i]++
			}
		}
	}
	for _, list := range changed {
		own := 0
		for _, i := range list {
			if slots[i] == 1 {
				own++
			}
		}
		if own == 1 {
			n++
		}
	}
	return n
}
`

// In the engine's build each slot has a counter of its own. The
// engine could not distinguish two slots that share a counter.
func TestSlotsHaveCounters(t *testing.T) {
	trial.Long(t)
	slots, err := os.ReadFile("slots.go")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(os.TempDir(), "jostle-slots") // the same folder in each test, so that go can cache what it compiles
	if err := os.Mkdir(dir, 0o700); err != nil {
		dir = t.TempDir() // another process is using the shared folder
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	for name, text := range map[string]string{
		"go.mod":        "module native\n\ngo 1.26\n",
		"slots.go":      string(slots),
		"count_test.go": countSlots,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	build := exec.Command("go", "test", "-c", "-fuzz", ".", "-ldflags=-checklinkname=0", "-o", "count.test")
	build.Dir = dir
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	const want = "4096 4064\n"
	if out, err := exec.Command(filepath.Join(dir, "count.test")).CombinedOutput(); !strings.HasPrefix(string(out), want) {
		t.Errorf("%v: own counters, and with a mistake: %s want %s", err, out, want)
	}
}
