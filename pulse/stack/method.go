package stack

import (
	"iter"
	"reflect"
	"runtime"
	"strings"
)

// MethodOf returns the name of the method of a method value. For example, it returns
// "draining" for x.draining. It returns "" if function is not a method value.
func MethodOf(function any) string {
	method, _ := methodOf(runtime.FuncForPC(reflect.ValueOf(function).Pointer()))
	return method[strings.LastIndexByte(method, '.')+1:]
}

// methodOf returns the runtime's name of the method of a method value. ok is false if value
// is not a method value.
func methodOf(value *runtime.Func) (name string, ok bool) {
	if value == nil {
		return "", false
	}
	if name, ok = strings.CutSuffix(value.Name(), "-fm"); !ok {
		return "", false
	}
	return name, true
}

// BeginOfMethod returns the line on which the method of a method value, such as x.draining,
// begins. ok is false if function is not a method value, or if the method belongs to an
// interface or is generated.
//
// The compiler generates a function for each method value, without a line or a reference to
// the method. BeginOfMethod therefore searches the program's functions for the method's
// name. If the method was always inlined, it returns the first line of the inlined code.
// The search may take some milliseconds, so cache the result.
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

// outermost returns the call of the function that begins at entry. The runtime may also
// return calls of inlined functions for that address.
func outermost(entry uintptr) runtime.Frame {
	frames := runtime.CallersFrames([]uintptr{entry + 1})
	call, more := frames.Next()
	for more {
		call, more = frames.Next()
	}
	return call
}

// most is larger than the code of any program, in bytes.
const most = 1 << 30

// others returns the entry addresses of all functions of the program other than the one at
// entry. First come the functions before entry, the nearest first. Then come the functions
// after entry, the last first. The reason is that the runtime can find the function at an
// address, but not the next function.
func others(entry uintptr) iter.Seq[uintptr] {
	return func(yield func(uintptr) bool) {
		for fn := runtime.FuncForPC(entry - 1); fn != nil; fn = runtime.FuncForPC(fn.Entry() - 1) {
			if !yield(fn.Entry()) {
				return
			}
		}
		last := entry // after the loop, an address in the last function of the program
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

// mostInlined is the maximum number of bytes that inlined searches.
const mostInlined = 4096

// inlined returns the first line of a method that was inlined into the function at entry.
// ok is false if it finds none.
func inlined(entry uintptr, method string) (f Frame, ok bool) {
	for pc := entry + 1; pc < entry+mostInlined && outermost(pc).Entry == entry; pc++ {
		call, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		if call.Function == method && call.File != generated && (!ok || call.Line < f.Line) {
			f, ok = FrameOf(call), true
		}
	}
	return f, ok
}
