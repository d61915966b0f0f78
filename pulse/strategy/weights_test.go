package strategy

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// TestWeights checks what URW learns from a run: a countdown from 3 leads to 4,
// 3, 2 and 1 steps, with a mean of 2.5 steps for a message.
func TestWeights(t *testing.T) {
	u := URW(URWOptions{}).(*urw)
	sys := pulse.New(pulse.Options{Strategy: u})
	defer sys.Close()
	countdown := func(from int) {
		sys.Reset(1)
		a := sys.Spawn("countdown", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if n, ok := msg.(int); ok && n > 0 {
				ctx.Send(ctx.Self(), n-1)
			}
		}))
		sys.Send(a, from)
		sys.Send(a, "single")
		sys.Run()
		if f := sys.Failure(); f != nil {
			t.Fatal(f)
		}
	}
	countdown(3)
	learned := sys.Trace().Clone()
	for range 2 {
		want := map[any]int32{3: 4, 2: 3, 1: 2, 0: 1, "single": 1}
		for i := range learned.Sends {
			s := &learned.Sends[i]
			if w := u.weightOf(s); w != want[s.Body] {
				t.Errorf("%v weighs %d, expected %d", s.Body, w, want[s.Body])
			}
		}
		for body, want := range map[any]int32{7: 3, "another": 1, 'x': 1} {
			if w := u.weightOf(&trace.Send{Body: body, ID: 1}); w != want {
				t.Errorf("a strange %T weighs %d, expected %d", body, w, want)
			}
		}
		countdown(9) // the strategy must not learn from this run
	}
}
