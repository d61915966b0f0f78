// Package flight records which run is in progress, so that the record survives the
// process. If a fatal error or os.Exit kills the process, the next process finds the
// record and replays the run in a process of its own.
//
// A record is a small file, mapped into memory and locked while a verb searches.
// Recording a run is one store. An unlocked record belongs to a process that has died.
// Nothing is recorded if the operating system has no such locks or maps, or no folder is
// writable.
//
// A Hold keeps other processes from writing to a file.
package flight
