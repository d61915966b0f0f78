package etcdraft

import "fmt"

// quiet is a raft.Logger that logs nothing. On a fatal error it panics and does not
// end the process.
type quiet struct{}

func (quiet) Debug(...any)            {}
func (quiet) Debugf(string, ...any)   {}
func (quiet) Error(...any)            {}
func (quiet) Errorf(string, ...any)   {}
func (quiet) Info(...any)             {}
func (quiet) Infof(string, ...any)    {}
func (quiet) Warning(...any)          {}
func (quiet) Warningf(string, ...any) {}

func (quiet) Fatal(v ...any)                 { panic("raft: " + fmt.Sprint(v...)) }
func (quiet) Fatalf(format string, v ...any) { panic("raft: " + fmt.Sprintf(format, v...)) }
func (quiet) Panic(v ...any)                 { panic("raft: " + fmt.Sprint(v...)) }
func (quiet) Panicf(format string, v ...any) { panic("raft: " + fmt.Sprintf(format, v...)) }
