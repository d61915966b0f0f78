package trace

// Preemptions returns the number of steps that preempt an actor: the actor of the step before
// could have continued: see pulse.Host.Continue. Interruptible is set if the run has actors
// that can be preempted, such as goroutines.
func (t *Trace) Preemptions() (n int, interruptible bool) {
	for i := range t.Sends {
		if d := &t.Sends[i]; d.Seq < 0 {
			interruptible = true
			if t.preempting(d) != None {
				n++
			}
		}
	}
	return n, interruptible
}

// preempting returns the step of another actor that came although message d was to come next. It
// returns None if there is no such step.
func (t *Trace) preempting(d *Send) int32 {
	if next := d.Step + 1; d.Seq < 0 && int(next) < len(t.Steps) && t.Steps[next].Actor != d.To {
		return next
	}
	return None
}

// continues reports whether message i has continued its actor without another step between.
func (t *Trace) continues(i int32) bool {
	return i != None && t.Sends[i].Seq < 0 && t.Sends[i].Receipt == t.Sends[i].Step+1
}

// preempted returns for each step the actor that it preempts, or None.
func (t *Trace) preempted() []int32 {
	list := make([]int32, len(t.Steps))
	for i := range list {
		list[i] = None
	}
	for i := range t.Sends {
		if step := t.preempting(&t.Sends[i]); step != None {
			list[step] = t.Sends[i].To
		}
	}
	return list
}
