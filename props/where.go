package props

import (
	"reflect"
	"runtime"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
)

// helpers are the functions that called Helper.
type helpers struct {
	calls map[uintptr]bool // program counters of the calls; names are looked up when needed
	names map[string]bool
}

// add notes the function that called Helper.
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

// has reports whether a function called Helper. It compares the names that the
// runtime has for functions, since an inlined function has no entry address.
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

// trimmer leaves out frames that are never shown as the place of a failure: those
// of this module and of the libraries that properties use.
var trimmer = stack.NewTrimmer(
	reflect.TypeFor[pulse.System]().PkgPath(),
	reflect.TypeFor[pulse.System]().PkgPath()+"/adapt/...", // and the runtimes that are hosted there
	"github.com/asynkron/protoactor-go/...",
	reflect.TypeFor[T]().PkgPath()+"/...",
	"github.com/stretchr/testify/...",
	"pgregory.net/rapid",
	"github.com/leanovate/gopter/...",
	"github.com/anishathalye/porcupine")

// calls returns the frames of the property and its program that are on the stack,
// innermost first.
func calls() []runtime.Frame {
	pcs := make([]uintptr, 256)
	return trimmer.All(pcs[:runtime.Callers(2, pcs)])
}

// userFrame returns the line of the property or its program that is running: the
// innermost frame outside helpers, or the innermost of all when there are only
// helpers. ok is false when there is none.
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

// setFrames fills a failure's Stack, Site and Detail from the stack.
func setFrames(f *pulse.Failure) {
	f.Stack = stack.Frames(calls())
	if len(f.Stack) > 0 {
		f.Site = f.Stack[0].Func
		f.Detail = stack.Lines(f.Stack)
	}
}

// placeOf returns the line on which a function begins, "" when it has none.
func placeOf(function any) pulse.Frame {
	f, _ := stack.Begin(function)
	return f
}

// placeOfMethod returns the line on which a method of a value begins, the zero Frame if it
// is promoted from another type.
func placeOfMethod(v any, name string) pulse.Frame {
	m, ok := reflect.TypeOf(v).MethodByName(name)
	if !ok {
		return pulse.Frame{}
	}
	return placeOf(m.Func.Interface())
}

// Line returns the line of the property or its program that called the caller of
// Line, such as "writer.go:12". It returns "" when there is none.
func Line() string {
	const caller = 3 // skips runtime.Callers, Line and its caller
	pcs := make([]uintptr, 64)
	if list := trimmer.All(pcs[:runtime.Callers(caller, pcs)]); len(list) > 0 {
		return stack.FrameOf(list[0]).Place()
	}
	return ""
}
