// Package writer is an example program with a known bug. Its property: results are
// stored before the program ends.
//
// It comes from the paper Bitá (Tasharofi et al., ASE 2013), Listing 1 and
// Figures 1 and 2, where it represents a bug of the load tester Gatling.
//
// An action sends its result to the writer and tells the terminator that it is
// done. When all are done, the terminator tells the writer to flush. Nothing makes
// the result come before the flush, because they use different channels. A result
// that comes after the flush is not stored. In the mended form an action is done
// only when the writer has confirmed that it has the result.
//
// Subject.Depth is 1: at the writer, flush comes before write. With Config.Check it
// is 2: the terminator is asked whether it knows of a lost result. This question,
// sent at the start, must also come after the report of the loss.
package writer

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// one action.
type Config struct {
	Actions int  // the number of actions; 0 means 1
	Check   bool // set if the only requirement is that the terminator, when asked, knows of no loss
	Mended  bool
}

type (
	execute       struct{}
	write         struct{ result int }
	written       struct{}
	done          struct{}
	flush         struct{}
	flushed       struct{}
	lost          struct{ result int }
	checkForError struct{}
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	n := max(c.Actions, 1)
	w := &writer{acknowledges: c.Mended, reports: c.Check}
	t := &terminator{left: n, writer: sys.Spawn("writer", w)}
	terminator := sys.Spawn("terminator", t)
	for i := range n {
		a := &action{result: i + 1, writer: t.writer, terminator: terminator, waits: c.Mended}
		sys.Send(sys.Spawn("action", a), execute{})
	}
	if c.Check {
		sys.Send(terminator, checkForError{})
		return t.check
	}
	return func() error {
		if len(w.stored) != n {
			return fmt.Errorf("stored %d of %d results", len(w.stored), n)
		}
		return nil
	}
}

// A writer collects results, and stores them when it is told to flush.
type writer struct {
	results      []int
	stored       []int
	flushed      bool
	terminator   pulse.Ref // the actor that told the writer to flush
	acknowledges bool
	reports      bool
}

func (w *writer) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case write:
		if w.flushed && w.reports {
			ctx.Send(w.terminator, lost(msg))
		}
		w.results = append(w.results, msg.result)
		if w.acknowledges {
			ctx.Reply(written{})
		}
	case flush:
		w.stored, w.results = w.results, nil
		w.flushed, w.terminator = true, ctx.Sender()
		ctx.Reply(flushed{})
	}
}

// An action sends its result to the writer.
type action struct {
	result             int
	writer, terminator pulse.Ref
	waits              bool // set if the action is done only when the writer has confirmed the result
}

func (a *action) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case execute:
		ctx.Send(a.writer, write{a.result})
		if !a.waits {
			ctx.Send(a.terminator, done{})
		}
	case written:
		ctx.Send(a.terminator, done{})
	}
}

// A terminator tells the writer to flush when all actions are done.
type terminator struct {
	left   int
	writer pulse.Ref
	losses []int // the lost results that the terminator knows of
	found  []int // the lost results that the terminator knew of when it was asked
}

func (t *terminator) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case done:
		t.left--
		if t.left == 0 {
			ctx.Send(t.writer, flush{})
		}
	case lost:
		t.losses = append(t.losses, msg.result)
	case checkForError:
		t.found = append(t.found, t.losses...)
	}
}

func (t *terminator) check() error {
	if len(t.found) > 0 {
		return fmt.Errorf("the check for errors found lost results: %v", t.found)
	}
	return nil
}
