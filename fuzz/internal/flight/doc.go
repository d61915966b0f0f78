// Package flight records which run is in progress, in a file that survives the process.
// If a fatal error or os.Exit ends the process, the next process finds the record and
// replays the run in a separate process.
//
// A record is a small file, which is mapped into memory and locked while a verb (such as
// fuzz.Check) searches. Recording a run takes one store to memory. An unlocked record
// belongs to a process that has died. Nothing is recorded if the operating system does
// not support such locks and mappings, or if no folder is writable.
//
// A Hold reserves a file for one process.
package flight
