package goroutine

import (
	"runtime/metrics"
	"unsafe"
)

// A control is the runtime's handle of one run. A thread is its handle of one
// goroutine.
type (
	control unsafe.Pointer
	thread  unsafe.Pointer
)

// A door holds the functions of the changed runtime. The runtime has the same
// declaration, in overlay/go1.26/control.go.txt.
type door struct {
	version int
	start   func(seed uint64, faults int) control
	drive   func(control)
	spawn   func(c control, f func())
	next    func(control) (g thread, id uint64)
	resume  func(c control, g thread, others bool, answer uint64) (why reason, n uint64)
	times   func(control) (now, next int64)
	advance func(c control, now int64)
	look    func(thread, *state)
	stack   func(g thread, pcs []uintptr) int
	touched func(c control, i int) (what operation, object uintptr, n int)
	thrown  func(control) any
	outside func(control) string
}

// doorVersion is the version of the declarations shared with the runtime.
const doorVersion = 3

// A reason says why a goroutine has given the control back.
type reason uint8

const (
	blocked  reason = iota // it waits
	exited                 // it has ended
	yielded                // it is about to begin an operation
	chooses                // it wants a number
	panicked               // it has panicked
)

// An operation is what a goroutine does at a point where others may run first.
type operation uint8

const (
	opNone operation = iota
	opSend
	opReceive
	opClose
	opSelect
	opGosched
	opSync
	opMake
	opNetwork
)

// A state describes a goroutine that is not running.
type state struct {
	id      uint64
	parent  uint64
	start   uintptr // first instruction of its function
	created uintptr // the go statement
	op      operation
	object  uintptr
	waits   string         // what it waits for, or ""
	nested  bool           // set if it is in a bubble of synctest
	callers [depth]uintptr // the innermost callers of its last operation, then zeros
}

// depth is jostleDepth, and touches jostleTouches, of the runtime.
const (
	depth   = 8
	touches = 32
)

// open returns the functions of the changed runtime, or nil if the program was
// built without the overlay. In an ordinary build the name of the metric is
// unknown.
func open() *door {
	sample := []metrics.Sample{{Name: "/jostle/control:address"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return nil
	}
	address := sample[0].Value.Uint64()
	return *(**door)(unsafe.Pointer(&address))
}
