package explore

import (
	"slices"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A past knows of each step of a run which steps happened before it, as a set
// of bits. What two runs share at their beginning is computed once.
//
// A step happens after the step that sent its message, after the step before
// it of its actor, after those that touched the same as it does, and after
// all that came before a rest that it came after. That it also happens after a
// fault that struck before it is left out: picks before that are open anyway.
type past struct {
	t     *trace.Trace
	words int       // of a set
	bits  []uint64  // the set of step i is bits[i*words:(i+1)*words]
	node  []int32   // the pick that a step came of; -1 for none
	wall  []int32   // steps before it happened before the step, all of them
	walls []int32   // the numbers of steps before which all was over: rests and strikes
	extra [][]int32 // of each step with touches: the latest steps that touched the same
	// process says of each actor whether it may leave messages waiting.
	process []bool
	acc     []uint64 // scratch
	// messages says that what steps touch beside messages is left out.
	messages bool
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
	p.node, p.extra = grown(p.node, n), grown(p.extra, n)
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
	p.extra[j] = p.extra[j][:0]
	if len(p.t.Touches) > 0 && !p.messages {
		p.extra[j] = p.touched(p.extra[j], j)
		for _, i := range p.extra[j] {
			p.join(set, i)
		}
	}
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

// touched adds the latest steps before j that touched the same as j, each of
// what j touches.
func (p *past) touched(list []int32, j int32) []int32 {
	add := func(i int32) {
		if i >= 0 && !slices.Contains(list, i) {
			list = append(list, i)
		}
	}
	add(p.meddler(p.t.Steps[j].Actor, j))
	for _, x := range p.t.Touches {
		if x.Step != j {
			continue
		}
		if x.What == trace.ItsSteps {
			add(p.lastOf(x.Actor, j))
			add(p.meddler(x.Actor, j))
			continue
		}
		add(p.lastTouch(x, j))
	}
	return list
}

// meddler is the latest step before j of another actor that ended or
// restarted this one.
func (p *past) meddler(actor, j int32) int32 {
	return p.lastTouch(trace.Touch{Actor: actor, What: trace.ItsSteps}, j)
}

func (p *past) lastTouch(x trace.Touch, j int32) int32 {
	last := int32(-1)
	for _, y := range p.t.Touches {
		if y.Step < j && y.What == x.What && y.Actor == x.Actor && y.Ask == x.Ask {
			last = y.Step
		}
	}
	return last
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
