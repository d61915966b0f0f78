package worker

import (
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// Variable is the environment variable that makes a process a worker.
const Variable = "JOSTLE_WORKER"

// Version is that of the protocol. Whoever changes the meaning of a message raises it.
const Version = 4

// A Property is what a worker offers: one call of a verb.
type Property struct {
	// Test is the name of the test, Verb that of the verb, and Call the number of the
	// call among those of the test, from 0.
	Test, Verb string
	Call       int
	// Name is the name under which cases are kept, Folder the folder for them.
	Name, Folder string
	// Func is the name of the property's function.
	Func string
}

// A Message is what a worker says. One of its fields is set.
type Message struct {
	Hello *Hello    `json:",omitempty"`
	Offer *Property `json:",omitempty"`
	Beat  *Beat     `json:",omitempty"`
	session.Event
	Stall string         `json:",omitempty"` // a run stands still: where
	Done  *session.Reply `json:",omitempty"`
	Error string         `json:",omitempty"` // why nothing was done
}

// A Hello is the first message.
type Hello struct{ Version int }

// A Beat says ten times a second, and when a request is done, that the process lives.
type Beat struct {
	// Memory is how many bytes the process has from the operating system, and CPU how much
	// processor time it has used, 0 if that is not known.
	Memory uint64
	CPU    time.Duration `json:",omitempty"`
	// Collected reports that the garbage was collected just before, as Collect asks.
	Collected bool `json:",omitempty"`
}

// What a command may ask for besides what a session does.
const (
	pass session.Kind = "pass" // an offer is declined
	take session.Kind = "take" // an offer is taken
	stop session.Kind = "stop" // let the test go on
)

// What a command may ask for while something else is being done. There is no reply.
const (
	enough  session.Kind = "enough"  // Run is to end after the run that is on
	collect session.Kind = "collect" // collect garbage, and say so by a Beat
	pause   session.Kind = "pause"   // Run is to begin no further run until resume
	resume  session.Kind = "resume"
)
