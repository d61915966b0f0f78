package record

// A Walk is a run to inspect step by step: an overview of the whole run, and some consecutive
// steps in detail.
type Walk struct {
	Actors []string `json:"actors"` // the first is the test
	// Receivers has, for each step of the run, the actor that received or was struck by a fault.
	Receivers []int  `json:"receivers"`
	Hash      uint64 `json:"hash"` // identifies the run
	// Failed is the step in which the run failed, the number of steps if it failed after the
	// last, -1 if it did not fail. Failure is the message.
	Failed  int      `json:"failed"`
	Failure string   `json:"failure"`
	Draws   []string `json:"draws"`
	Logs    []string `json:"logs"` // outside of steps
	// Moments are the steps in detail, from number First on.
	First   int      `json:"first"`
	Moments []Moment `json:"moments"`
	// Waiting are the first messages that were not received, More the number of further ones.
	Waiting []Message `json:"waiting"`
	More    int       `json:"more"`
	// Unsteady says how two runs with the same decisions differ, "" if they do not. If they
	// differ, the steps are those of one of them.
	Unsteady string `json:"unsteady"`
}

// A Moment is a step with the state before and after it. Its After has the changed states of
// actors other than the receiver.
type Moment struct {
	Step
	Time string `json:"time,omitempty"` // on the system's clock, "" at its beginning
	// Before and Now are the receiver's state before and after the step, empty if unknown.
	Before []Field `json:"before,omitempty"`
	Now    []Field `json:"now,omitempty"`
	// Others are the first messages that could have been received instead, More the number of
	// further ones. Fixed reports that there was no choice: a fault, or a step of the start.
	Others []Message `json:"others,omitempty"`
	More   int       `json:"more,omitempty"`
	Fixed  bool      `json:"fixed,omitempty"`
	// Choices are the answers to questions since the step before, Faults the faults in the step.
	Choices []string `json:"choices,omitempty"`
	Faults  []string `json:"faults,omitempty"`
}

// A Field is a part of an actor's state. It has no name if the state is not a struct.
type Field struct {
	Name string `json:"name"`
	Text string `json:"text"`
}
