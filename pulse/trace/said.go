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
	saidWithin = 2 * time.Second // maximum run time of a method
	saidDepth  = 3               // maximum number of nested calls to Said
	saidAtOnce = 1000            // maximum number of methods that run at the same time
)

// A saying identifies a method by the type and the method's name.
type saying struct {
	of   reflect.Type
	name string
}

// late is the set of methods that did not return in time. They are not called
// again, because each call would leak a goroutine. speaking counts the running
// methods.
var (
	late     sync.Map // the keys are of type saying
	speaking atomic.Int32
)

// noReturn and tooDeep say why a method gave no result. They follow the method's
// name.
const (
	noReturn = " did not return within 2s"
	tooDeep  = " was not called: too deep"
)

// Said calls method, the method of v with the given name, and returns its result.
//
// v and its method belong to the program under test. The method runs on a
// separate goroutine, so that neither a panic nor runtime.Goexit ends the caller.
// A method may call Said again, for example the String method of an actor that
// contains its own context. If the method panics, calls Goexit, does not return
// in time or is nested too deeply, text is empty and fault says why.
//
// A method that recurses without end, and without calling Said, overflows its
// stack and ends the process. Go cannot limit the stack of a single goroutine.
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
	done := make(chan [2]string, 1) // buffered, so that a late method's goroutine can end
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

// speak calls a String or Error method and sends its result and fault to done.
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

// levels[depth] runs a method at that nesting depth. It is at the bottom of the
// method's stack, so sayings can read the depth from the stack.
var levels = [saidDepth]func(string, func() string, chan<- [2]string){speak0, speak1, speak2}

//go:noinline
func speak0(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

//go:noinline
func speak1(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

//go:noinline
func speak2(name string, method func() string, done chan<- [2]string) { speak(name, method, done) }

// begins returns the entry addresses of the functions in levels.
var begins = sync.OnceValue(func() (list []uintptr) {
	for _, f := range levels {
		list = append(list, reflect.ValueOf(f).Pointer())
	}
	return list
})

// Sizes of the buffers with which sayings reads the stack. Most stacks are short.
const (
	shortStack   = 64
	longestStack = 1 << 14
)

// sayings returns the number of nested calls to Said in which the caller runs. If
// a method has started the current goroutine, the calls around that method do not
// count. If the stack is too long to read, sayings returns saidDepth.
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
	const bottom = 4 // the function of levels is among the last 4 frames: below it are a wrapper and frames of the runtime
	for _, pc := range pcs[max(0, len(pcs)-bottom):] {
		if f := runtime.FuncForPC(pc - 1); f != nil {
			if i := slices.Index(begins(), f.Entry()); i >= 0 {
				return i + 1
			}
		}
	}
	return 0
}
