// Package gatling is an example program with a known bug. Its property: the
// measurements of a load test are neither lost nor in the wrong order.
//
// It comes from the load tester Gatling, whose bugs Bitá found (Tasharofi
// et al., ASE 2013); we have rewritten the parts that have two of these
// bugs.
//
// The terminator (Config): every writer that has registered is flushed. Writers
// register with the terminator, and actions tell it when a user has ended. After
// the first end of a user the terminator understands only further ends. So a writer
// that registers later is never flushed. In the mended form the terminator still
// accepts registrations. A writer that registers after the last user has ended is
// told to flush at once.
//
// Subject.Depth is 1: at the terminator, endUser comes before register.
//
// The records (Records): a user starts before it ends. A session goes from action
// to action. The first action writes the start of the session's user, and the last
// action writes the end. The writer may get the end first. In the mended form the
// session carries the record of the start, and the last action writes both records.
//
// Subject.Depth is 1: at the writer, the end comes before the start.
package gatling

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// one writer and one action.
type Config struct {
	Writers int // 0 means 1
	Actions int // the number of actions, each with one user; 0 means 1
	Mended  bool
}

type (
	initialize struct{}
	register   struct{}
	execute    struct{}
	endUser    struct{}
	flush      struct{}
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
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

// A writer registers when it is initialized, and flushes when told to.
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

// An action represents one user.
type action struct{ terminator pulse.Ref }

func (a action) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(execute); ok {
		ctx.Send(a.terminator, endUser{})
	}
}

// A terminator tells all writers to flush when all users have ended. Receive is its
// behavior until the first user has ended.
type terminator struct {
	writers []pulse.Ref
	users   int // the number of users that have not ended
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

// ending is the behavior of the terminator after the first user has ended.
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
