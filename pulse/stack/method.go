package stack

import (
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
// where the method is. So the functions of the program are looked through, those near it
// first, for one of that name; of a method that was only ever inlined there is none, and
// the first line of its statements stands in. It takes up to some milliseconds: whoever
// asks often keeps the answer.
func BeginOfMethod(function any) (f Frame, ok bool) {
	value := runtime.FuncForPC(reflect.ValueOf(function).Pointer())
	method, is := methodOf(value)
	if !is {
		return Frame{}, false
	}
	found := func(entry uintptr) bool {
		call := outermost(entry)
		if call.Function != method || call.File == generated || call.File == "" {
			return false
		}
		f = FrameOf(call)
		return true
	}
	if before(value.Entry(), found) || after(value.Entry(), found) {
		return f, true
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

// before tells of the functions that lie before an entry, the nearest first, until found
// says that it was one of them.
func before(entry uintptr, found func(entry uintptr) bool) bool {
	for fn := runtime.FuncForPC(entry - 1); fn != nil; fn = runtime.FuncForPC(fn.Entry() - 1) {
		if found(fn.Entry()) {
			return true
		}
	}
	return false
}

// stride is by how much after goes on, in bytes: over some functions, which it then goes
// through backwards. The runtime tells which function an address is in, and not where
// the next one begins.
const stride = 4096

// after is before, of the functions that lie behind an entry.
func after(entry uintptr, found func(entry uintptr) bool) bool {
	at, seen := entry, entry // the address that was reached, and the last function that was told of
	for by := uintptr(stride); by > 0; {
		last := runtime.FuncForPC(at + by)
		if last == nil { // behind the last function
			by /= 2
			continue
		}
		at += by
		for fn := last; fn.Entry() > seen; fn = runtime.FuncForPC(fn.Entry() - 1) {
			if found(fn.Entry()) {
				return true
			}
		}
		seen = last.Entry()
	}
	return false
}

// inlined returns the first line of a method that was inlined into the function that
// begins at an entry.
func inlined(entry uintptr, method string) (f Frame, ok bool) {
	for pc := entry + 1; pc < entry+stride && outermost(pc).Entry == entry; pc++ {
		call, _ := runtime.CallersFrames([]uintptr{pc}).Next()
		if call.Function == method && call.File != generated && (!ok || call.Line < f.Line) {
			f, ok = FrameOf(call), true
		}
	}
	return f, ok
}
