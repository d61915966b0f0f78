package goroutine

import (
	"runtime"
	"strings"
	"sync"

	"github.com/jostle-go/jostle/pulse/stack"
)

// A site is the message by which a goroutine takes its next step: it says which
// operation the goroutine begins, or has waited for, and where. There is one
// site for each place in the program, so equal sites are equal pointers.
type site struct{ label string }

func (s *site) String() string { return s.label }

// A siteKey identifies a site.
type siteKey struct {
	op      operation
	woken   bool
	callers [depth]uintptr
}

// sites has all sites of the program. They do not depend on runs.
var sites struct {
	sync.Mutex
	of map[siteKey]*site
}

// siteOf returns the site at which a goroutine stands.
func siteOf(s *state) *site {
	key := siteKey{s.op, s.op == opNone, s.callers}
	sites.Lock()
	defer sites.Unlock()
	if s := sites.of[key]; s != nil {
		return s
	}
	if sites.of == nil {
		sites.of = map[siteKey]*site{}
	}
	made := &site{key.label()}
	sites.of[key] = made
	return made
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
			break // the code that called the operation
		}
	}
	if what == "" {
		what = key.op.String()
	}
	if key.woken {
		what = "after " + what
	}
	return what + at
}

// verbOf returns the operation that a function of the standard library stands
// for, or "".
func verbOf(function string) string {
	switch {
	case strings.HasPrefix(function, "sync.(*"), strings.HasPrefix(function, "sync/atomic.(*"), strings.HasPrefix(function, "net.(*"):
		kind, method, _ := strings.Cut(function[strings.Index(function, "(*")+2:], ").")
		kind, _, _ = strings.Cut(kind, "[")
		if strings.Contains(method, ".") {
			return "" // a function literal, such as that by which WaitGroup.Go calls user code
		}
		if kind == "conn" {
			kind = "Conn"
		}
		return kind + "." + method
	}
	return map[string]string{"runtime.chansend1": "send", "runtime.chanrecv1": "receive", "runtime.chanrecv2": "receive",
		"runtime.closechan": "close", "runtime.selectgo": "select", "runtime.selectnbsend": "try to send",
		"runtime.selectnbrecv": "try to receive", "runtime.Gosched": "Gosched", "time.Sleep": "Sleep"}[function]
}

func (o operation) String() string {
	return [...]string{"wait", "send", "receive", "close", "select", "Gosched", "sync", "make", "network"}[o]
}
