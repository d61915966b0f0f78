package worker

import (
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// Variable is the environment variable that makes a process a worker.
const Variable = "JOSTLE_WORKER"

// Version is the version of the protocol. Raise it when a message changes its meaning.
const Version = 4

// A Property is what a worker offers: one call of a verb.
type Property struct {
	// Test is the name of the test, Verb that of the verb, and Call the number of the call
	// in the test, from 0.
	Test, Verb string
	Call       int
	// Name is the name under which cases are saved, Folder their folder.
	Name, Folder string
	// Func is the name of the property's function.
	Func string
}

// A Message is one from a worker. One of its fields is set.
type Message struct {
	Hello *Hello    `json:",omitempty"`
	Offer *Property `json:",omitempty"`
	Beat  *Beat     `json:",omitempty"`
	session.Event
	Stall string         `json:",omitempty"` // a run makes no progress: where
	Done  *session.Reply `json:",omitempty"`
	Error string         `json:",omitempty"` // why nothing was done
}

// A Hello is the first message.
type Hello struct{ Version int }

// A Beat is sent ten times a second, and after each request.
type Beat struct {
	// Memory is the bytes that the process has from the operating system, CPU the processor time
	// that it has used, 0 if unknown.
	Memory uint64
	CPU    time.Duration `json:",omitempty"`
	// Collected reports that garbage was just collected because of a request collect.
	Collected bool `json:",omitempty"`
}

// Requests in addition to those of a session.
const (
	pass session.Kind = "pass" // an offer is declined
	take session.Kind = "take" // an offer is taken
	stop session.Kind = "stop" // let the test go on
)

// Requests while another is being carried out, without a reply.
const (
	enough  session.Kind = "enough"  // end Run after the current run
	collect session.Kind = "collect" // collect garbage, and answer with a Beat
	pause   session.Kind = "pause"   // begin no further run of Run until resume
	resume  session.Kind = "resume"
)
