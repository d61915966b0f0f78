package finding

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// lostUpdate returns a property with two actors. Each of them loads n in one step and
// stores n+1 in another step. If told is set, each step reports that it uses the shared
// object.
func lostUpdate(told bool) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		n, number := 0, uint32(0)
		use := func(ctx *pulse.Ctx) {
			first := number == 0
			if first {
				number = uint32(len(ctx.Self().String())) + uint32(ctx.Self().String()[0]) // the object has a different number in a different order
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

// TestObjects: if steps report which objects they use, the condition names the operations
// on the objects, and is exact. The numbers of the objects may depend on the order. If
// steps do not report it, no condition separates failing from passing orders.
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

// TestSampledObjects: random orders show which order of two operations on one object matters, even
// if the operations are by two actors.
func TestSampledObjects(t *testing.T) {
	property := lostUpdate(true)
	out := shrunkBy(t, property, 1, 100)
	r := props.NewRunner("lost", property)
	defer r.Close()
	e, _ := sampledOf(r, &out)
	const want = "sampled: it fails in 50 of 100 random orders,\n" +
		"    and in 100 of 100 where \"load\" by bb comes before \"store\" by a (turned round, 0 of 100),\n" +
		"    and \"load\" by a comes before \"store\" by bb (turned round, 0 of 100)"
	if got := e.String(); !strings.HasSuffix(got, want) {
		t.Errorf("got  %q\nwant %q", got, want)
	}
}
