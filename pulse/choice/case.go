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
}

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
	return &d
}

// CloneInputs returns a copy that shares nothing with the list.
func CloneInputs(list []Input) []Input {
	c := make([]Input, len(list))
	for i, in := range list {
		c[i] = Input{in.Label, in.Seed, append([]uint64(nil), in.Words...)}
	}
	return c
}
