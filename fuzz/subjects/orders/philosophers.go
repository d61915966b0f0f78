package orders

import (
	"errors"
	"fmt"

	"github.com/jostle-go/jostle/pulse"
)

// Philosophers is philosophers of the thesis on Basset: both the philosophers
// and the forks are actors. Each philosopher first takes the fork with the
// lower number, so that there is no deadlock, and then the other fork. A
// philosopher eats once and puts both forks back.
//
// At each fork its two philosophers race. The order decides who asks first, and
// whether the other asks before the fork is put back.
func Philosophers(n int) Program {
	return Program{
		Name: fmt.Sprintf("philosophers(%d)", n),
		Build: func(sys *pulse.System) func() error {
			forks := make([]pulse.Ref, n)
			for i := range forks {
				forks[i] = sys.Spawn("fork", &fork{})
			}
			list := make([]*philosopher, n)
			for i := range list {
				a, b := i, (i+1)%n
				list[i] = &philosopher{forks: [2]pulse.Ref{forks[min(a, b)], forks[max(a, b)]}}
				sys.Send(sys.Spawn("philosopher", list[i]), start{})
			}
			return func() error { return allAte(list) }
		},
	}
}

func allAte(list []*philosopher) error {
	for _, p := range list {
		if !p.ate {
			return errors.New("a philosopher has not eaten")
		}
	}
	return nil
}

type (
	take  struct{}
	taken struct{}
	put   struct{}
)

// A fork is held by one philosopher while others wait.
type fork struct{ queue []pulse.Ref } // the first in the queue holds the fork

func (f *fork) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case take:
		f.queue = append(f.queue, ctx.Sender())
		if len(f.queue) == 1 {
			ctx.Reply(taken{})
		}
	case put:
		if f.queue = f.queue[1:]; len(f.queue) > 0 {
			ctx.Send(f.queue[0], taken{})
		}
	}
}

// A philosopher needs two forks to eat.
type philosopher struct {
	forks [2]pulse.Ref // the philosopher's two forks, in the order in which they are taken
	held  int
	ate   bool
}

func (p *philosopher) Receive(ctx *pulse.Ctx, msg any) {
	if _, ok := msg.(taken); ok {
		p.held++
	}
	if p.held < len(p.forks) {
		ctx.Send(p.forks[p.held], take{})
		return
	}
	p.ate = true
	for _, f := range p.forks {
		ctx.Send(f, put{})
	}
	p.held = 0
}
