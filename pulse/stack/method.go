package stack

import (
	"iter"
	"reflect"
	"runtime"
	"strings"
)

// MethodOf returns the name of the method that a method value calls, without its type:
// "draining" of x.draining; "" of other functions.
func MethodOf(function any) string {
	method, _ := methodOf(runtime.FuncForPC(reflect.ValueOf(function).Pointer()))
	return method[strings.LastIndexByte(method, '.')+1:]
}

// methodOf returns the name that the runtime has for the method of a method value.
func methodOf(value *runtime.Func) (name string, ok bool) {
	if value == nil {
		return "", false
	}
	if name, ok = strings.CutSuffix(value.Name(), "-fm"); !ok {
		return "", false
	}
	return name, true
}

// BeginOfMethod returns where the method begins that a method value calls, such as
// x.draining; ok is false when the function is no method value, and when that cannot be
// known: of a method of an interface, and of one that nobody wrote.
//
// The compiler writes a function for a method value that has no line and does not say
// where the method is. So the functions of the program are looked through, those before it
// first, for one of that name; of a method that was only ever inlined there is none, and
// the first line of its statements stands in. It takes up to some milliseconds: whoever
// asks often keeps the answer.
func BeginOfMethod(function any) (f Frame, ok bool) {
	value := runtime.FuncForPC(reflect.ValueOf(function).Pointer())
	method, is := methodOf(value)
	if !is {
		return Frame{}, false
	}
	for entry := range others(value.Entry()) {
		if call := outermost(entry); call.Function == method && call.File != generated && call.File != "" {
			return FrameOf(call), true
		}
	}
	return inlined(value.Entry(), method)
}

// outermost returns the call of the function that begins at an entry, which may begin
// with code that was inlined.
func outermost(entry uintptr) runtime.Frame {
	frames := runtime.CallersFrames([]uintptr{entry + 1})
	call, more := frames.Next()
	for more {
		call, more = frames.Next()
	}
	return call
}

// most is more than the code of a program takes, in bytes.
const most = 1 << 30

// others goes through the entries of all functions of the program but one: those before
// its entry, the nearest first, then those after it, the last first. The runtime tells
// which function an address is in, and not where the next one begins.
func others(entry uintptr) iter.Seq[uintptr] {
	return func(yield func(uintptr) bool) {
		for fn := runtime.FuncForPC(entry - 1); fn != nil; fn = runtime.FuncForPC(fn.Entry() - 1) {
			if !yield(fn.Entry()) {
				return
			}
		}
		last := entry // an address in the last function
		for by := uintptr(most); by > 0; by /= 2 {
			if runtime.FuncForPC(last+by) != nil {
				last += by
			}
		}
		for fn := runtime.FuncForPC(last); fn.Entry() > entry; fn = runtime.FuncForPC(fn.Entry() - 1) {
			if !yield(fn.Entry()) {
				return
			}
		}
	}
}

// mostInlined is how far into a method value's function the code of its method is looked for.
const mostInlined = 4096

// inlined returns the first line of a method that was inlined into the function that
// begins at an entry.
func inlined(entry uintptr, method string) (f Frame, ok bool) {
	for pc := entry + 1; pc < entry+mostInlined && outermost(pc).Entry == entry; pc++ {
		call, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		if call.Function == method && call.File != generated && (!ok || call.Line < f.Line) {
			f, ok = FrameOf(call), true
		}
	}
	return f, ok
}
