package worker

import (
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// Variable is the environment variable that makes a process a worker, which searches for the
// command jostle.
const Variable = "JOSTLE_WORKER"

// Version is the version of the protocol. Increase it when a message changes its meaning.
const Version = 5

// A Property is one call to a verb of package fuzz, such as fuzz.Check. A worker offers properties.
type Property struct {
	Test   string // the name of the test
	Verb   string // the name of the verb, or Existing
	Call   int    // the number of the call in the test, from 0
	Name   string // the name of the property in its saved cases
	Folder string // the folder of its saved cases
	Func   string // the name of the property's function
}

// Existing is the Property.Verb of a test that is no property, which jostle runs under control.
const Existing = "Test"

// A Message goes from a worker to the command jostle. Exactly one of its fields is set.
type Message struct {
	Hello *Hello    `json:",omitempty"`
	Offer *Property `json:",omitempty"`
	Beat  *Beat     `json:",omitempty"`
	session.Event
	Stall string         `json:",omitempty"` // says where a run makes no progress
	Done  *session.Reply `json:",omitempty"`
	Error string         `json:",omitempty"` // why the request was refused
}

// A Hello is the first message of a worker.
type Hello struct{ Version int }

// A Beat reports the memory and the processor time of a worker. It is sent ten times a second, and
// after each request.
type Beat struct {
	// Memory is the number of bytes that the process has from the operating system.
	Memory uint64
	// CPU is the processor time that the process has used, 0 if unknown.
	CPU time.Duration `json:",omitempty"`
	// Busy is set if the program runs or would run if it got a processor. It is not set if the
	// program waits.
	Busy bool `json:",omitempty"`
	// Collected is set if the beat answers a request of the kind collect.
	Collected bool `json:",omitempty"`
}

// Kinds of requests in addition to those of package session.
const (
	pass session.Kind = "pass" // decline an offer
	take session.Kind = "take" // take an offer
	stop session.Kind = "stop" // end the current request and let the test continue
)

// Kinds of requests that may be sent while another request is carried out. They have no reply.
const (
	enough  session.Kind = "enough"  // end session.Run after the current run
	collect session.Kind = "collect" // collect garbage, and send a Beat
	pause   session.Kind = "pause"   // begin no further run of session.Run until resume
	resume  session.Kind = "resume"  // end pause
)
