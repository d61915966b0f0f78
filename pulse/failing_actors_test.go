package pulse_test

import (
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// The actors that fail in failure_test.go. Golden files hold the numbers of
// their lines: add new ones at the end.

type (
	blast    struct{}
	purchase struct{ n int }
	breakage struct{ code int }
	grumble  struct{}
)

func (grumble) Error() string { return "out of stock\nsince 3 days" }

// refusing panics in a plain handler, two calls deep.
func refusing(_ *pulse.Ctx, msg any) { refuse(msg) }

func refuse(msg any) {
	if _, ok := msg.(blast); ok {
		panic("cannot take 7 of \"glass\"")
	}
}

// A shop is an actor whose method panics in several ways.
type shop struct{ stock map[string]int }

func (s *shop) Receive(_ *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case purchase:
		s.stock["glass"] = -m.n // panics: the map is nil
	case breakage:
		panic(m)
	case *breakage:
		panic(m)
	case grumble:
		panic(fmt.Errorf("purchase 12: %w", m))
	case blast:
		defer s.tidy()
		panic(errors.New("first"))
	}
}

// tidy panics while a panic unwinds its caller.
func (s *shop) tidy() { panic(errors.New("second")) }

// refusingProcess panics in a process, after it has waited twice.
func refusingProcess(p *pulse.Process) {
	p.Receive()
	takeNext(p)
}

func takeNext(p *pulse.Process) {
	refuse(p.ReceiveMatch(func(msg any) bool { return msg == blast{} }))
}

// asking asks an actor and waits for the answer.
//
//go:noinline
func asking(to *pulse.Ref) func(*pulse.Process) {
	return func(p *pulse.Process) {
		p.Ask(*to, purchase{1})
	}
}

// picky waits for a message that never comes.
func picky(p *pulse.Process) {
	p.Receive()
	p.ReceiveMatch(func(msg any) bool { return msg == blast{} })
}

// sleeping sleeps until after the end of virtual time.
func sleeping(p *pulse.Process) {
	p.Sleep(time.Hour)
}

// taking receives any one message.
func taking(p *pulse.Process) {
	for {
		p.Receive()
	}
}

// inLibrary panics in the standard library, which is not the user's code.
func inLibrary(*pulse.Ctx, any) { _ = slices.Repeat([]int{1}, -1) }

// calledBack panics in a function that the standard library calls back.
func calledBack(_ *pulse.Ctx, msg any) {
	_ = slices.IndexFunc([]any{msg}, func(x any) bool {
		refuse(x)
		return true
	})
}

func panicNil(*pulse.Ctx, any) { panic(nil) }

// noIdea panics in a strategy.
func noIdea() int { panic("no idea") }

// clumsy panics in an observer.
type clumsy struct{}

func (clumsy) Stepped(*pulse.System, int) { panic("lost count") }

// mistaken has a match function that panics for any message that is not a string.
func mistaken(p *pulse.Process) {
	p.ReceiveMatch(func(msg any) bool { return msg.(string) == "news" })
}

// answers is a strategy that returns the given answers. By default it picks
// the first message and answers zero.
type answers struct {
	pick   func() int
	choose func(k choice.Kind, n int) int
}

func (*answers) Begin(uint64) {}

func (a *answers) Pick(*pulse.Enabled) int {
	if a.pick == nil {
		return 0
	}
	return a.pick()
}

func (a *answers) Choose(k choice.Kind, n int) int {
	if a.choose == nil {
		return 0
	}
	return a.choose(k, n)
}

// noChoice is a Choose that panics.
func noChoice(choice.Kind, int) int { return noIdea() }

// failNil fails a step with a nil error.
type failNil struct{ s *pulse.System }

func (f failNil) Receive(*pulse.Ctx, any) { f.s.Fail(nil) }
