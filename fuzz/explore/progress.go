package explore

// Progress is how far a search is.
type Progress struct{ Runs int }

func (x *explorer) report() {}

func (x *explorer) divergence() string { return x.walker.differs }
