package gatling

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Records chooses the program of records to build. The zero value is the
// broken form with one user, who makes one request.
type Records struct {
	Users    int // 0 means 1
	Requests int // the number of requests of each user, between start and end; 0 means 1
	Mended   bool
}

type (
	// A session is a message that represents a user. In the mended form it carries
	// the record of the start.
	session struct {
		user  int
		start *record
	}
	record struct {
		user int
		end  bool // set if the record says that the user has ended; else it says that the user has started
	}
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Records) Build(sys *pulse.System) (check func() error) {
	users := max(c.Users, 1)
	w := &dataWriter{}
	data := sys.Spawn("writer", w)
	next := sys.Spawn("end", endAction{data})
	for range max(c.Requests, 1) {
		next = sys.Spawn("request", requestAction{next})
	}
	first := sys.Spawn("start", startAction{data, next, c.Mended})
	for u := range users {
		sys.Send(first, session{user: u + 1})
	}
	return func() error { return w.check(users) }
}

// A startAction writes that a user starts, and passes the session on.
type startAction struct {
	data, next pulse.Ref
	hands      bool // set if the record is put into the message session, and a later action writes it
}

func (a startAction) Receive(ctx *pulse.Ctx, msg any) {
	s := msg.(session)
	start := record{user: s.user}
	if a.hands {
		s.start = &start
	} else {
		ctx.Send(a.data, start)
	}
	ctx.Send(a.next, s)
}

// A requestAction makes a request.
type requestAction struct{ next pulse.Ref }

func (a requestAction) Receive(ctx *pulse.Ctx, msg any) { ctx.Send(a.next, msg) }

// An endAction writes that a user ends.
type endAction struct{ data pulse.Ref }

func (a endAction) Receive(ctx *pulse.Ctx, msg any) {
	s := msg.(session)
	if s.start != nil {
		ctx.Send(a.data, *s.start)
	}
	ctx.Send(a.data, record{user: s.user, end: true})
}

// A dataWriter stores records in the order of receipt.
type dataWriter struct{ records []record }

func (w *dataWriter) Receive(_ *pulse.Ctx, msg any) {
	w.records = append(w.records, msg.(record))
}

// check returns an error unless each user ends once, after its start.
func (w *dataWriter) check(users int) error {
	started, ended := make([]bool, users+1), 0
	for _, r := range w.records {
		if r.end && !started[r.user] {
			return fmt.Errorf("user %d ends before the start", r.user)
		}
		if r.end {
			ended++
		}
		started[r.user] = true
	}
	if ended != users {
		return fmt.Errorf("%d of %d users end", ended, users)
	}
	return nil
}
