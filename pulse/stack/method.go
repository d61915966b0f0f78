package stack

import (
	"iter"
	"reflect"
	"runtime"
	"strings"
)

// MethodOf returns the name of the method of a method value, without its type: "draining"
// for x.draining. It returns "" for other functions.
func MethodOf(function any) string {
	method, _ := methodOf(runtime.FuncForPC(reflect.ValueOf(function).Pointer()))
	return method[strings.LastIndexByte(method, '.')+1:]
}

// methodOf returns the runtime's name for the method of a method value.
func methodOf(value *runtime.Func) (name string, ok bool) {
	if value == nil {
		return "", false
	}
	if name, ok = strings.CutSuffix(value.Name(), "-fm"); !ok {
		return "", false
	}
	return name, true
}

// BeginOfMethod returns where the method of a method value, such as x.draining, begins.
// ok is false if the function is not a method value, or if its method is one of an
// interface or generated.
//
// The compiler generates a function for a method value, without a line or a reference to
// the method. So BeginOfMethod searches the functions of the program for that name, those
// before it first. For a method that was always inlined it finds none, and returns the
// first line of its statements. It takes up to some milliseconds: cache the result.
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

// outermost returns the call of the function with an entry. The function may begin with
// inlined code.
func outermost(entry uintptr) runtime.Frame {
	frames := runtime.CallersFrames([]uintptr{entry + 1})
	call, more := frames.Next()
	for more {
		call, more = frames.Next()
	}
	return call
}

// most is more than the size of any program's code, in bytes.
const most = 1 << 30

// others yields the entries of all functions of the program but one: those before its
// entry, the nearest first, then those after it, the last first. The runtime finds the
// function at an address, but not the next function.
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

// mostInlined limits how far inlined searches a method value's function.
const mostInlined = 4096

// inlined returns the first line of a method that was inlined into the function with an
// entry.
func inlined(entry uintptr, method string) (f Frame, ok bool) {
	for pc := entry + 1; pc < entry+mostInlined && outermost(pc).Entry == entry; pc++ {
		call, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		if call.Function == method && call.File != generated && (!ok || call.Line < f.Line) {
			f, ok = FrameOf(call), true
		}
	}
	return f, ok
}
