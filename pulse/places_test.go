package pulse_test

import (
	"fmt"
	"runtime"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
)

// sightings records the line of each call that sends, sets a timer or spawns.
type sightings struct{ lines, spawned map[int]string }

func (o *sightings) Stepped(*pulse.System, int) {}

func (o *sightings) Spawned(_ *pulse.System, actor int) {
	if o.spawned != nil {
		o.spawned[actor] = o.line()
	}
}

func (o *sightings) Sent(_ *pulse.System, send int) { o.lines[send] = o.line() }

func (o *sightings) line() string {
	pcs := make([]uintptr, 32)
	calls, _ := stack.NewTrimmer("github.com/jostle-go/jostle/pulse").Inner(pcs[:runtime.Callers(3, pcs)])
	return stack.FrameOf(calls[0]).Place()
}

// lineFrom returns the line of its caller plus an offset.
func lineFrom(on int) string {
	_, _, line, _ := runtime.Caller(1)
	return fmt.Sprintf("places_test.go:%d", line+on)
}

// TestSendObserver: an observer is called for each message within the call that
// sends it, whoever sends it. It is not called in later runs.
func TestSendObserver(t *testing.T) {
	for _, delivery := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		sys := pulse.New(pulse.Options{Record: true, Delivery: delivery})
		o := &sightings{lines: map[int]string{}}
		sys.Observe(o)
		var want []string
		sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
		a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			for range 3 {
				want = append(want, lineFrom(1))
				ctx.Send(sink, msg)
			}
			want = append(want, lineFrom(1))
			ctx.Reply("done")
		}))
		want = append(want, lineFrom(1))
		sys.Send(a, "go")
		sys.Run()
		for i := range sys.Trace().Sends {
			if o.lines[i] != want[i] {
				t.Errorf("%v: message %d was sent at %q, want %q", delivery, i, o.lines[i], want[i])
			}
		}
		if len(want) != 5 || len(o.lines) != 5 {
			t.Errorf("%v: told of %d messages, want %d", delivery, len(o.lines), len(want))
		}
		sys.Reset(1)
		sys.Send(sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {})), 1)
		sys.Run()
		if len(o.lines) != 5 {
			t.Errorf("%v: told of a later run", delivery)
		}
		sys.Close()
	}
}

// TestSendObserverOfTimersAndActors: an observer is also called within the calls that set a timer or
// spawn an actor.
func TestSendObserverOfTimersAndActors(t *testing.T) {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	o := &sightings{lines: map[int]string{}, spawned: map[int]string{}}
	sys.Observe(o)
	var sent, spawned []string
	a := sys.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == "go" {
			sent, spawned = append(sent, lineFrom(1)), append(spawned, lineFrom(2))
			ctx.After(time.Second, "timer")
			ctx.Spawn("b", placedValue{})
			spawned = append(spawned, lineFrom(1))
			ctx.Go("c", func(p *pulse.Process) { p.Receive() })
		}
	}))
	sys.Send(a, "go")
	sys.Run()
	if o.lines[1] != sent[0] || o.spawned[2] != spawned[0] || o.spawned[3] != spawned[1] {
		t.Errorf("sent at %v, spawned at %v, want %v and %v", o.lines, o.spawned, sent, spawned)
	}
	if got := sys.Host().WaitPlace(3).Place(); got != spawned[1] {
		t.Errorf("the process waits at %q, want %q", got, spawned[1])
	}
	if got := sys.Host().WaitPlace(2); got != (pulse.Frame{}) {
		t.Errorf("an actor waits at %v", got)
	}
}

// A sendingSender illegally sends a message for each message it observes.
type sendingSender struct {
	to   pulse.Ref
	told int
}

func (*sendingSender) Stepped(*pulse.System, int) {}
func (*sendingSender) Spawned(*pulse.System, int) {}

func (e *sendingSender) Sent(s *pulse.System, _ int) {
	e.told++
	s.Send(e.to, "echo")
}

// TestSendObserverThatSends: an observer is not called for messages that it sends itself.
func TestSendObserverThatSends(t *testing.T) {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	e := &sendingSender{to: sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))}
	sys.Observe(e)
	for range 3 {
		sys.Send(e.to, "call")
	}
	if sys.Run(); e.told != 3 || sys.Steps() != 6 {
		t.Errorf("told of %d messages, %d steps", e.told, sys.Steps())
	}
}

type placedPointer struct{}

func (*placedPointer) Receive(*pulse.Ctx, any) {}

var placedPointerAt = lineFrom(-2)

type placedValue struct{}

func (placedValue) Receive(ctx *pulse.Ctx, _ any) { ctx.Stop() }

var placedValueAt = lineFrom(-2)

type placedPromoted struct {
	PlacedRing
	*placedPointer
}

type PlacedRing struct{ *PlacedRing } // embeds itself

type placedHidden struct{ pulse.Actor }

type placedShop[T any] struct{ sold []T }

func (s *placedShop[T]) closed(ctx *pulse.Ctx, msg any) {
	s.sold = append(s.sold, msg.(T))
	ctx.Log("%v", s.sold)
}

var placedShopAt = lineFrom(-5)

// small is so small that the compiler inlines it into every caller.
func (s *placedShop[T]) small(*pulse.Ctx, any) { s.sold = nil }

var placedSmallAt = lineFrom(-2)

func (s *placedShop[T]) process(*pulse.Process) { s.sold = nil }

var placedProcessAt = lineFrom(-2)

// TestPlaces: the code of an actor begins at the first line of its method Receive or of its function.
func TestPlaces(t *testing.T) {
	sys := pulse.New(pulse.Options{Record: true})
	defer sys.Close()
	h := sys.Host()
	function := func(*pulse.Ctx, any) {}
	functionAt := lineFrom(-1)
	process := func(*pulse.Process) {}
	processAt := lineFrom(-1)
	for _, c := range []struct {
		name string
		ref  pulse.Ref
		want string
	}{
		{"pointer", sys.Spawn("", &placedPointer{}), placedPointerAt},
		{"value", sys.Spawn("", placedValue{}), placedValueAt},
		{"pointer to a value's", sys.Spawn("", &placedValue{}), placedValueAt},
		{"promoted", sys.Spawn("", placedPromoted{placedPointer: &placedPointer{}}), placedPointerAt},
		{"pointer to promoted", sys.Spawn("", &placedPromoted{placedPointer: &placedPointer{}}), placedPointerAt},
		{"of an interface", sys.Spawn("", placedHidden{placedValue{}}), ""},
		{"function", sys.Spawn("", pulse.Func(function)), functionAt},
		{"process", sys.Go("", process), processAt},
		{"method value", sys.Spawn("", pulse.Func((&placedShop[int]{}).closed)), placedShopAt},
		{"method value again", sys.Spawn("", pulse.Func((&placedShop[int]{}).closed)), placedShopAt},
		{"method value of a small method", sys.Spawn("", pulse.Func((&placedShop[string]{}).small)), placedSmallAt},
		{"method value of a promoted method", sys.Spawn("", pulse.Func(placedPromoted{placedPointer: &placedPointer{}}.Receive)), placedPointerAt},
		{"method value of an interface", sys.Spawn("", pulse.Func(pulse.Actor(placedValue{}).Receive)), ""},
		{"method value as process", sys.Go("", (&placedShop[int]{}).process), placedProcessAt},
		{"new", sys.SpawnSpec(pulse.Spec{New: func() pulse.Actor { return placedValue{} }}), placedValueAt},
	} {
		if got := h.Place(int32(c.ref.Index())).Place(); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	become := func(msg any) pulse.Actor {
		if msg == "closure" {
			return pulse.Func(func(*pulse.Ctx, any) {})
		}
		return pulse.Func((&placedShop[int]{}).closed)
	}
	for msg, want := range map[string]string{"closure": lineFrom(-4), "method": placedShopAt} {
		a := sys.Spawn("", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Become(become(msg)) }))
		sys.Send(a, msg)
		sys.Run()
		if got := h.Place(int32(a.Index())).Place(); got != want {
			t.Errorf("became a %s: %q, want %q", msg, got, want)
		}
	}
	for _, actor := range []int32{0, -1, 99} {
		if got := h.Place(actor).Place(); got != "" {
			t.Errorf("actor %d: %q", actor, got)
		}
	}
}

// foreign represents code of another runtime.
type foreign struct{}

func (foreign) Receive(*pulse.Ctx, any)   {}
func (foreign) HandlerPlace() pulse.Frame { return pulse.Frame{File: "elsewhere.go", Line: 1} }

// TestPlaced: an actor with a method HandlerPlace reports the line that this
// method returns.
func TestPlaced(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	if got := sys.Host().Place(int32(sys.Spawn("foreign", foreign{}).Index())).Place(); got != "elsewhere.go:1" {
		t.Error(got)
	}
}
