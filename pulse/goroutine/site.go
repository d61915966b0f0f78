package goroutine

import (
	"math/bits"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/stack"
)

// A site is the message by which a goroutine takes its next step: it says which
// operation the goroutine begins, or has waited for, and where. There is one
// site for each place in the program, so equal sites are equal pointers.
type site struct {
	label string
	key   siteKey
}

func (s *site) String() string { return s.label }

// IsOperation marks a site as a trace.Operation, so that traces show it by its
// text.
func (s *site) IsOperation() {}

// A siteKey identifies a site: the operation, and the innermost calls that led
// to it.
type siteKey struct {
	op      operation // opNone if the goroutine was woken
	callers [depth]uintptr
}

// sites has all sites of the program. They do not depend on runs.
var sites struct {
	sync.Mutex
	of map[siteKey]*site
}

// recent caches sites by hashes of their keys.
var recent [1024]atomic.Pointer[site]

// slot returns the index in recent of the site at which a goroutine stands. It depends on all callers,
// because one function, such as one that sends, may have many.
func (s *state) slot() uint64 {
	h := uint64(s.op)
	for _, pc := range s.callers {
		h = bits.RotateLeft64(h, 9) ^ uint64(pc) // cheaper than Fold, which would take a tenth of a step
	}
	return hash.Fold(h, 0) >> 54
}

// siteOf returns the site at which a goroutine stands.
func siteOf(s *state) *site {
	cached := &recent[s.slot()]
	if c := cached.Load(); c != nil && c.key.op == s.op && c.key.callers == s.callers {
		return c
	}
	key := siteKey{s.op, s.callers}
	sites.Lock()
	defer sites.Unlock()
	if sites.of == nil {
		sites.of = map[siteKey]*site{}
	}
	found := sites.of[key]
	if found == nil {
		found = &site{key.label(), key}
		sites.of[key] = found
	}
	cached.Store(found)
	return found
}

// labels caches the results of startOf.
var labels sync.Map

// A start describes how a goroutine begins: the name of its function without the package, and
// the line at which the function begins.
type start struct {
	name  string
	place stack.Frame
	test  bool // set for the goroutine that runs main, and for those that run a test or a subtest
}

// labelOf returns the name and the beginning of a goroutine's function. The
// goroutine that runs main has the name "main".
func labelOf(s *state) start {
	if s.id == 1 {
		return start{name: "main", test: true}
	}
	if known, ok := labels.Load(s.start); ok {
		return known.(start)
	}
	made := startOf(s.start)
	labels.Store(s.start, made)
	return made
}

// startOf returns the start of a goroutine by the first instruction of its function.
func startOf(pc uintptr) start {
	f := runtime.FuncForPC(pc)
	switch {
	case f == nil:
		return start{name: "goroutine"}
	case strings.HasPrefix(f.Name(), "testing.(*T).Run"):
		return start{name: "test", test: true}
	case strings.HasPrefix(f.Name(), "sync.(*WaitGroup).Go."):
		return start{name: "Go"}
	}
	name := f.Name()[strings.LastIndex(f.Name(), "/")+1:]
	_, name, _ = strings.Cut(name, ".")
	file, line := f.FileLine(pc)
	return start{name: name, place: stack.FrameOf(runtime.Frame{Function: f.Name(), File: file, Line: line})}
}

// label describes the operation and its line.
func (key *siteKey) label() string {
	if key.callers[0] == 0 {
		return "start"
	}
	pcs := key.callers[:]
	what, at := "", ""
	if calls, _ := trimmer.Inner(pcs); len(calls) > 0 {
		at = " at " + stack.FrameOf(calls[0]).Place()
	}
	frames := runtime.CallersFrames(pcs)
	for more := true; more; {
		var f runtime.Frame
		f, more = frames.Next()
		if verb := verbOf(f.Function); verb != "" {
			what = verb
		} else if what != "" && !strings.HasPrefix(f.Function, "runtime.") {
			break // this call is the user code that called the operation
		}
	}
	if what == "" {
		what = key.op.String()
	}
	if key.op == opNone {
		what = "after " + what
	}
	return what + at
}

// verbOf returns the operation that a function of the standard library stands
// for, or "".
func verbOf(function string) string {
	if name, ok := strings.CutPrefix(function, "sync/atomic.jostle"); ok {
		return name
	}
	switch {
	case strings.HasPrefix(function, "sync.(*"), strings.HasPrefix(function, "sync/atomic.(*"), strings.HasPrefix(function, "net.(*"),
		strings.HasPrefix(function, "time.(*Timer)."), strings.HasPrefix(function, "time.(*Ticker)."):
		kind, method, _ := strings.Cut(function[strings.Index(function, "(*")+2:], ").")
		kind, _, _ = strings.Cut(kind, "[")
		if strings.Contains(method, ".") {
			return "" // function is a function literal in such a method, not an operation
		}
		if kind == "conn" {
			kind = "Conn"
		}
		return kind + "." + method
	}
	return map[string]string{"runtime.chansend1": "send", "runtime.chanrecv1": "receive", "runtime.chanrecv2": "receive",
		"runtime.closechan": "close", "runtime.selectgo": "select", "runtime.selectnbsend": "try to send",
		"runtime.selectnbrecv": "try to receive", "runtime.Gosched": "Gosched", "runtime.newproc": "go", "time.Sleep": "Sleep"}[function]
}

func (o operation) String() string {
	return [...]string{"wait", "send", "receive", "close", "select", "Gosched", "sync", "make", "all", "network", "go"}[o]
}
