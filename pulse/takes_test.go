package pulse_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// blank and void are two types for which a generic function has the same compiled code.
type (
	blank struct{}
	void  struct{}
)

func isWord(msg any) bool   { _, is := msg.(string); return is }
func isNumber(msg any) bool { _, is := msg.(int); return is }

// A step of a process changes what the process accepts if the process then
// waits for other messages than before. A wait for an answer or for time is
// no such change.
func TestWhatProcessesTake(t *testing.T) {
	echo := pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Reply("echo") })
	for _, c := range []struct {
		name string
		body func(p *pulse.Process, echo pulse.Ref)
		want string // for each step of the process: "C" if the step changed what the process accepts, else "."
	}{
		{"always all", func(p *pulse.Process, _ pulse.Ref) { p.Receive(); p.Receive(); p.Receive() }, "...."},
		{"all, then words", func(p *pulse.Process, _ pulse.Ref) { p.Receive(); p.ReceiveMatch(isWord); p.ReceiveMatch(isWord) }, ".C.."},
		{"words, then numbers", func(p *pulse.Process, _ pulse.Ref) { p.ReceiveMatch(isWord); p.ReceiveMatch(isNumber); p.Receive() }, ".CC."},
		{"words by two functions of one text", func(p *pulse.Process, _ pulse.Ref) {
			for i := range 3 {
				p.ReceiveMatch(func(msg any) bool { return i < 3 && isWord(msg) })
			}
		}, "...."},
		{"two types of one shape", func(p *pulse.Process, _ pulse.Ref) {
			pulse.ReceiveAs[blank](p)
			pulse.ReceiveAs[blank](p)
			pulse.ReceiveAs[void](p)
		}, "..C."},
		{"sleep", func(p *pulse.Process, _ pulse.Ref) { p.Receive(); p.Sleep(time.Second); p.Receive() }, "...."},
		{"an answer, then all", func(p *pulse.Process, echo pulse.Ref) { p.Receive(); p.Ask(echo, "?"); p.Receive() }, "...."},
		{"an answer, then words", func(p *pulse.Process, echo pulse.Ref) { p.Receive(); p.Ask(echo, "?"); p.ReceiveMatch(isWord) }, "..C."},
		{"no time", func(p *pulse.Process, _ pulse.Ref) { p.ReceiveTimeout(0); p.ReceiveTimeout(time.Hour); p.Receive() }, "...."},
	} {
		sys := pulse.New(pulse.Options{Record: true})
		e := sys.Spawn("echo", echo)
		p := sys.Go("p", func(p *pulse.Process) { c.body(p, e) })
		for _, msg := range []any{"a", "b", 1, "c", blank{}, blank{}, void{}} {
			sys.Send(p, msg)
		}
		sys.Run()
		got := ""
		for _, st := range sys.Trace().Steps {
			switch {
			case st.Actor != int32(p.Index()):
			case st.Changed:
				got += "C"
			default:
				got += "."
			}
		}
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
		if f := sys.Failure(); f != nil {
			t.Error(fmt.Sprint(c.name, ": ", f))
		}
		sys.Close()
	}
}

// An auditor is a strategy that picks at random and checks all invariants before each
// step. One of them is that the first accepted message of each channel can be delivered.
type auditor struct {
	pulse.Strategy
	sys    *pulse.System
	broken error
}

func (a *auditor) Pick(e *pulse.Enabled) int {
	if a.broken == nil {
		a.broken = a.sys.Invariants()
	}
	return a.Strategy.Pick(e)
}

// moody waits n times, in a random way that is mostly the same as before. Between
// waits it sends messages to itself, and cuts or heals the links from its senders.
func moody(rng *rand.Rand, n int, peer pulse.Ref, senders *[]pulse.Ref) func(*pulse.Process) {
	return func(p *pulse.Process) {
		for i := range n {
			for range 1 + rng.IntN(3) {
				p.Send(p.Self(), []any{1, "one"}[rng.IntN(2)])
			}
			switch list := *senders; rng.IntN(8) {
			case 0:
				p.Nemesis().Cut(list[rng.IntN(len(list))], p.Self())
			case 1:
				p.Nemesis().Heal()
			}
			switch rng.IntN(40) {
			case 0:
				p.Receive()
			case 1:
				p.ReceiveTimeout(time.Millisecond)
			case 2:
				p.ReceiveTimeout(0)
			case 3, 4, 5:
				pulse.ReceiveAs[string](p)
			case 6, 7, 8:
				for j := range 3 {
					p.ReceiveMatch(func(msg any) bool { return isNumber(msg) == ((i+j)%2 == 0) })
				}
			case 9:
				p.Ask(peer, "?")
			case 10, 11:
				p.ReceiveMatch(isWord)
			default:
				p.ReceiveMatch(isNumber)
			}
		}
	}
}

// Before each step, the list of deliverable messages is right. That holds
// whatever a process accepts and whatever happens to waiting messages.
func TestWhatIsWantedIsFound(t *testing.T) {
	faults := pulse.Faults{Drop: 2, Duplicate: 3, Delay: 3, Crash: 1, RestartLost: 1, Partition: 1}
	for seed := range uint64(400) {
		a := &auditor{Strategy: strategy.Random()}
		o := pulse.Options{Strategy: a, Record: seed%3 == 0, Isolation: seed%5 == 0}
		if seed%2 == 1 {
			o.Delivery = pulse.DeliveryUnordered
		}
		if seed%4 > 1 {
			o.Faults = faults
		}
		a.sys = pulse.New(o)
		rng := rand.New(rand.NewPCG(seed, 3))
		peer := a.sys.Spawn("peer", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Reply("!") }))
		var senders []pulse.Ref
		spec := pulse.Spec{Name: "p", Process: moody(rng, 40, peer, &senders)}
		if seed%8 > 5 {
			spec.Mailbox, spec.OnFull = 4, pulse.OnFullDropOldest
		}
		p := a.sys.SpawnSpec(spec)
		for range 5 {
			s := a.sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, msg any) {
				ctx.Send(p, []any{1, "one"}[rng.IntN(2)])
				ctx.Send(p, []any{2, "two"}[rng.IntN(2)])
			}))
			senders = append(senders, s)
			for range 6 {
				a.sys.Send(s, "go")
			}
		}
		a.sys.Run()
		if f := a.sys.Failure(); a.broken != nil || f != nil && f.Kind != pulse.KindStuck {
			t.Fatalf("seed %d: %v\n%v", seed, a.broken, f)
		}
		a.sys.Close()
	}
}

// swings is a package-level variable that the functions wants depend on.
var swings int

type wanting struct{}

func (wanting) wants(any) bool { return swings%2 == 0 }

func wants(any) bool { return swings%2 == 0 }

// A predicate that is a package-level function must depend only on its
// argument. With Options.Isolation the run fails if such a predicate depends on
// something else. A function literal or a method value may depend on data of
// its process.
func TestPredicatesThatLookAtMore(t *testing.T) {
	for _, c := range []struct {
		name  string
		match func(any) bool
		wrong bool
	}{
		{"a function", wants, true},
		{"a literal", func(any) bool { return swings%2 == 0 }, false},
		{"a method value", wanting{}.wants, false},
		{"reflection", reflect.MakeFunc(reflect.TypeFor[func(any) bool](), func([]reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf(swings%2 == 0)}
		}).Interface().(func(any) bool), false},
	} {
		for _, o := range []pulse.Options{{Isolation: true}, {Isolation: true, Delivery: pulse.DeliveryUnordered}} {
			sys := pulse.New(o)
			p := sys.Go("p", func(p *pulse.Process) {
				swings = 0
				for range 5 {
					p.ReceiveMatch(c.match)
				}
				swings++
				p.ReceiveMatch(c.match)
			})
			for range 3 {
				s := sys.Spawn("sender", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(p, msg) }))
				for i := range 3 {
					sys.Send(s, i)
				}
			}
			sys.Run()
			f := sys.Failure()
			if is := f != nil && f.Kind == pulse.KindMisuse && strings.Contains(f.Text, "by a package-level function"); is != c.wrong {
				t.Errorf("%s, %v: %v", c.name, o.Delivery, f)
			}
			sys.Close()
		}
	}
}
