package stack

import (
	"path"
	"reflect"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// A Trimmer reduces stacks to the calls in user code. It removes the standard library,
// generated code and the given packages, but not the tests of the given packages. It is
// immutable.
type Trimmer struct{ hidden []hidden }

// A hidden is a package whose calls are removed.
type hidden struct {
	path   string
	below  bool   // set if calls of all packages below path are removed too
	folder string // the folder of the package's sources, or "" if unknown
}

// NewTrimmer returns a Trimmer that removes the calls of the packages with the given paths.
// A path that ends with /... includes all packages below it, as in arguments of the go
// command.
func NewTrimmer(packages ...string) *Trimmer {
	t := &Trimmer{}
	module, root := home()
	for _, p := range packages {
		h := hidden{}
		h.path, h.below = strings.CutSuffix(p, "/...")
		if rest, ours := strings.CutPrefix(h.path, module+"/"); ours && root != "" {
			h.folder = root + "/" + rest
		}
		t.hidden = append(t.hidden, h)
	}
	return t
}

// All returns the user's calls on a stack, innermost first. It omits calls made while a
// panic or runtime.Goexit ran deferred functions.
func (t *Trimmer) All(pcs []uintptr) (list []runtime.Frame) {
	frames := runtime.CallersFrames(pcs)
	for more := len(pcs) > 0; more; {
		var call runtime.Frame
		call, more = frames.Next()
		list = t.next(list, &call)
	}
	return list
}

// Cut returns the user's calls among the calls of a Goroutine, as All does for a stack.
func (t *Trimmer) Cut(calls []runtime.Frame) (list []runtime.Frame) {
	for i := range calls {
		list = t.next(list, &calls[i])
	}
	return list
}

// next returns list with call appended if call is a user's call. It returns an empty list
// if call is a panic or runtime.Goexit that runs deferred functions.
func (t *Trimmer) next(list []runtime.Frame, call *runtime.Frame) []runtime.Frame {
	switch {
	case unwinds(call):
		return list[:0]
	case !isStandard(call) && !t.hides(call):
		return append(list, *call)
	}
	return list
}

// Inner returns the innermost calls in user code, up to the next call of a removed package
// or of package testing. For example, it returns the calls of a handler, but not the calls
// of the test that runs the system. caller is the runtime's name of the function in a
// removed package that called this user code, or "" if there is none.
func (t *Trimmer) Inner(pcs []uintptr) (list []runtime.Frame, caller string) {
	frames := runtime.CallersFrames(pcs)
	for more := len(pcs) > 0; more; {
		var call runtime.Frame
		call, more = frames.Next()
		switch {
		case unwinds(&call):
			list = list[:0]
		case strings.HasPrefix(call.Function, "testing."):
			return list, ""
		case isStandard(&call):
		case !t.hides(&call):
			list = append(list, call)
		case len(list) > 0:
			return list, call.Function
		}
	}
	return list, ""
}

// unwinds reports whether a call is a panic or runtime.Goexit that runs deferred functions.
func unwinds(call *runtime.Frame) bool {
	return call.Function == "runtime.gopanic" || call.Function == "runtime.Goexit"
}

// isStandard reports whether a call belongs to the standard library or to
// generated code. It checks the package of the function, and the path of the
// file below the folder src. The folder above src may differ between packages,
// because the go command may reuse a package that it compiled for another Go
// installation.
func isStandard(call *runtime.Frame) bool {
	if call.Function == "" || call.File == generated {
		return true
	}
	below := call.File // with -trimpath, call.File is relative to the folder src
	if i := strings.LastIndex(below, "/src/"); i >= 0 {
		below = below[i+len("/src/"):]
	}
	return isStandardPath(packageOf(call.Function)) && isStandardPath(below)
}

func isStandardPath(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	_, is := slices.BinarySearch(standard, first)
	return is
}

// standard lists, sorted, the first path elements of all packages of the
// standard library. By convention the path of a module begins with a different
// element.
var standard = strings.Fields("archive bufio bytes cmp compress container context crypto database debug embed encoding errors " +
	"expvar flag fmt go hash html image index internal io iter log maps math mime net os path plugin reflect regexp runtime " +
	"slices sort strconv strings structs sync syscall testing text time unicode unique unsafe uuid vendor weak")

// hides reports whether the Trimmer removes a call because its function belongs
// to one of the given packages.
func (t *Trimmer) hides(call *runtime.Frame) bool {
	if strings.HasSuffix(call.File, "_test.go") {
		return false
	}
	pkg := packageOf(call.Function)
	name := unescaped(pkg)
	for i := range t.hidden {
		if h := &t.hidden[i]; h.covers(h.path, name) {
			return true
		}
	}
	if !endsInDigit(call.Function) || len(pkg) == len(call.Function) || !isLiteral(split(call.Function[len(pkg)+1:])) {
		return false
	}
	return slices.ContainsFunc(t.hidden, func(h hidden) bool { return h.has(call.File) })
}

// covers reports whether the path p is equal to root, or below root if h.below is set. Both
// paths are paths of packages or of folders.
func (h *hidden) covers(root, p string) bool {
	rest, ok := strings.CutPrefix(p, root)
	return ok && (rest == "" || h.below && rest[0] == '/')
}

// versions matches the versions that module caches add to the paths of modules.
var versions = regexp.MustCompile(`@[^/]*`)

// has reports whether a source file belongs to the package h. It is needed for function
// literals, because the name of an inlined literal contains the path of a different package
// (see nameOf).
func (h *hidden) has(file string) bool {
	folder := path.Dir(file)
	if h.folder != "" {
		return h.covers(h.folder, folder)
	}
	folder = versions.ReplaceAllString(folder, "")
	at := strings.LastIndex("/"+folder, "/"+h.path)
	return at >= 0 && h.covers(h.path, folder[at:])
}

// home returns the path of the module jostle and the folder of its sources.
func home() (module, root string) {
	const here = "/pulse/stack"
	fn := runtime.FuncForPC(reflect.ValueOf(NewTrimmer).Pointer())
	file, _ := fn.FileLine(fn.Entry())
	root, ok := strings.CutSuffix(path.Dir(file), here)
	if !ok {
		return "", ""
	}
	return strings.TrimSuffix(packageOf(fn.Name()), here), root
}
