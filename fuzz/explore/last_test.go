package explore_test

import (
	"runtime"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
)

// TestLastRunIsNotLearnedFrom checks that the last run of a search needs only memory that grows with the number of
// its steps. The search does not compute the happens-before relation of that run, whose memory would grow with the
// square.
func TestLastRunIsNotLearnedFrom(t *testing.T) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result, err := explore.Explore(explore.Options{}, on(pulse.Options{}, func(sys *pulse.System) func() error {
		sys.Send(sys.Spawn("endless", pulse.Func(func(ctx *pulse.Ctx, m any) { ctx.Send(ctx.Self(), m) })), kind("go"))
		return nil
	}))
	runtime.ReadMemStats(&after)
	mb := (after.TotalAlloc - before.TotalAlloc) >> 20
	if err != nil || result.Bound != "failure" || result.Steps != 100_000 || mb > 200 {
		t.Errorf("%+v %v, %d MB", result, err, mb)
	}
}
