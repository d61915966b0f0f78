package explore

import (
	"github.com/jostle-go/jostle/pulse/trace"
)

// A past knows of each step of a run which steps happened before it, as a set
// of bits. What two runs share at their beginning is computed once.
//
// A step happens after the step that sent its message, after the step before
// it of its actor, and after all that came before a rest that it came after. That it also happens after a
// fault that struck before it is left out: picks before that are open anyway.
type past struct {
	t     *trace.Trace
	words int      // of a set
	bits  []uint64 // the set of step i is bits[i*words:(i+1)*words]
	node  []int32  // the pick that a step came of; -1 for none
	walls []int32  // the numbers of steps before which all was over: rests and strikes
	// process says of each actor whether it may leave messages waiting.
	process []bool
	acc     []uint64 // scratch
}

// learn computes the sets of the steps from `from` on; those before are as
// they were in the run before.
func (p *past) learn(s *stack, t *trace.Trace, from int) {
	p.t = t
	n := len(t.Steps)
	if words := (n + 63) / 64; words > p.words {
		p.words, from = max(words, 2*p.words), 0
		if words == 1 {
			p.words = 1
		}
	}
	p.bits = grown(p.bits, n*p.words)
	p.node = grown(p.node, n)
	p.acc = grown(p.acc, p.words)
	p.process = grown(p.process, len(t.Actors))
	clear(p.process)
	for m := range t.Sends {
		if d := &t.Sends[m]; d.Kind == trace.Start {
			p.process[d.To] = true
		}
	}
	p.walls = t.Rests
	for j := from; j < n; j++ {
		p.node[j] = -1
	}
	for i := range s.nodes {
		if nd := &s.nodes[i]; nd.kind == picks && int(nd.step) < n {
			p.node[nd.step] = int32(i)
		}
	}
	for j := from; j < n; j++ {
		p.learnStep(int32(j))
	}
}

func grown[T any](list []T, n int) []T {
	if n <= cap(list) {
		return list[:n]
	}
	return append(list[:cap(list)], make([]T, n-cap(list))...)
}

// lastWall returns the last wall that a step came after.
func (p *past) lastWall(step int32) int32 {
	last := int32(0)
	for _, w := range p.walls {
		if w <= step {
			last = w
		}
	}
	return last
}

func (p *past) of(step int32) []uint64 { return p.bits[int(step)*p.words : int(step+1)*p.words] }

// learnStep computes the set of one step.
func (p *past) learnStep(j int32) {
	st := &p.t.Steps[j]
	set := p.of(j)
	clear(set)
	if len(p.walls) > 0 {
		fill(set, p.lastWall(j))
	}
	if st.Send != trace.None {
		p.join(set, p.t.Sends[st.Send].Step)
	}
	p.join(set, st.Prev)
}

// join adds a step and all that happened before it.
func (p *past) join(set []uint64, step int32) {
	if step < 0 {
		return
	}
	for w, x := range p.of(step) {
		set[w] |= x
	}
	set[step>>6] |= 1 << (step & 63)
}

// fill adds all steps before a number.
func fill(set []uint64, before int32) {
	w := int(before >> 6)
	for i := range w {
		set[i] = ^uint64(0)
	}
	if rest := before & 63; rest != 0 {
		set[w] |= 1<<rest - 1
	}
}

func has(set []uint64, step int32) bool { return set[step>>6]>>(step&63)&1 != 0 }

// onlyMessages says whether all that the steps from `from` on have to do with
// others is in the messages: what they touch beside, they touch in an order
// that messages fix.
func (p *past) onlyMessages(from int) bool {
	list := p.t.Touches
	for i := range list {
		x := list[i]
		if x.What == trace.ItsSteps {
			return false
		}
		if int(x.Step) < from {
			continue
		}
		for _, y := range list[:i] {
			if y.What == x.What && y.Actor == x.Actor && y.Ask == x.Ask && y.Step != x.Step && !has(p.of(x.Step), y.Step) {
				return false
			}
		}
	}
	return true
}

// lastOf is the latest step of an actor before step j.
func (p *past) lastOf(actor, j int32) int32 {
	for i := j - 1; i >= 0; i-- {
		if p.t.Steps[i].Actor == actor {
			return i
		}
	}
	return -1
}

// ofMessage adds what happened before a message could be received: the step
// that sent it and its past; of a timer, all before the rest that let it fire.
func (p *past) ofMessage(set []uint64, m int32) {
	d := &p.t.Sends[m]
	p.join(set, d.Step)
	if len(p.walls) == 0 {
		return
	}
	switch {
	case d.Kind.IsTimer():
		fill(set, p.firing(d))
	case d.Step < 0:
		fill(set, p.sentByTest(m))
	}
}

// firing is the first wall at which a timer can have fired; for a receiver
// that leaves no message waiting, the last before it was received.
func (p *past) firing(d *trace.Send) int32 {
	if d.Receipt >= 0 && !p.process[d.To] {
		return p.lastWall(d.Receipt)
	}
	for _, w := range p.walls {
		if w > d.Step {
			return w
		}
	}
	return 0
}

// sentByTest is the wall after which the test sent a message: not before the
// steps that sent what was sent before it.
func (p *past) sentByTest(m int32) int32 {
	for i := m - 1; i >= 0; i-- {
		if step := p.t.Sends[i].Step; step >= 0 {
			for _, w := range p.walls {
				if w > step {
					return w
				}
			}
			return int32(len(p.t.Steps))
		}
	}
	return 0
}
