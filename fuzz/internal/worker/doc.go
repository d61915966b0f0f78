// Package worker lets a command search in processes of a user's test binary. It implements
// both ends of the connection.
//
// The command starts the binary with a pattern of tests, by Start. When a test calls a verb of
// package fuzz, the verb calls Serve, which offers the property to the command. If the command
// declines, the test continues as if the property held. If it takes the property, a session
// answers requests until the command stops it. So properties need no registration, and run
// after the test has set up what they need.
//
// If the command closes its pipe, Serve ends the current run, and the tests finish, so that
// TestMain can clean up. The command kills a process that takes too long for that.
//
// If a property ends the process, Process.Do returns a *Death.
//
// # The protocol
//
// There are two pipes in addition to standard input and output, which belong to the program.
// Each carries JSON values, one a line: session.Request to the worker, Message from it. The
// environment variable JOSTLE_WORKER has the version of the command and the two pipes. The
// first message is a Hello with the version of the worker; the command requires its own.
package worker
