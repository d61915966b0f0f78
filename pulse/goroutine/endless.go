package goroutine

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

const (
	mostSteps = 30 * lately // the number of steps after which the run of a test counts as endless, unless Options.Steps is set
	lately    = 1000        // a goroutine that waits during so many steps of others counts as blocked
	mostNamed = 4           // the number of goroutines of each kind that a report of an endless run names
)

// endless is called after every step of a test. If the test does not end, endless sets w.cause or
// fails the run. It fails the run only if the test waits and goroutines wait for each other's
// locks, because no timer ends such a wait. Other waits may end at a later tick of a ticker.
func (w *world) endless() {
	if w.steps%lately != 0 {
		return
	}
	w.host.Touch(trace.AllSteps) // from here on the run depends on the number of steps, so this step conflicts with all others
	running, blocked := w.lately()
	locked := !slices.ContainsFunc(running, isTest) && slices.ContainsFunc(blocked, (*routine).locked)
	if !locked && w.steps < w.most {
		return
	}
	var waits []stack.Wait
	for _, r := range blocked {
		waits = append(waits, r.Waits())
	}
	if locked && len(stack.Cycle(waits, nil)) > 2 { // a goroutine that waits for its own lock may rely on another one to unlock it
		w.sys.Fail(w.deadlock(running, waits))
	}
	if w.steps < w.most {
		return
	}
	w.unending = true
	w.cause = fmt.Sprintf("it does not end within %d steps", w.steps)
	if len(waits) > 0 {
		w.cause += fmt.Sprintf(": in the last %d, only %s ran, and %s", lately, namesOf(running), listed(waits, func(v stack.Wait) string { return v.String() }))
	}
}

// deadlock returns the failure for goroutines of which some wait for each other's locks.
func (w *world) deadlock(running []*routine, waits []stack.Wait) *pulse.Failure {
	f := &pulse.Failure{Kind: pulse.KindStuck, Step: w.host.Step(), Waits: waits, Detail: stack.Report(waits, nil), Site: waits[0].At.Func}
	f.Text = fmt.Sprintf("stuck: goroutines wait for each other's locks, and in the last %d steps only %s ran", lately, namesOf(running))
	for _, v := range waits {
		f.Site = min(f.Site, v.At.Func)
	}
	return f
}

// lately returns the goroutines that took one of the last steps, as many as the
// constant lately, and the goroutines that are blocked. The goroutine that runs
// main waits for the others, so it counts as blocked only if no other one is.
func (w *world) lately() (running, blocked []*routine) {
	for _, r := range w.list {
		switch {
		case r == nil:
		case r.ran > w.steps-lately:
			running = append(running, r)
		case r.waits() && r.turn == nil:
			blocked = append(blocked, r)
		}
	}
	if len(blocked) > 1 && blocked[0].id == 1 {
		blocked = blocked[1:]
	}
	return running, blocked
}

func isTest(r *routine) bool    { return r.test }
func (r *routine) locked() bool { return r.state().locks }

// namesOf names the goroutines that have taken a step lately. If there are none, all steps were clock ticks.
func namesOf(running []*routine) string {
	return cmp.Or(listed(running, func(r *routine) string { return r.ref.String() }), "the clock")
}

// listed returns the texts of the first elements of a list, and the number of
// further elements.
func listed[E any](list []E, text func(E) string) string {
	var texts []string
	for _, e := range list[:min(len(list), mostNamed)] {
		texts = append(texts, text(e))
	}
	if n := len(list) - mostNamed; n > 0 {
		texts = append(texts, fmt.Sprintf("%d more", n))
	}
	return strings.Join(texts, ", ")
}

// stop ends a run that cannot go on. Unless a goroutine that is not controlled wakes one of the run
// within patience, the system reports the run as stuck.
func (w *world) stop(patience time.Duration) bool {
	if w.isWoken(patience) {
		w.cause = "it depends on a goroutine that jostle has not started in this run"
		return true
	}
	w.mustEnd()
	return w.sys.Run()
}

// stuckAt has the places at which runs have waited in vain. A run that is stuck at a known place neither looks for
// goroutines from outside nor waits for them long, so that thousands of stuck runs are fast.
var stuckAt sync.Map

// isWoken reports whether a goroutine that is not controlled wakes one of a run that is stuck, or uses a
// timer of the run. It waits longer if such goroutines are known to exist.
func (w *world) isWoken(patience time.Duration) bool {
	at := w.list[slices.IndexFunc(w.list, (*routine).waits)].state().callers
	if _, known := stuckAt.Load(at); !known && w.others(ownPath) {
		patience = patienceOthers
	}
	for ; w.next(w.control) == nil && w.outside(w.control) == ""; patience -= time.Millisecond {
		if patience <= 0 {
			stuckAt.Store(at, true)
			return false
		}
		time.Sleep(time.Millisecond)
	}
	return true
}

// mustEnd makes the system report the goroutines that have not ended as stuck.
// If a test has started goroutines that have not ended, only these are
// reported, and not the goroutine of the test.
func (w *world) mustEnd() {
	first := w.list
	if w.ends && slices.ContainsFunc(first[1:], (*routine).waits) {
		first = first[1:]
	}
	for _, r := range first {
		if r.waits() {
			w.host.Accept(r.ref, anyMessage)
		}
	}
}

// left describes the goroutines that have not ended.
func (w *world) left() (list []string) {
	for _, r := range w.list {
		if !r.waits() || r.id == 1 {
			continue
		}
		v := r.Waits()
		list = append(list, v.String())
	}
	return list
}
