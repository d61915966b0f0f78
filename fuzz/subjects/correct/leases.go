package correct

import (
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

type (
	acquire struct{ who pulse.Ref }
	grant   struct{ token int }
	giveUp  struct{ token int }
	expire  struct{ token int }
	store   struct {
		token int
		who   pulse.Ref
	}
	stored struct {
		token int
		ok    bool
	}
)

// A leaser gives a lease to one holder at a time, in the order of requests, for 50 ms.
type leaser struct {
	token   int
	held    bool
	waiting []pulse.Ref
	expired int
}

func (l *leaser) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case acquire:
		l.waiting = append(l.waiting, m.who)
	case giveUp:
		l.held = l.held && m.token != l.token
	case expire:
		if l.held && m.token == l.token {
			l.held = false
			l.expired++
		}
	}
	if l.held || len(l.waiting) == 0 {
		return
	}
	l.held, l.token = true, l.token+1
	ctx.Send(l.waiting[0], grant{l.token})
	l.waiting = l.waiting[1:]
	ctx.After(50*ms, expire{l.token})
}

// A storage refuses a write with an older token than one that the storage has seen (fencing).
type storage struct {
	seen int
	took []int
}

func (s *storage) Receive(ctx *pulse.Ctx, msg any) {
	m := msg.(store)
	ok := m.token >= s.seen
	if ok {
		s.seen = m.token
		s.took = append(s.took, m.token)
	}
	ctx.Send(m.who, stored{m.token, ok})
}

// A holder asks for the lease, writes a number of times, and gives the lease up.
type holder struct {
	leaser, storage pulse.Ref
	writes          int
	refused, done   int
}

func (h *holder) Receive(ctx *pulse.Ctx, msg any) {
	token := 0
	switch m := msg.(type) {
	case begin:
		ctx.Send(h.leaser, acquire{ctx.Self()})
		return
	case grant:
		token = m.token
	case stored:
		if token = m.token; m.ok {
			h.done++
		} else {
			h.refused++
		}
		h.writes--
	}
	if h.writes == 0 {
		ctx.Send(h.leaser, giveUp{token})
		return
	}
	ctx.Send(h.storage, store{token, ctx.Self()})
}

// leases returns a property that always holds. The storage compares tokens, so the tokens of
// accepted writes never decrease, under all options. A holder waits for no timer. So while it
// has the lease, some message of its work can be delivered, and under NeverEarly no time passes.
// Therefore the lease does not expire before the holder gives it up, and no write is refused.
func leases(s shape) func(*props.T) {
	holders, writes, hops := 2+s.below(3), 1+s.below(2), s.below(3)
	return func(t *props.T) {
		sys := s.system(t)
		st, l := &storage{}, &leaser{}
		to, by := relayed(sys, hops, sys.Spawn("storage", st)), sys.Spawn("leaser", l)
		var list []*holder
		for range holders {
			h := &holder{leaser: by, storage: to, writes: writes}
			list = append(list, h)
			sys.Send(sys.Spawn("holder", h), begin{})
		}
		sys.Run()
		for i := range st.took {
			if i > 0 && st.took[i] < st.took[i-1] {
				t.Errorf("token %d was written after token %d", st.took[i], st.took[i-1])
			}
		}
		for i, h := range list {
			if h.done+h.refused != writes || s.strict() && h.refused > 0 {
				t.Errorf("holder %d: %d of %d writes done, %d refused", i, h.done, writes, h.refused)
			}
		}
		if s.strict() && l.expired > 0 {
			t.Errorf("%d leases expired while their holders worked", l.expired)
		}
	}
}
