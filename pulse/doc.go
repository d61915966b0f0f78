// Package pulse runs a program made of actors one step at a time, in an order
// that a strategy chooses, on the goroutine that calls Run.
//
// A System is one run: its actors, the messages on their way, virtual time and
// faults. The same program, strategy and seed give the same run, byte for
// byte, on every machine: nothing in a run reads the clock of the machine,
// global randomness or the order of a map.
//
//	sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Record: true})
//	defer sys.Close()
//	w := sys.Spawn("writer", &writer{})
//	sys.Send(w, write{1})
//	if f := sys.Run(); f != nil {
//		t.Fatal(f)
//	}
//
// The package by file:
//
//	options.go   what a System can be told
//	system.go    System: making, resetting, closing one
//	run.go       the loop: rest, pick, deliver
//	send.go      a message enters its channel
//	filter.go    which messages a waiting process accepts
//	enabled.go   what a strategy sees
//	strategy.go  what a strategy answers
//	actor.go     Actor, Ref, Spec; spawning, ending, watching
//	ctx.go       what a handler may do
//	process.go   actors written as straight-line code
//	coroutine.go parking and resuming such code
//	timer.go     virtual time
//	fault.go     what goes wrong on purpose
//	supervise.go what follows a panic
//	failure.go   what a run can fail with
//	stuck.go     who waits for what when nothing can go on
//	isolation.go messages changed after they were sent
//	identity.go  names for steps that hold in every order
//	host.go      the surface on which other actor runtimes are hosted
package pulse
