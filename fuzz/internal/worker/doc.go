// Package worker lets a command search in processes of a user's test binary: it has
// both ends of what they say to each other.
//
// The command starts the binary with a pattern of tests, by Start. When a test calls a
// verb of package fuzz, that calls Serve, which offers the property to the command. The
// command declines, and the test goes on as if the property held, or it takes the
// property, and a session does what it asks until it says that there is no more. So nothing
// needs to be registered, and what a test has set up is there when its property runs.
//
// A command that closes its pipe has no more to ask for: Serve ends the run that is on, and
// the tests come to their end, so that TestMain cleans up. The command kills a process that
// takes too long for that.
//
// A process may die of its property: Process.Do then returns an error that is a *Death,
// with what is known of it.
//
// # What goes over the pipes
//
// There are two pipes besides standard input and output, which belong to the program.
// On each are JSON values, one a line: of type session.Request to the worker, and of type
// Message from it. The environment variable JOSTLE_WORKER has the version of the
// command and the two pipes. The first message is a hello with the version of the
// worker; the command goes no further with another than its own.
package worker
