// Package gatling is a subject: what a load test measures is neither lost nor
// muddled.
//
// It comes from the load tester Gatling, whose bugs Bitá found (Tasharofi et
// al., ASE 2013); we have written the parts in which two of them lie anew.
//
// The terminator (Config): every writer that has registered is flushed.
// Writers register with the terminator, actions tell it when a user has
// ended. The first of those messages changes the terminator's behaviour to one
// in which it understands nothing but ends of users. A writer whose
// registration comes after it is never flushed. In the mended form the
// terminator goes on taking registrations, and has a writer that comes after
// the last user flush at once.
//
// Depth 1: endUser before register, at the terminator.
//
// The records (Records): a user starts before it ends. A session goes from
// action to action; the first writes that its user starts, the last that the
// user ends, and the writer may get the end first. In the mended form the
// session carries the record of the start, and the last action writes both.
//
// Depth 1: end before start, at the writer.
package gatling

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// one writer and one action.
type Config struct {
	Writers int // 0 means 1
	Actions int // 0 means 1; each has one user
	Mended  bool
}

type (
	initialize struct{}
	register   struct{}
	execute    struct{}
	endUser    struct{}
	flush      struct{}
)

// Build adds the program to a system. When the run is over, check says
// whether what must hold does.
func (c Config) Build(sys *pulse.System) (check func() error) {
	actions := max(c.Actions, 1)
	terminator := sys.Spawn("terminator", &terminator{users: actions, mended: c.Mended})
	writers := make([]*writer, max(c.Writers, 1))
	for i := range writers {
		writers[i] = &writer{terminator: terminator}
		sys.Send(sys.Spawn("writer", writers[i]), initialize{})
	}
	for range actions {
		sys.Send(sys.Spawn("action", action{terminator}), execute{})
	}
	return func() error {
		n := 0
		for _, w := range writers {
			if w.flushed {
				n++
			}
		}
		if n != len(writers) {
			return fmt.Errorf("flushed %d of %d writers", n, len(writers))
		}
		return nil
	}
}

// A writer registers when it is initialized, and flushes when it is told to.
type writer struct {
	terminator pulse.Ref
	flushed    bool
}

func (w *writer) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case initialize:
		ctx.Send(w.terminator, register{})
	case flush:
		w.flushed = true
	}
}

// An action plays one user.
type action struct{ terminator pulse.Ref }

func (a action) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(execute); ok {
		ctx.Send(a.terminator, endUser{})
	}
}

// A terminator has all writers flush when all users have ended. Receive is
// its behaviour until the first has.
type terminator struct {
	writers []pulse.Ref
	users   int // that have not ended
	mended  bool
}

func (t *terminator) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case register:
		t.writers = append(t.writers, ctx.Sender())
	case endUser:
		ctx.Become(pulse.Func(t.ending))
		t.endUser(ctx)
	}
}

// ending is its behaviour from then on.
func (t *terminator) ending(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case endUser:
		t.endUser(ctx)
	case register:
		if t.mended {
			t.registerLate(ctx)
		}
	}
}

func (t *terminator) endUser(ctx *pulse.Ctx) {
	t.users--
	if t.users > 0 {
		return
	}
	for _, w := range t.writers {
		ctx.Send(w, flush{})
	}
}

func (t *terminator) registerLate(ctx *pulse.Ctx) {
	if t.users == 0 {
		ctx.Reply(flush{})
		return
	}
	t.writers = append(t.writers, ctx.Sender())
}
