package protoactor

import (
	"fmt"
	"io"
	"os"
	"sync/atomic"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Remedies in messages about calls from goroutines that are neither the test's nor
// an actor's.
const (
	adviceSend  = "a real timer (package scheduler, time.AfterFunc) also sends like this: use protoactor.NewTimerScheduler"
	adviceWait  = "wait for the future in the handler itself, or use PipeTo or ReenterAfter"
	adviceSpawn = "spawn in the handler itself"
)

// foreign reports whether the call comes from a goroutine that is neither the test's
// nor running a step. If so, foreign fails the run with the stack of the call. If
// the run is over, foreign prints a warning instead.
func (w *world) foreign(what string, v any, advice string) bool {
	switch at := w.host.Caller(); {
	case at != pulse.CallerOutside:
		return false
	case !w.sys.Running() && w.host.Goroutine() == w.home:
		return false
	}
	if v != nil {
		what += " " + systemLabel(v)
	}
	if !w.host.Intrude(what, advice) && warned.Add(1) <= mostWarned {
		fmt.Fprint(warnings, trace.Visible(fmt.Sprintf("jostle: protoactor: %s from another goroutine is lost, since its run is over: %s\n", what, advice)))
	}
	return true
}

// Warnings about calls from goroutines whose run is over. Their number is limited to
// mostWarned, because each run of a search may leave such a goroutine.
var (
	warnings = standardError()
	warned   atomic.Int32
)

func standardError() io.Writer { return os.Stderr }

const mostWarned = 3
