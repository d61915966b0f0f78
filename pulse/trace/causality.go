package trace

import "slices"

// A Causality answers HappensBefore and Swappable in constant time. It stores a
// vector clock for each step, so its memory is proportional to the number of
// steps times the number of actors with steps. Use it to ask many questions about
// one trace.
type Causality struct {
	trace *Trace
	// rests[i] is the number of quiescent points before step i.
	rests []int32
	// A chain consists of the steps of one actor, linked by Step.Prev. chain[i] is the index
	// of the chain of step i. place[i] is the position of step i in the chain, from 1.
	chain, place []int32
	chains       int
	// clocks[i*chains+c] is the number of steps of chain c that happen before step i, plus 1
	// if step i is in chain c. Quiescent points are ignored, because rests counts them.
	clocks []int32
}

// NewCausality computes the vector clocks of t, which must not change afterwards.
func NewCausality(t *Trace) *Causality {
	c := &Causality{}
	c.Reset(t)
	return c
}

// Reset computes the vector clocks of t and reuses the memory of c.
func (c *Causality) Reset(t *Trace) {
	c.trace = t
	c.countRests()
	c.findChains()
	c.fillClocks()
}

// Before reports the same as Trace.HappensBefore, in constant time.
func (c *Causality) Before(a, b int) bool {
	if a < 0 || a >= b {
		return false
	}
	return c.rests[a] != c.rests[b] || c.clocks[b*c.chains+int(c.chain[a])] >= c.place[a]
}

// Swappable reports the same as Trace.Swappable, in constant time.
func (c *Causality) Swappable(a, b int) bool {
	if !c.trace.contend(a, b) {
		return false
	}
	sent := int(c.trace.cause(b))
	return sent != a && !c.Before(a, sent)
}

func (c *Causality) countRests() {
	c.rests = c.rests[:0]
	passed := 0
	for i := range c.trace.Steps {
		for passed < len(c.trace.Rests) && int(c.trace.Rests[passed]) <= i {
			passed++
		}
		c.rests = append(c.rests, int32(passed))
	}
}

func (c *Causality) findChains() {
	c.chain, c.place, c.chains = c.chain[:0], c.place[:0], 0
	for _, step := range c.trace.Steps {
		if step.Prev == None {
			c.chain = append(c.chain, int32(c.chains))
			c.place = append(c.place, 1)
			c.chains++
			continue
		}
		c.chain = append(c.chain, c.chain[step.Prev])
		c.place = append(c.place, c.place[step.Prev]+1)
	}
}

// fillClocks computes the vector clocks. The clock of a step joins the clocks of
// its two predecessors and counts the step itself.
func (c *Causality) fillClocks() {
	cells := len(c.trace.Steps) * c.chains
	c.clocks = slices.Grow(c.clocks[:0], cells)[:cells]
	clear(c.clocks)
	for i, step := range c.trace.Steps {
		clock := c.clock(i)
		if step.Prev != None {
			copy(clock, c.clock(int(step.Prev)))
		}
		if cause := c.trace.cause(i); cause != None {
			join(clock, c.clock(int(cause)))
		}
		clock[c.chain[i]] = c.place[i]
	}
}

func (c *Causality) clock(step int) []int32 {
	return c.clocks[step*c.chains : (step+1)*c.chains]
}

// join raises each element of clock to the same element of other if that is greater.
func join(clock, other []int32) {
	for i, n := range other {
		clock[i] = max(clock[i], n)
	}
}
