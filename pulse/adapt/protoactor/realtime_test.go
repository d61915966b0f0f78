package protoactor_test

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"github.com/asynkron/protoactor-go/plugin"
	"github.com/asynkron/protoactor-go/scheduler"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// Actors that keep a real timer of proto.actor, directly or through a plugin.
type (
	scheduling struct {
		scheduler *scheduler.TimerScheduler
	}
	passive struct{ plugin.PassivationHolder }
	deeper  struct{ passive }
	smart   struct {
		plugin.PassivationAware
	}
)

func (s *scheduling) Receive(ctx actor.Context) {
	if hasStarted(ctx) {
		s.scheduler = scheduler.NewTimerScheduler(ctx)
	}
}
func (*passive) Receive(actor.Context) {}
func (*smart) Receive(actor.Context)   {}

// passivating returns props of an actor that is stopped when nothing has come for a while.
func passivating(a actor.Actor, d time.Duration) *actor.Props {
	return actor.PropsFromProducer(func() actor.Actor { return a },
		actor.WithReceiverMiddleware(plugin.Use(&plugin.PassivationPlugin{Duration: d})))
}

// TestRealTimeIsRefused checks that an actor that keeps a real timer of proto.actor
// fails the run, and that the failure says what to use instead.
func TestRealTimeIsRefused(t *testing.T) {
	var out shared
	defer protoactor.WarnTo(&out)()
	var holder plugin.PassivationHolder
	held := [...]actor.Actor{&passive{}, &deeper{}, &smart{&holder}}
	const real = " is stopped by plugin.PassivationPlugin in real time: have it embed a protoactor.PassivationHolder, which has the same methods"
	for _, c := range []struct {
		props *actor.Props
		want  string
	}{
		{of(&scheduling{}), "scheduling keeps a TimerScheduler of package scheduler, whose timers are real: use protoactor.NewTimerScheduler"},
		{passivating(held[0], time.Hour), "passive" + real},
		{passivating(held[1], time.Hour), "deeper" + real},
		{passivating(held[2], time.Hour), "smart" + real},
	} {
		sys := pulse.New(pulse.Options{})
		protoactor.New(sys).Root.Spawn(c.props)
		sys.Run()
		if f := sys.Failure(); f == nil || f.Kind != pulse.KindMisuse || f.Text != c.want {
			t.Errorf("got %v\nwant %s", f, c.want)
		}
		sys.Close()
	}
	for _, a := range held {
		a.(plugin.PassivationAware).Reset(0) // its goroutine ends
	}
	for strings.Count(out.String(), "a system message Stop from another goroutine is lost") < len(held) {
		time.Sleep(time.Millisecond)
	}
}

// TestPassivation does what proto.actor's own test of the passivation plugin does, but in virtual time.
func TestPassivation(t *testing.T) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	as := protoactor.New(sys)
	pid := as.Root.Spawn(passivating(&smart{&protoactor.PassivationHolder{}}, 3*time.Second))
	for _, step := range []struct {
		send string
		wait time.Duration
		want bool
	}{{"", 2 * time.Second, true}, {"keepalive", 2 * time.Second, true}, {"", 2 * time.Second, false}} {
		if step.send != "" {
			as.Root.Send(pid, step.send)
		}
		sys.RunFor(step.wait)
		if _, found := as.ProcessRegistry.GetLocal(pid.Id); found != step.want {
			t.Errorf("after %v it is found: %v, want %v", sys.Now(), found, step.want)
		}
	}
	if f := sys.Failure(); f != nil {
		t.Error(f)
	}
}

// A shared is a buffer that several goroutines may write to.
type shared struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *shared) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *shared) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// TestTicksThatComeTooLate checks that a real timer that fires after its run is
// reported: by the next run of the system, or by Late. If there is no next run and
// nobody calls Late, a line is printed.
func TestTicksThatComeTooLate(t *testing.T) {
	var out shared
	defer protoactor.WarnTo(&out)()
	const advice = "use protoactor.NewTimerScheduler"
	fire := make(chan func(), 1)
	begin := func(sys *pulse.System) {
		s := &stage{ActorSystem: protoactor.New(sys), sys: sys}
		s.on(func(ctx actor.Context) { fire <- func() { ctx.Send(ctx.Self(), "tick") } })
		sys.Run()
	}
	sys := pulse.New(pulse.Options{})
	sys.Host().Own()
	begin(sys)
	elsewhere(<-fire)
	if f := sys.Host().Late(); f == nil || !strings.Contains(f.Text, `a message "tick" from another goroutine when no step was running`) || !strings.Contains(f.Text, advice) {
		t.Errorf("asked: %v", f)
	}
	tick := func() func() { begin(sys); return <-fire }()
	sys.Reset(1)
	elsewhere(tick)
	begin(sys)
	if f := sys.Failure(); f == nil || !strings.Contains(f.Text, advice) {
		t.Errorf("the next run: %v", f)
	}
	tick = <-fire
	sys.Close()
	for range 10 {
		elsewhere(tick)
	}
	if got, want := out.String(), strings.Repeat(`jostle: protoactor: a message "tick" from another goroutine is lost, since its run is over: `+
		"a real timer (package scheduler, time.AfterFunc) also sends like this: "+advice+"\n", 3); got != want {
		t.Errorf("printed %q\nwant %q", got, want)
	}
}

// TestGoroutinesThatAwait checks that a goroutine that waits for a future is reported. If the
// handler waits only for the goroutine's deferred functions, the run reports the wait at once.
// Otherwise the search's watchdog does.
func TestGoroutinesThatAwait(t *testing.T) {
	const want = "a wait for the answer of b from another goroutine"
	const advice = "wait for the future in the handler itself, or use PipeTo or ReenterAfter"
	await := func(sys *pulse.System, wait func(*actor.Future)) {
		s := &stage{ActorSystem: protoactor.New(sys), sys: sys}
		b := s.spawn("b", echo)
		s.on(func(ctx actor.Context) { wait(ctx.RequestFuture(b, "hello", time.Second)) })
		sys.Run()
	}
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	await(sys, func(f *actor.Future) { elsewhere(func() { f.Wait() }) })
	if f := sys.Failure(); f == nil || !strings.Contains(f.Text, want) || !strings.Contains(f.Text, advice) || !strings.Contains(f.Detail, "realtime_test.go") {
		t.Errorf("%v", f)
	}
	waits, release := make(chan bool), make(chan bool)
	r := props.NewRunner(t.Name(), func(t *props.T) {
		await(t.System(), func(f *actor.Future) {
			answered := make(chan bool)
			go func() { defer close(waits); f.Wait(); answered <- true }()
			select {
			case <-answered:
			case <-release:
			}
		})
	})
	defer r.Close()
	over := make(chan props.Result)
	go func() { over <- r.Run(props.Plan{Seed: 1}) }()
	<-waits
	if f := r.Stall().Intruder; f == nil || !strings.Contains(f.Text, want) {
		t.Errorf("while it stands still: %v", f)
	}
	close(release)
	if res := <-over; res.Failure == nil || !strings.Contains(res.Failure.Text, want) {
		t.Errorf("afterwards: %v", res.Failure)
	}
}
