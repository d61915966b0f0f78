package choice

// A Case is what reproduces a run: what was drawn, what the strategy decided,
// and what the run was told. Everything that searches, shrinks and keeps runs
// edits cases.
type Case struct {
	// Test is the property that the case is of.
	Test string
	// Strategy is the name of what made the decisions, and Seed what it was
	// given. Together they say where the decisions come from; the decisions
	// themselves are in Record.
	Strategy string
	Seed     uint64
	// Inputs are the draws, in their order.
	Inputs []Input
	// Record is the decisions. A run that asks for more than it holds is
	// answered in plain order.
	Record Record
	// Schedule is the decisions of a case that has no record: one that was
	// not run yet, but made of another by an engine or by hand.
	Schedule Schedule
	// Settings are what the run was told beside: how messages are delivered,
	// how many steps it may take, which faults it may have. They come from the
	// property, and are kept to tell when that has changed them.
	Settings []Setting
}

// A Setting is one thing that a run was told, in words.
type Setting struct{ Name, Value string }

// An Input is one draw. Its generator reads Words, one after another, and
// then numbers that follow from Seed.
type Input struct {
	Label string
	Seed  uint64
	Words []uint64
}

// Clone returns a copy that shares nothing with c.
func (c *Case) Clone() *Case {
	d := *c
	d.Record = *c.Record.Clone()
	d.Inputs = CloneInputs(c.Inputs)
	d.Schedule = *c.Schedule.Clone()
	d.Settings = append([]Setting(nil), c.Settings...)
	return &d
}

// Scheduled says whether the case's decisions are a schedule, not a record.
func (c *Case) Scheduled() bool {
	s := &c.Schedule
	return len(c.Record.Deliveries) == 0 && (s.Seed != 0 || len(s.Priorities)+len(s.Before)+len(s.Choices) > 0)
}

// CloneInputs returns a copy that shares nothing with the list.
func CloneInputs(list []Input) []Input {
	c := make([]Input, len(list))
	for i, in := range list {
		c[i] = Input{in.Label, in.Seed, append([]uint64(nil), in.Words...)}
	}
	return c
}
