package record

// A Walk describes a run for inspection step by step. It has an overview of the whole run, and
// some consecutive steps in detail.
type Walk struct {
	Actors []string `json:"actors"` // the names of actors; the first is the test
	// Receivers has, for each step of the run, the actor that received a message or was
	// affected by a fault.
	Receivers []int  `json:"receivers"`
	Hash      uint64 `json:"hash"` // identifies the run
	// Failed is the step in which the run failed, or the number of steps if it failed after
	// the last step. It is -1 if the run did not fail.
	Failed int `json:"failed"`
	// Failure is the message of the failure.
	Failure string   `json:"failure"`
	Draws   []string `json:"draws"`
	Logs    []string `json:"logs"` // lines logged outside of steps
	// First is the number of the first step in Moments.
	First int `json:"first"`
	// Moments describes some consecutive steps in detail.
	Moments []Moment `json:"moments"`
	// Waiting lists messages that were not received.
	Waiting []Message `json:"waiting"`
	// More is the number of further messages that were not received.
	More int `json:"more"`
	// Unsteady describes the first difference between two runs with the same decisions, "" if
	// there is none. If there is one, the steps are those of one of the two runs.
	Unsteady string `json:"unsteady"`
}

// A Moment is a step with the receiver's state before and after the step. Step.After has the
// changed states of other actors.
type Moment struct {
	Step
	Time string `json:"time,omitempty"` // the virtual time, "" at the start of the clock
	// Before is the receiver's state before the step, empty if unknown.
	Before []Field `json:"before,omitempty"`
	// Now is the receiver's state after the step, empty if unknown.
	Now []Field `json:"now,omitempty"`
	// Others lists messages that could have been received in place of the message of this step.
	Others []Message `json:"others,omitempty"`
	// More is the number of further messages that could have been received and are not in
	// Others.
	More int `json:"more,omitempty"`
	// Fixed is set if the strategy did not choose the step: it is a fault or part of start-up.
	Fixed bool `json:"fixed,omitempty"`
	// Choices describes the answers to questions since the previous step.
	Choices []string `json:"choices,omitempty"`
	// Faults describes the faults in the step.
	Faults []string `json:"faults,omitempty"`
}

// A Field is a part of an actor's state. It has no name if the state is not a struct.
type Field struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Endings counts how random continuations of a run ended.
type Endings struct {
	// Step is the first step that the continuations chose at random.
	Step int `json:"step"`
	// Of is the number of continuations that passed or failed, and Failed the number of those that failed.
	Of     int `json:"of"`
	Failed int `json:"failed"`
	// Lost is the number of further continuations, which neither passed nor failed: the property skipped
	// them, or they could not repeat the steps before Step.
	Lost int `json:"lost"`
	// Failures has the different failures, the most frequent first.
	Failures []Ending `json:"failures"`
}

// An Ending is a failure, with the number of continuations that ended with it.
type Ending struct {
	Signature string `json:"signature"`
	Text      string `json:"text"`
	Runs      int    `json:"runs"`
}

// Fail counts a continuation that failed.
func (e *Endings) Fail(signature, text string) {
	e.Of++
	e.Failed++
	for i := range e.Failures {
		if e.Failures[i].Signature == signature {
			e.Failures[i].Runs++
			return
		}
	}
	e.Failures = append(e.Failures, Ending{signature, text, 1})
}
