package finding

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// lostUpdate runs two actors that each load n, and store a larger number in another step.
// They say so, if the operations are told.
func lostUpdate(told bool) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		n, number := 0, uint32(0)
		use := func(ctx *pulse.Ctx) {
			first := number == 0
			if first {
				number = uint32(len(ctx.Self().String())) + uint32(ctx.Self().String()[0]) // another one in another order
			}
			if told {
				sys.Host().TouchObject(number, first)
			}
		}
		for _, name := range []string{"a", "bb"} {
			v := 0
			sys.Send(sys.Spawn(name, pulse.Func(func(ctx *pulse.Ctx, msg any) {
				use(ctx)
				if msg == "load" {
					v = n
					ctx.Send(ctx.Self(), "store")
				} else {
					n = v + 1
				}
			})), "load")
		}
		if sys.Run(); n != 2 {
			t.Errorf("n is %d", n)
		}
	}
}

// TestObjects: if steps say which objects they use, the condition names the operations on
// them, and is exact. Their number may depend on the order. Otherwise nothing tells the
// orders apart that fail.
func TestObjects(t *testing.T) {
	for told, want := range map[bool]string{
		true:  `fails in 4 of 6 orders: exactly where "load" by a comes before "store" by bb and "load" by bb comes before "store" by a`,
		false: "can fail in the only order of receives;\n    not exact: something besides the order of messages decides",
	} {
		e := *shrunkBy(t, lostUpdate(told), 1, 100).Finding.Case.Explanation
		e.Point = nil
		if got := record.Why(&e); !strings.HasPrefix(got, want) {
			t.Errorf("got  %q\nwant %q", got, want)
		}
	}
}
