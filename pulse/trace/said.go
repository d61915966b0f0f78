package trace

import (
	"reflect"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Bounds of the methods that Said calls.
const (
	saidWithin = 2 * time.Second // how long a method may run
	saidDepth  = 3               // how many may run inside each other
	saidAtOnce = 1000            // how many may run at the same time
)

// A saying is a method of a type.
type saying struct {
	of   reflect.Type
	name string
}

// Methods that did not return in time, and how many methods run now. A late method
// is not called again: each call would leave one more goroutine behind.
var (
	late     sync.Map // of saying
	speaking atomic.Int32
)

// What Said says of a method instead of its text.
const (
	noReturn = " did not return within 2s"
	tooDeep  = " was not called: too deep"
)

// Said returns the result of a method of v, which has the given name. The method belongs
// to the program under test and is called only so that people can read its result. It
// runs on its own goroutine, so neither a panic nor runtime.Goexit, which
// FailNow calls, ends the caller. If it does not return in time, Said returns without it.
// If it leads back to Said, as the String of an actor that holds its own context may,
// methods are called down to a fixed depth. In all these cases fault says what happened.
//
// A method that calls itself without end and without Said in between overflows its stack, which
// ends the process: Go has no way to bound the stack of one goroutine.
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
	done := make(chan [2]string, 1) // its capacity lets a late method end
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

// speak calls a method and sends its text and what went wrong.
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

// levels are the functions that begin the goroutines of methods, by how many methods are
// around them. The beginning of its stack thus shows how deep a goroutine is.
var levels = [saidDepth]func(string, func() string, chan<- [2]string){speak0, speak1, speak2}

//go:noinline
func speak0(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

//go:noinline
func speak1(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

//go:noinline
func speak2(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

// begins are the entries of levels.
var begins = sync.OnceValue(func() (list []uintptr) {
	for _, f := range levels {
		list = append(list, reflect.ValueOf(f).Pointer())
	}
	return list
})

// Sizes of the stacks that sayings reads: most are short.
const (
	shortStack   = 64
	longestStack = 1 << 14
)

// sayings returns how many methods called by Said are around the caller. A goroutine that
// a method starts is not seen to belong to it, and a stack that is too long to read
// counts as too deep.
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
	const bottom = 4 // a wrapper and the runtime's own functions are below
	for _, pc := range pcs[max(0, len(pcs)-bottom):] {
		if f := runtime.FuncForPC(pc - 1); f != nil {
			if i := slices.Index(begins(), f.Entry()); i >= 0 {
				return i + 1
			}
		}
	}
	return 0
}
