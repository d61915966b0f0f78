package trial

import (
	"errors"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// Crowd has n clients that each send a word to one actor, which calls seen with the
// word. The words can arrive in n! orders.
func Crowd(sys *pulse.System, n int, seen func(word string)) {
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) { seen(msg.(string)) }))
	for i := range n {
		client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) }))
		sys.Send(client, string(rune('a'+i)))
	}
}

// Crowded returns a property that runs Crowd and always holds.
func Crowded(n int) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		Crowd(sys, n, func(string) {})
		sys.Run()
	}
}

// Quarrel fails in two ways, each in two of the six orders.
func Quarrel(t *props.T) {
	said := ""
	sys := t.System()
	Crowd(sys, 3, func(word string) { said += word })
	sys.Run()
	switch said[:1] {
	case "b":
		t.Error("bad start")
	case "c":
		t.Error("clumsy start")
	}
}

// Apart has two actors that do not communicate. After each step it checks that the
// second is not done before the first. Only code that reads both actors can check this.
func Apart(t *props.T) {
	var done [2]bool
	sys := t.System()
	t.Always("first things first", func() error {
		if done[1] && !done[0] {
			return errors.New("the second is done before the first")
		}
		return nil
	})
	for i := range done {
		sys.Send(sys.Spawn("one", pulse.Func(func(*pulse.Ctx, any) { done[i] = true })), "go")
	}
	sys.Run()
}

// Chosen draws two values. It has one actor and one message, so there is one order
// for each input.
func Chosen(t *props.T) {
	size := props.OneOf(t, "size", "small", "middle", "large")
	fast := props.OneOf(t, "fast", false, true)
	t.Logf("%s %v", size, fast)
	sys := t.System()
	sys.Send(sys.Spawn(size, pulse.Func(func(*pulse.Ctx, any) {})), fast)
	sys.Run()
}

// Monitored is a property with a monitor that never fails.
func Monitored(t *props.T) {
	sys := t.System()
	t.Monitor(silent{})
	Crowd(sys, 3, func(string) {})
	sys.Run()
}

// silent is a monitor that never fails.
type silent struct{}

// Received returns nil.
func (silent) Received(props.Message) error { return nil }

// Locked fails if nine numbers arrive in one certain order, out of 362,880. As a hint
// to the search, it maximizes the count of numbers that have arrived in that order.
func Locked(t *props.T) {
	const stages = 9
	sys := t.System()
	opened, jammed := 0, false
	lock := sys.Spawn("lock", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if jammed = jammed || msg != opened*4%stages; !jammed {
			opened++
			t.Maximize("opened", float64(opened))
		}
	}))
	for i := range stages {
		sys.Go("sender", func(p *pulse.Process) { p.Send(lock, i) })
	}
	if sys.Run(); opened == stages {
		t.Error("open")
	}
}

// Quarrels is a property that fails in two ways.
func Quarrels(t *props.T) {
	said := ""
	sys := t.System()
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) { said += msg.(string) }))
	for _, word := range []string{"a", "b", "c"} {
		sys.Send(sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) })), word)
	}
	switch sys.Run(); said[0] {
	case 'b':
		t.Error("b is first")
	case 'c':
		t.Fatal("c is first")
	}
}
