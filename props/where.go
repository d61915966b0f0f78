package props

import (
	"reflect"
	"runtime"

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

// Line returns the line, such as "writer.go:12", at which the property or its program
// called the function that calls Line. It returns "" if no such code is on the stack.
func Line() string {
	const caller = 3 // skips the frames of runtime.Callers, Line and the caller of Line
	pcs := make([]uintptr, 64)
	if list := trimmer.All(pcs[:runtime.Callers(caller, pcs)]); len(list) > 0 {
		return stack.FrameOf(list[0]).Place()
	}
	return ""
}
