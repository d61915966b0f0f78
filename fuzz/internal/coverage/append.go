package coverage

// Append adds the runs of other to o under new run IDs, as if Add had added them to o.
// Therefore a search in several parts has one count of runs and one curve. If the memory
// for rows is used up, Append counts the runs but adds no new orders.
func (o *Orders) Append(other *Orders) {
	if o == other || other == nil {
		return
	}
	o.whole = false
	full := o.full()
	if !full {
		o.AddSeen(other)
	}
	own := o.past.of(o.Source)
	o.own, o.ownID = own, o.Source
	before := own.runs
	for _, s := range other.past.sources {
		own.runs += s.runs
		own.unguided += s.unguided
		own.folded += s.folded
		if own.lost += s.lost; full {
			own.lost += s.unguided - s.lost // any of these runs may have had a new order
		}
	}
	if own.runs > before {
		own.mark(o.seen)
	}
}
