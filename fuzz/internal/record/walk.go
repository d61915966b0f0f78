package record

// A Walk is a run to be looked at one step at a time: what is known of all of it, and some
// of its steps, one after another, with all that is known of these.
type Walk struct {
	Actors []string `json:"actors"` // the first is the test
	// Receivers has for each step of the run the actor that took it, or that a fault struck.
	Receivers []int  `json:"receivers"`
	Hash      uint64 `json:"hash"` // of the run: another run has another
	// Failed is the step in which the run failed, the number of all steps if it failed
	// after the last, and -1 if it did not fail. Failure is what was said.
	Failed  int      `json:"failed"`
	Failure string   `json:"failure"`
	Draws   []string `json:"draws"`
	Logs    []string `json:"logs"` // of no step
	// Moments are the steps from number First on, as many as are told of at once.
	First   int      `json:"first"`
	Moments []Moment `json:"moments"`
	// Waiting are the first messages that were not received, and More says how many
	// there are beside them.
	Waiting []Message `json:"waiting"`
	More    int       `json:"more"`
	// Unsteady says how two runs of the same decisions differ, "" when they do not. Then
	// the steps are those of one of them.
	Unsteady string `json:"unsteady"`
}

// A Moment is a step with what was before it and what came of it. Its After has what
// actors other than the receiver keep that the step has changed.
type Moment struct {
	Step
	Time string `json:"time,omitempty"` // on the system's clock, "" at its beginning
	// Before and Now are what the receiver keeps before the step and after it; empty when
	// that is not known.
	Before []Field `json:"before,omitempty"`
	Now    []Field `json:"now,omitempty"`
	// Others are the first messages that could have been received instead, and More says
	// how many there are beside them. Fixed reports that there was no choice: the step is
	// a fault, or of the start.
	Others []Message `json:"others,omitempty"`
	More   int       `json:"more,omitempty"`
	Fixed  bool      `json:"fixed,omitempty"`
	// Choices are the answers to questions in the step and since the one before, Faults
	// what was made to happen in it.
	Choices []string `json:"choices,omitempty"`
	Faults  []string `json:"faults,omitempty"`
}

// A Field is one thing that an actor keeps. What is no field of a struct has no name.
type Field struct {
	Name string `json:"name"`
	Text string `json:"text"`
}
