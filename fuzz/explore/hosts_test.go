package explore_test

import "github.com/jostle-go/jostle/pulse"

// byHosts are programs in which a step acts in the name of another actor, as a Host may.
// Every reduction once treated such a step as independent of the other actor's own
// steps.
func byHosts() []subject {
	program := func(name string, build func(*pulse.System) func() error) subject {
		return subject{name, pulse.Options{}, func() func(*pulse.System) func() error { return build }}
	}
	return []subject{
		program("a message in another's name", sendsForAnother),
		program("a timer for another", setsATimerForAnother),
		program("another's wish", acceptsForAnother),
		program("a child for another", spawnsForAnother),
	}
}

// sendsForAnother has two actors that send to a third actor in the name of the second. Both messages are in one
// channel.
func sendsForAnother(sys *pulse.System) func() error {
	sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
	var other pulse.Ref
	one := sys.Spawn("one", pulse.Func(func(*pulse.Ctx, any) { sys.Host().Enqueue(other, sink, kind("by one")) }))
	other = sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(sink, kind("by the other")) }))
	sys.Send(one, kind("go"))
	sys.Send(other, kind("go"))
	return nil
}

// setsATimerForAnother has two actors that set timers of the second actor. The timers are due at the same time, and
// fire in the order in which they were set.
func setsATimerForAnother(sys *pulse.System) func() error {
	var other pulse.Ref
	one := sys.Spawn("one", pulse.Func(func(*pulse.Ctx, any) { sys.Host().After(other, 1, kind("by one")) }))
	other = sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == kind("go") {
			ctx.After(1, kind("by the other"))
		}
	}))
	sys.Send(one, kind("go"))
	sys.Send(other, kind("go"))
	return nil
}

// acceptsForAnother has an actor that makes another actor refuse a certain message. The other actor fails if it
// receives the message before that step.
func acceptsForAnother(sys *pulse.System) func() error {
	other := sys.Spawn("other", pulse.Func(func(_ *pulse.Ctx, msg any) {
		if msg == kind("unwanted") {
			panic("it came before it was unwanted")
		}
	}))
	sys.Send(sys.Spawn("one", pulse.Func(func(*pulse.Ctx, any) {
		sys.Host().Accept(other, func(msg any) bool { return msg != kind("unwanted") })
	})), kind("go"))
	sys.Send(other, kind("unwanted"))
	return nil
}

// spawnsForAnother has an actor that spawns a child of another actor. The other actor stops, and a child that exists by
// then stops with it.
func spawnsForAnother(sys *pulse.System) func() error {
	other := sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Stop() }))
	sys.Send(sys.Spawn("one", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		child := sys.Host().Spawn(other, pulse.Spec{Name: "child", Actor: pulse.Func(func(*pulse.Ctx, any) { panic("it lives") })})
		ctx.Send(child, kind("hello"))
	})), kind("go"))
	sys.Send(other, kind("end"))
	return nil
}
