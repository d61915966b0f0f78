package procreg

import (
	"fmt"
	"strings"

	"github.com/jostle-go/jostle/pulse"
)

// A History records the calls of clients and their results.
type History struct {
	Calls []Call
	clock int
}

// A Call is one command of a client. Call and Return are the logical times of the
// call and of its return. All times in a history are different.
type Call struct {
	Client  pulse.Ref
	Command Command
	Result  string
	Call    int
	Return  int // 0 if the call has not returned
}

// Record is a Recorder.
func (h *History) Record(client pulse.Ref, c Command) (returned func(result string)) {
	h.clock++
	i := len(h.Calls)
	h.Calls = append(h.Calls, Call{Client: client, Command: c, Call: h.clock})
	return func(result string) {
		h.clock++
		h.Calls[i].Result, h.Calls[i].Return = result, h.clock
	}
}

// Check returns an error if no atomic registry can have given these answers.
func (h *History) Check() error {
	if s := (&search{calls: h.Calls, seen: map[moment]bool{}}); s.from(moment{}) {
		return nil
	}
	return fmt.Errorf("no atomic registry answers like this:\n%v", h)
}

// String returns the history, with one line for each call.
func (h *History) String() string {
	var b strings.Builder
	for _, c := range h.Calls {
		fmt.Fprintf(&b, "%v, from %d to %d: %v = %s\n", c.Client, c.Call, c.Return, c.Command, c.Result)
	}
	return b.String()
}

// String returns the command as Erlang would write it.
func (c Command) String() string {
	switch c.Op {
	case Register:
		return fmt.Sprintf("register(name %d, %s)", c.Name+1, process(c.Process))
	case Kill:
		return fmt.Sprintf("kill(%s)", process(c.Process))
	}
	return fmt.Sprintf("%v(name %d)", c.Op, c.Name+1)
}

const undefined = "undefined"

func process(i int) string { return fmt.Sprintf("process %d", i+1) }

// Most is the maximum number of names and of processes. A history has at most 64 calls.
const Most = 8

// A Registry is an atomic registry, the model with which clients' results are compared.
type Registry struct {
	Holders [Most]int8 // by name: 1 plus the number of the process that has the name, 0 for none
	Dead    [Most]bool // by process
}

// Do carries out a command and returns the answer.
func (r *Registry) Do(c Command) string {
	holder := &r.Holders[c.Name]
	switch c.Op {
	case Register:
		free := *holder == 0
		if free && !r.Dead[c.Process] {
			*holder = int8(c.Process + 1)
		}
		return yes(free)
	case Unregister:
		held := *holder != 0
		*holder = 0
		return yes(held)
	case Kill:
		r.kill(c.Process)
		return yes(true)
	}
	if *holder == 0 {
		return undefined
	}
	return process(int(*holder - 1))
}

func (r *Registry) kill(process int) {
	r.Dead[process] = true
	for name, h := range r.Holders {
		if int(h) == process+1 {
			r.Holders[name] = 0
		}
	}
}

// A search tries the orders in which the calls can have happened, as Wing and
// Gong do (Testing and Verifying Concurrent Objects, 1993).
type search struct {
	calls []Call
	seen  map[moment]bool // moments already tried; no order leads from such a moment to the end
}

// A moment of the search is the set of calls that have happened and the registry's state.
type moment struct {
	done     uint64
	registry Registry
}

// from reports whether the calls that have not happened at m can happen after it in some order.
func (s *search) from(m moment) bool {
	if s.complete(m.done) {
		return true
	}
	if s.seen[m] {
		return false
	}
	s.seen[m] = true
	for i, c := range s.calls {
		if m.done&(1<<i) != 0 || !s.canBeNext(m.done, c) {
			continue
		}
		next := m
		next.done |= 1 << i
		if got := next.registry.Do(c.Command); (c.Return == 0 || got == c.Result) && s.from(next) {
			return true
		}
	}
	return false
}

// complete reports whether all calls that have returned have happened.
func (s *search) complete(done uint64) bool {
	for i, c := range s.calls {
		if c.Return != 0 && done&(1<<i) == 0 {
			return false
		}
	}
	return true
}

// canBeNext reports whether c can happen next. No call that is left may have returned before c.
func (s *search) canBeNext(done uint64, c Call) bool {
	for i, other := range s.calls {
		if done&(1<<i) == 0 && other.Return != 0 && other.Return < c.Call {
			return false
		}
	}
	return true
}
