package goroutine

import (
	"runtime/metrics"
	"sync"
	"unsafe"
)

// A control is the runtime's handle of one run. A thread is its handle of one
// goroutine.
type (
	control unsafe.Pointer
	thread  unsafe.Pointer
)

// A door holds the functions of the changed runtime. The runtime has the same
// declaration, in overlay/std/control.go.txt.
type door struct {
	version int
	start   func(seed uint64, faults int, test bool) control
	drive   func(control)
	spawn   func(c control, f func())
	next    func(control) thread
	resume  func(c control, g thread, others bool, answer uint64) (why reason, n uint64)
	times   func(control) (now, next int64)
	due     func(c control, now int64) int
	advance func(c control, now int64, which int) (more bool)
	look    func(thread, *state)
	stack   func(g thread, pcs []uintptr) (n int, full bool)
	touched func(c control, i int) (what operation, object unsafe.Pointer, n int)
	thrown  func(control) any
	outside func(control) string
	locks   func(c control, i int) *locked
	awaited func(g thread, i int) (object, made uintptr)
	random  func(control) bool
	others  func(own string) bool // reports whether goroutines from outside of all runs exist, other than those of packages whose names begin with own
	tries   *bool                 // set if the program may call TryLock, so that unlocking is an operation
}

// doorVersion is the version of the declarations shared with the runtime.
const doorVersion = 12

// A reason says why a goroutine has returned control to jostle.
type reason uint8

const (
	blocked  reason = iota // the goroutine waits
	exited                 // the goroutine has ended
	yielded                // the goroutine is about to begin an operation
	chooses                // the goroutine asks the strategy for a number
	panicked               // the goroutine has panicked
	quit                   // the goroutine has called os.Exit
)

// An operation is a kind of action before which another goroutine may run, for
// example a send on a channel.
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
	opAll // anything: the step conflicts with all other steps
	opNetwork
	opGo
)

// A locked says where a goroutine has locked a mutex, or begun to.
type locked struct {
	object  uintptr
	id      uint64 // the number of the goroutine
	reads   bool   // set for RLock
	callers [depth]uintptr
}

// A state describes a goroutine that is not running.
type state struct {
	id      uint64
	start   uintptr // the first instruction of the function that the goroutine runs
	op      operation
	locks   bool           // set if the goroutine waits for a mutex
	waits   string         // what the goroutine waits for, or ""
	callers [depth]uintptr // the innermost callers of the goroutine's last operation; unused elements are zero
}

// These constants equal jostleDepth and jostleTouches in the changed runtime.
const (
	depth   = 8
	touches = 32
)

// open returns the functions of the changed runtime, or nil if the program was
// built without the overlay. The changed runtime publishes their address as a
// runtime metric, which an ordinary runtime does not have.
var open = sync.OnceValue(func() *door {
	sample := []metrics.Sample{{Name: "/jostle/control:address"}}
	metrics.Read(sample)
	if sample[0].Value.Kind() != metrics.KindUint64 {
		return nil
	}
	address := sample[0].Value.Uint64()
	return *(**door)(unsafe.Pointer(&address))
})
