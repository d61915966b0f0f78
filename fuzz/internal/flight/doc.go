// Package flight remembers beyond the end of a process which run was on: what
// takes the process with it, such as a fatal error or os.Exit, is found out about
// by the next process, which makes the run again in a process of its own.
//
// A record is a small file, mapped into memory, that a process holds locked while
// a verb searches. To note a run is one store. A record that nobody holds is that
// of a process that has died. Where the operating system has no such locks or
// maps, and where no folder can be written, nothing is recorded.
//
// A Hold keeps other processes from a file in which only one can note how far it is.
package flight
