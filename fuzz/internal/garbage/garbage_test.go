package garbage

import (
	"runtime"
	"runtime/debug"
	"testing"
	"time"
)

// With a small live heap garbage is collected rarely, and with a large one as usual.
func TestPercent(t *testing.T) {
	for _, c := range []struct {
		kept uint64
		want int
	}{{0, 400}, {1 << 20, 400}, {32 << 20, 400}, {64 << 20, 200}, {128 << 20, 100}, {129 << 20, 100}, {1 << 62, 100}} {
		if got := percentFor(c.kept); got != c.want {
			t.Errorf("beside %d bytes there may be %d%%, want %d%%", c.kept, got, c.want)
		}
	}
}

// If the program or its environment has set GOGC, the value stays. Otherwise
// GOGC is chosen from the size of the live heap after each collection.
func TestCollector(t *testing.T) {
	percent := func() uint64 { return metric("/gc/gogc:percent") }
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent)) // setting GOGC back also ends the collector's goroutine
	t.Setenv("GOGC", "")
	c := newCollector()
	c.adapt(0)
	if c.adapt(64 << 20); percent() != 200 {
		t.Errorf("it is %d%%, want 200%%", percent())
	}
	debug.SetGCPercent(50)
	c.adapt(0)
	if c.adapt(64 << 20); percent() != 50 {
		t.Errorf("it is %d%%, want the 50%% of the program", percent())
	}

	debug.SetGCPercent(usualPercent)
	t.Setenv("GOGC", "100")
	newCollector().watch()
	if runtime.GC(); percent() != usualPercent {
		t.Errorf("it is %d%%, want the 100%% of the environment", percent())
	}

	t.Setenv("GOGC", "")
	kept := make([]byte, 64<<20)
	if newCollector().watch(); percent() <= usualPercent {
		t.Errorf("it is %d%% before there is anything", percent())
	}
	for most := time.Now().Add(time.Minute); percent() > 200 && time.Now().Before(most); {
		runtime.GC()
	}
	if percent() > 200 || percent() < 150 {
		t.Errorf("it is %d%% beside %d bytes, want somewhat under 200%%", percent(), len(kept))
	}
	runtime.KeepAlive(kept)
}

// TestSearchesTogether: GOGC stays higher until the last of several searches has ended, whichever
// ends first. A second call to the same stop has no effect.
func TestSearchesTogether(t *testing.T) {
	percent := func() uint64 { return metric("/gc/gogc:percent") }
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	t.Setenv("GOGC", "")
	for range 2 {
		first, second, third := Watch(), Watch(), Watch()
		for _, stop := range []func(){first, third, first, third} {
			if stop(); percent() <= usualPercent {
				t.Errorf("GOGC is %d%% while a search runs", percent())
			}
		}
		if second(); percent() != usualPercent {
			t.Errorf("GOGC is %d%% after the last search", percent())
		}
	}
}

// TestLimitDuringASearch: if the program sets a memory limit during a search, the search no
// longer changes GOGC.
func TestLimitDuringASearch(t *testing.T) {
	percent := func() uint64 { return metric("/gc/gogc:percent") }
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	t.Setenv("GOGC", "")
	c := newCollector()
	c.adapt(0)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	if c.adapt(0) || percent() != usualPercent {
		t.Errorf("GOGC is %d%% with a memory limit", percent())
	}
}

// TestStop: after stop, GOGC has its earlier value, even if the program has set GOGC
// meanwhile. Watch changes nothing if there is a memory limit or if another search has set
// GOGC.
func TestStop(t *testing.T) {
	percent := func() uint64 { return metric("/gc/gogc:percent") }
	defer debug.SetGCPercent(debug.SetGCPercent(usualPercent))
	t.Setenv("GOGC", "")
	stop, other := Watch(), Watch()
	if percent() <= usualPercent {
		t.Errorf("GOGC is %d%% during a search", percent())
	}
	if other(); percent() <= usualPercent {
		t.Errorf("GOGC is %d%% after another search has ended", percent())
	}
	third := Watch()
	if stop(); percent() <= usualPercent {
		t.Errorf("GOGC is %d%% during a search that began before the one that has ended", percent())
	}
	if third(); percent() != usualPercent {
		t.Errorf("GOGC is %d%% after stop", percent())
	}
	if runtime.GC(); percent() != usualPercent {
		t.Errorf("GOGC is %d%% after stop and a collection", percent())
	}
	stop = Watch()
	debug.SetGCPercent(70)
	if stop(); percent() != 70 {
		t.Errorf("GOGC is %d%%, and the program has set 70%%", percent())
	}
	debug.SetGCPercent(usualPercent)
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 40))
	stop = Watch()
	if percent() != usualPercent {
		t.Errorf("GOGC is %d%% with a memory limit", percent())
	}
	stop()
}
