package explore

import "time"

// A clock asks for the time only as often as it must: to do so costs a good
// part of a small run.
type clock struct {
	wait, every int
	last        time.Time
}

const lookEvery = 20 * time.Millisecond

// tick says whether the time is to be looked at after this run.
func (c *clock) tick() bool {
	if c.wait--; c.wait > 0 {
		return false
	}
	now := time.Now()
	switch took := now.Sub(c.last); {
	case took < lookEvery/4:
		c.every = min(2*c.every+1, 1<<16)
	case took > lookEvery:
		c.every /= 2
	}
	c.wait, c.last = c.every, now
	return true
}

// bound says whether the search must end before the tree is done.
func (x *explorer) bound() bool {
	o, v := &x.options, &x.verdict
	runs, took := x.file.before()
	if o.Runs > 0 && x.made() >= runs+o.Runs {
		v.Bound = "runs"
		return true
	}
	if x.team != nil && x.team.first.Load() < int64(x.subtree)-1 {
		return true
	}
	if !x.clock.tick() {
		return false
	}
	if o.Progress != nil {
		x.report()
	}
	x.file.tick(x)
	if o.Time > 0 && x.clock.last.Sub(x.began) >= took+o.Time {
		v.Bound = "time"
		return true
	}
	select {
	case <-o.Stop:
		v.Bound = "stop"
		return true
	default:
		return false
	}
}

// made is how many runs were made, by all workers.
func (x *explorer) made() int {
	if x.team != nil {
		return int(x.team.runs.Add(1))
	}
	return x.verdict.Runs + x.verdict.Wasted + x.verdict.Cut
}

// levels searches once, or once for each bound on delays or preemptions.
func (x *explorer) levels() {
	v := &x.verdict
	if !x.options.bounded() {
		done := x.all()
		v.Complete = done && !x.walker.cut && v.Bound == ""
		if done && x.walker.cut {
			v.Bound = "depth"
		}
		return
	}
	most, name := x.options.Delays, "delays"
	if x.options.Preemptions != 0 {
		most, name = x.options.Preemptions, "preemptions"
	}
	for level := int32(0); level <= int32(max(most, 0)); level++ {
		x.walker.stack = stack{}
		x.walker.budget, x.walker.cut, x.from = level, false, 0
		failed := len(v.Failures)
		v.Runs, v.Steps = 0, 0
		done := x.all()
		v.Levels = append(v.Levels, Level{Bound: int(level), Runs: v.Runs, Failed: len(v.Failures) - failed, Complete: done && !x.walker.cut})
		if !done {
			return
		}
		if !x.walker.cut {
			v.Complete = true
			return
		}
	}
	v.Bound = name
}

// all goes through the tree, with as many workers as there are; again with
// another reduction when the program turns out to be beyond the one.
func (x *explorer) all() bool {
	if x.options.Reduction == Optimal && x.options.Depth > 0 {
		x.restart(SourceSets) // it learns from whole runs
	}
	for {
		finished := x.once()
		if x.instead == x.options.Reduction {
			return finished
		}
		x.restart(x.instead)
	}
}

func (x *explorer) once() bool {
	switch {
	case x.options.Workers > 1:
		return x.share()
	case x.options.Reduction == Optimal:
		return x.optimal()
	case x.options.RandomBranch:
		return x.branches()
	}
	return x.search()
}

// restart begins again with another reduction. Sleep sets heed all that steps
// have to do with each other, so that Everything has them where the reduction had.
func (x *explorer) restart(r Reduction) {
	o := x.options
	o.Sleep, o.Reduction = o.sleeps(), r
	x.file.afresh(x.walker.keep)
	try := x.try + 1
	x.begin(x.program, o, x.began)
	x.try = try
}

// spend takes up the candidates of a new node that the bound allows.
func (w *walker) spend(n *node, list []cand) {
	n.left = w.budget
	if n.pick >= 0 {
		p := &w.nodes[n.pick]
		n.left = p.left - w.cost(p, int(p.cur))
	}
	n.open = true
	for i := range list {
		if w.cost(n, i) > n.left {
			w.cut = true
			continue
		}
		list[i].mark |= todo
	}
}

// cost is what it takes of the bound to pick a candidate: with delays, how
// many before it are passed over; with preemptions, one for leaving an actor
// that could go on. A process that waits for what is not there has nothing
// to be delivered and costs nothing to leave: to wait takes no step here,
// which is what Concuerror's blocking avoidance is for (section VI-A).
func (w *walker) cost(n *node, i int) int32 {
	if w.options.Delays != 0 {
		return int32(i)
	}
	list := w.of(n)
	if n.running >= 0 && list[i].actor != n.running && list[0].actor == n.running {
		return 1
	}
	return 0
}
