package trace

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits for the methods that Said calls.
const (
	saidWithin = 2 * time.Second // how long a method may run
	saidDepth  = 3               // how many may be nested
	saidAtOnce = 1000            // how many may run at the same time
)

// A saying is a method of a type.
type saying struct {
	of   reflect.Type
	name string
}

// late holds the methods that did not return in time, and speaking counts the
// running ones. A late method is not called again, since each call would leave
// a goroutine behind.
var (
	late     sync.Map // of saying
	speaking atomic.Int32
)

// These follow the name of a method that gave no result.
const (
	noReturn = " did not return within 2s"
	tooDeep  = " was not called: too deep"
)

// Said returns the result of a method of v with the given name.
//
// The method belongs to the program under test; it is called only for output.
// It runs on its own goroutine, so that neither a panic nor runtime.Goexit (as
// by FailNow) ends the caller. Said returns without a result if the method does
// not return in time. Methods may lead back to Said, as the String of an actor
// that holds its own context; Said calls them down to a fixed depth. In all
// these cases fault says what happened.
//
// A method that recurses without end, and without Said in between, overflows
// its stack, which ends the process: Go cannot bound the stack of one
// goroutine.
func Said(v any, name string, method func() string) (text, fault string) {
	key := saying{reflect.TypeOf(v), name}
	if _, is := late.Load(key); is {
		return "", name + noReturn
	}
	depth := sayings()
	if depth == saidDepth || speaking.Load() >= saidAtOnce {
		return "", name + tooDeep
	}
	speaking.Add(1)
	done := make(chan [2]string, 1) // buffered, so that a late method can end
	go levels[depth](name, method, done)
	timer := time.NewTimer(saidWithin)
	defer timer.Stop()
	select {
	case said := <-done:
		return said[0], said[1]
	case <-timer.C:
		late.Store(key, true)
		return "", name + noReturn
	}
}

// speak calls a method and sends its result and fault.
func speak(name string, method func() string, done chan<- [2]string) {
	text, fault := "", name+" called runtime.Goexit"
	defer func() {
		if recover() != nil {
			text, fault = "", name+" panicked"
		}
		speaking.Add(-1)
		done <- [2]string{text, fault}
	}()
	text = method()
	fault = ""
}

// levels are the functions that start the goroutines of methods, by nesting
// depth. So the bottom of a goroutine's stack shows its depth.
var levels = [saidDepth]func(string, func() string, chan<- [2]string){speak0, speak1, speak2}

//go:noinline
func speak0(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

//go:noinline
func speak1(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

//go:noinline
func speak2(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

// begins are the entry points of levels.
var begins = sync.OnceValue(func() (list []uintptr) {
	for _, f := range levels {
		list = append(list, reflect.ValueOf(f).Pointer())
	}
	return list
})

// Sizes of the stacks that sayings reads; most are short.
const (
	shortStack   = 64
	longestStack = 1 << 14
)

// sayings returns how many methods called by Said surround the caller. It
// misses methods that started the current goroutine. A stack that is too long
// to read counts as too deep.
func sayings() int {
	var short [shortStack]uintptr
	pcs := short[:runtime.Callers(2, short[:])]
	if len(pcs) == shortStack {
		long := make([]uintptr, longestStack)
		pcs = long[:runtime.Callers(2, long)]
	}
	if len(pcs) == longestStack {
		return saidDepth
	}
	const bottom = 4 // below are only a wrapper and functions of the runtime
	for _, pc := range pcs[max(0, len(pcs)-bottom):] {
		if f := runtime.FuncForPC(pc - 1); f != nil {
			if i := slices.Index(begins(), f.Entry()); i >= 0 {
				return i + 1
			}
		}
	}
	return 0
}
