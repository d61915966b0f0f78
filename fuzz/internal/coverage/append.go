package coverage

// Append adds what another Orders knows as the next runs of o's own source: runs that o
// does not know, with names of their own. So a search of many parts has one count of runs
// and one curve. When the memory for rows is used up it counts the runs, and learns no more
// of what they have shown.
func (o *Orders) Append(from *Orders) {
	if o == from || from == nil {
		return
	}
	o.whole = false
	full := o.full()
	if !full {
		o.AddSeen(from)
	}
	own := o.past.of(o.Source)
	o.own, o.ownID = own, o.Source
	before := own.runs
	for _, s := range from.past.sources {
		own.runs += s.runs
		own.unguided += s.unguided
		own.folded += s.folded
		if own.lost += s.lost; full {
			own.lost += s.unguided - s.lost // each may have shown something
		}
	}
	if own.runs > before {
		own.mark(o.seen)
	}
}
