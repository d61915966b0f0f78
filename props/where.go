package props

import (
	"path"
	"reflect"
	"runtime"
	"strings"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
)

// helpers is the set of functions that called T.Helper.
type helpers struct {
	calls map[uintptr]bool // the program counters of the calls to T.Helper
	names map[string]bool
}

// add adds the caller of T.Helper to the set.
func (h *helpers) add() {
	var pcs [1]uintptr
	if runtime.Callers(3, pcs[:]) == 0 || h.calls[pcs[0]] {
		return
	}
	if h.calls == nil {
		h.calls = map[uintptr]bool{}
	}
	h.calls[pcs[0]] = true
	h.names = nil
}

// has reports whether a function called T.Helper. It compares names, because an
// inlined function has no entry address.
func (h *helpers) has(function string) bool {
	if h.names == nil {
		h.names = map[string]bool{}
		for pc := range h.calls {
			fr, _ := runtime.CallersFrames([]uintptr{pc}).Next()
			h.names[fr.Function] = true
		}
	}
	return h.names[function]
}

// trimmer removes stack frames of this module and of the libraries that properties
// use. A failure is never reported at such frames.
var trimmer = stack.NewTrimmer(
	reflect.TypeFor[pulse.System]().PkgPath(),
	reflect.TypeFor[pulse.System]().PkgPath()+"/goroutine",
	reflect.TypeFor[pulse.System]().PkgPath()+"/adapt/...", // also remove the adapters of other runtimes
	"github.com/asynkron/protoactor-go/...",
	reflect.TypeFor[T]().PkgPath()+"/...",
	path.Dir(reflect.TypeFor[T]().PkgPath())+"/fuzz/existing",
	"github.com/stretchr/testify/...",
	"pgregory.net/rapid",
	"github.com/leanovate/gopter/...",
	"github.com/anishathalye/porcupine")

// calls returns the stack frames of the property and its program, innermost first.
func calls() []runtime.Frame {
	pcs := make([]uintptr, 256)
	return trimmer.All(pcs[:runtime.Callers(2, pcs)])
}

// userFrame returns the innermost stack frame of the property or its program that is
// not in a helper. If all such frames are in helpers, it returns the innermost of
// them. ok is false if the stack has no such frame.
func userFrame(h *helpers) (f stack.Frame, ok bool) {
	list := calls()
	for _, call := range list {
		if !h.has(call.Function) {
			return stack.FrameOf(call), true
		}
	}
	if len(list) > 0 {
		return stack.FrameOf(list[0]), true
	}
	return stack.Frame{}, false
}

// setFrames sets Stack, Site and Detail of a failure from the current stack.
func setFrames(f *pulse.Failure) {
	f.Stack = stack.Frames(calls())
	if len(f.Stack) > 0 {
		f.Site = f.Stack[0].Func
		f.Detail = stack.Lines(f.Stack)
	}
}

// placeOf returns the line on which a function begins, or the zero Frame if the line
// is unknown.
func placeOf(function any) pulse.Frame {
	f, _ := stack.Begin(function)
	return f
}

// placeOfMethod returns the line on which the method of v with the given name begins.
// It returns the zero Frame if the method is promoted from another type.
func placeOfMethod(v any, name string) pulse.Frame {
	m, ok := reflect.TypeOf(v).MethodByName(name)
	if !ok {
		return pulse.Frame{}
	}
	return placeOf(m.Func.Interface())
}

// A Call says which code of the property or its program has called a function.
type Call struct {
	// At is the line of the call, the zero Frame if there is no such code on the stack.
	At stack.Frame
	// From is the line of the outermost function of the program that has led to the call, such as
	// the handler of an actor. By is the function with the call. Both are zero if one function is both.
	From stack.Frame
	By   string
	// Test is set if the property has made the call, and not an actor.
	Test bool
}

// Caller returns the call of the function that calls Caller.
func Caller() (c Call) {
	const caller = 3 // skips the frames of runtime.Callers, Caller and the caller of Caller
	pcs := make([]uintptr, 64)
	list, by := trimmer.Inner(pcs[:runtime.Callers(caller, pcs)])
	if len(list) == 0 {
		return c
	}
	at := stack.FrameOf(list[0])
	if last := list[len(list)-1]; len(list) > 1 {
		c.From, c.By = stack.FrameOf(last), at.Func[strings.LastIndexByte(at.Func, '.')+1:]
	}
	c.At, c.Test = at, strings.HasPrefix(by, reflect.TypeFor[T]().PkgPath()+".")
	return c
}
