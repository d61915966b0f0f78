// Package worker lets the command jostle search in processes of a user's test binary. It
// implements both ends of the connection.
//
// Start starts the binary with a pattern of tests. When a test calls a verb of package fuzz (such
// as fuzz.Check), the verb calls Serve, which offers the property to the command. If the command
// declines the offer, the test continues as if the property held. If the command takes the offer,
// a session answers requests until the command stops it. Therefore properties need no
// registration, and the test can prepare what they need.
//
// If the command closes its pipe, Serve ends the current run, and the tests finish, so that
// TestMain can clean up. If this takes too long, the command kills the process.
//
// If a property ends the process, Process.Do returns a *Death.
//
// # The protocol
//
// A worker has two pipes in addition to standard input and output, which belong to the program.
// One pipe carries values of type session.Request to the worker. The other pipe carries values of
// type Message from the worker. Each value is one line of JSON. The environment variable
// JOSTLE_WORKER contains the version of the command and the two pipes. The first message is a
// Hello with the version of the worker, which must be equal to the version of the command.
package worker
