package native

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// harness returns a harness for a property that holds.
func harness(t *testing.T) *Harness {
	r := props.NewRunner(t.Name(), writer.Property(true))
	t.Cleanup(r.Close)
	return &Harness{Runner: r}
}

// Any bytes give a valid run: they neither crash nor hang the harness, and at least one step runs.
func TestAnyBytesAreSomeRun(t *testing.T) {
	h := harness(t)
	for _, data := range [][]byte{nil, {0}, []byte("writer"), make([]byte, 1<<20), []byte(strings.Repeat("\xff", 1<<20))} {
		if res := h.Run(data); res.Failure != nil || res.System == nil || res.System.Steps() == 0 {
			t.Errorf("%d bytes: nothing was run, or it failed", len(data))
		}
	}
}

// The same bytes always give the same run, also with a reused runner.
func TestSameBytesSameRun(t *testing.T) {
	h := harness(t)
	hashes := map[string]uint64{}
	for round := range 2 {
		for i := range uint64(200) {
			data := RandomBytes(i)[:i%60]
			res := h.Run(data)
			hash := res.System.Trace().Hash
			if was, ok := hashes[string(data)]; ok && was != hash {
				t.Errorf("round %d: %x gives %x and %x", round, data, was, hash)
			}
			hashes[string(data)] = hash
		}
	}
}

// An engine also finds a timer that races with a message, without special
// options. With the option NeverEarly no timer fires before a message.
func TestTimersRaceByDefault(t *testing.T) {
	late := func(o pulse.Options) func(*props.T) {
		return func(t *props.T) {
			sys := t.SystemWith(o)
			waits := sys.Spawn("waits", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				switch msg {
				case "begin":
					ctx.After(1, "too late")
				case "too late":
					t.Errorf("the timer came first")
				default:
					ctx.Stop()
				}
			}))
			sys.Send(waits, "begin")
			sys.Send(sys.Spawn("slow", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(waits, msg) })), "in time")
			sys.Run()
		}
	}
	for _, c := range []struct {
		options pulse.Options
		fails   bool
	}{{pulse.Options{}, true}, {pulse.Options{EarlyTimers: pulse.NeverEarly}, false}} {
		r := props.NewRunner(t.Name(), late(c.options))
		h := &Harness{Runner: r}
		failed := 0
		for i := range uint64(500) {
			if res := h.Run(RandomBytes(i)); res.Failure != nil {
				failed++
				if again := h.Run(RandomBytes(i)); again.Failure == nil || res.EarlyTimers != earlyTimers {
					t.Errorf("bytes %d fail with %d early timers, and again with %v", i, res.EarlyTimers, again.Failure)
				}
			}
		}
		if failed > 0 != c.fails {
			t.Errorf("%+v: %d of 500 runs fail", c.options, failed)
		}
		r.Close()
	}
}
