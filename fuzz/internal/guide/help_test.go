package guide_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/guide"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A rig runs one program repeatedly.
type rig struct {
	sys     *pulse.System
	options pulse.Options
	build   func(*pulse.System) func() error
}

func newRig(t testing.TB, o pulse.Options, build func(*pulse.System) func() error) *rig {
	o.Record = true
	r := &rig{pulse.New(o), o, build}
	t.Cleanup(r.sys.Close)
	return r
}

// run runs the program and returns its failure.
func (r *rig) run(s pulse.Strategy, seed uint64) error {
	o := r.options
	o.Strategy, o.Seed = s, seed
	r.sys.Configure(o)
	check := r.build(r.sys)
	r.sys.Run()
	if f := r.sys.Failure(); f != nil {
		return f
	}
	return check()
}

// force runs the program in a given order. If the order could not be followed to its end, force returns
// where and why the run left it.
func (r *rig) force(o guide.Order, seed uint64) (stop strategy.Stop, stopped bool, err error) {
	ordered := strategy.Ordered(forced(o, seed))
	err = r.run(ordered, 1)
	stop, stopped = ordered.Stopped()
	return stop, stopped, err
}

// forced returns a schedule that first takes the steps of an order.
func forced(o guide.Order, seed uint64) *choice.Schedule {
	s := &choice.Schedule{Seed: seed}
	for i, id := range o.Steps {
		s.Priorities = append(s.Priorities, choice.Priority{ID: id, P: math.MaxUint64 - uint64(i)})
		if i > 0 {
			s.Before = append(s.Before, choice.Constraint{First: o.Steps[i-1], Second: id})
		}
	}
	return s
}

// goals returns the goals that the last run achieved, computed from the trace by the definitions of
// the Bitá paper.
func (r *rig) goals(c guide.Criterion) map[guide.Goal]bool {
	tr, set := r.sys.Trace(), map[guide.Goal]bool{}
	var list []trace.Step
	for _, s := range tr.Steps {
		if s.Kind == trace.Receive && !s.Settled && (s.Wanted == trace.Anything || s.Wanted == trace.SomeMatch) {
			list = append(list, s)
		}
	}
	for j, b := range list {
		for i, a := range list[:j] {
			if a.Actor != b.Actor || c == guide.PMR && !a.Changed && !b.Changed {
				continue
			}
			achieved := true
			for _, k := range list[i+1 : j] {
				if k.Actor == a.Actor && (c == guide.PCR || c == guide.PMR && k.Changed) {
					achieved = false
				}
			}
			if achieved {
				set[guide.Goal{Criterion: c, First: a.ID, Second: b.ID}] = true
			}
		}
	}
	return set
}

// coverable returns the goals of all orders, or false if there are too many.
func coverable(t testing.TB, o pulse.Options, build func(*pulse.System) func() error, limit int) (map[guide.Goal]bool, bool) {
	r := newRig(t, o, build)
	w := &worker{rig: r, goals: map[guide.Goal]bool{}}
	res, err := explore.Explore(explore.Options{Method: explore.Method{DepthFirst: true}, KeepOn: true, Runs: limit}, w)
	if err != nil {
		t.Fatal(err)
	}
	return w.goals, res.Complete
}

type worker struct {
	*rig
	goals map[guide.Goal]bool
}

func (w *worker) Run(s pulse.Strategy) explore.Run {
	w.rig.run(s, 1)
	return explore.Run{System: w.sys, Failure: w.sys.Failure()}
}

func (w *worker) Done(explore.Run) {
	for _, c := range guide.Criteria() {
		for g := range w.rig.goals(c) {
			w.goals[g] = true
		}
	}
}

func (w *worker) Again() { clear(w.goals) }

// A deed is an action of a random program's handler: what it does, to which actor, with which kind of message.
type deed struct{ do, to, kind int }

// features says what the actors of a random program can do besides sending.
type features struct{ becomes, spawns, processes, timers, kills bool }

// A program is a random program. The sends of its actors, and their next states, depend
// on their state and the kind of the message.
type program struct {
	features
	table     [3][3][3][]deed // indexed by template, state and kind of message
	next      [3][3][3]int
	firsts    []note
	templates []int
}

type note struct{ kind, fuel, to int }

func newProgram(seed uint64, f features) *program {
	r := rand.New(rand.NewPCG(seed, 77))
	p := &program{features: f}
	for i := range 27 {
		x, y, z := i/9, i/3%3, i%3
		for range r.IntN(3) {
			p.table[x][y][z] = append(p.table[x][y][z], deed{r.IntN(8), r.IntN(4), r.IntN(3)})
		}
		p.next[x][y][z] = r.IntN(3)
	}
	for range 2 + r.IntN(2) {
		p.templates = append(p.templates, r.IntN(3))
	}
	for range 2 + r.IntN(3) {
		p.firsts = append(p.firsts, note{r.IntN(3), 1 + r.IntN(2), r.IntN(len(p.templates))})
	}
	return p
}

// A thing is an actor of a random program.
type thing struct {
	p               *program
	refs            *[]pulse.Ref
	template, state int
}

func (a *thing) Receive(ctx *pulse.Ctx, msg any) {
	n, ok := msg.(note)
	if !ok {
		return
	}
	deeds := a.p.table[a.template][a.state][n.kind]
	before := a.state
	a.state = a.p.next[a.template][a.state][n.kind]
	if a.p.becomes && a.state != before {
		ctx.Become(a)
	}
	if n.fuel == 0 {
		return
	}
	for _, d := range deeds {
		a.do(ctx, d, n.fuel-1)
	}
}

func (a *thing) do(ctx *pulse.Ctx, d deed, fuel int) {
	to, m := (*a.refs)[d.to%len(*a.refs)], note{kind: d.kind, fuel: fuel}
	switch {
	case d.do == 0 && a.p.spawns:
		child := ctx.Spawn("child", &thing{p: a.p, refs: a.refs, template: d.to % 3})
		ctx.Send(child, m)
	case d.do == 1 && a.p.timers:
		ctx.After(time.Duration(d.kind)*time.Second, m)
	case d.do == 2 && a.p.processes:
		ctx.Go("process", func(p *pulse.Process) {
			p.Send(to, note{d.kind, fuel, 0})
			if d.to%2 == 0 {
				p.Receive()
			}
			p.ReceiveTimeout(time.Second)
		})
	case d.do == 3 && a.p.kills:
		ctx.Kill(to)
	default:
		ctx.Send(to, m)
	}
}

func (p *program) Build(sys *pulse.System) func() error {
	refs := &[]pulse.Ref{}
	for i, template := range p.templates {
		*refs = append(*refs, sys.Spawn(fmt.Sprint("thing", i), &thing{p: p, refs: refs, template: template}))
	}
	for _, n := range p.firsts {
		sys.Send((*refs)[n.to], note{n.kind, n.fuel, 0})
	}
	return func() error { return nil }
}
