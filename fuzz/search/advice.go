package search

import (
	"fmt"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// Advice returns a few sentences on how to complete an incomplete exploration: how many
// runs are left, what to change, and why runs were wasted. It returns "" if there is
// nothing to do, or if a failure must be fixed first.
func (v Verdict) Advice() string {
	if v.Complete || v.Failing() > 0 || v.Nondeterminism != "" || v.Clash != "" {
		return ""
	}
	switch v.Bound {
	case explore.BoundTime, explore.BoundRuns:
		return strings.Join(append(v.adviceOnSize(), v.adviceOnWaste()...), "; ")
	case explore.BoundDepth:
		return "orders differ beyond Method.Depth steps: raise it"
	case explore.BoundDelays, explore.BoundPreemptions:
		return fmt.Sprintf("there are orders with more %s: raise the bound on them", v.Bound)
	}
	return ""
}

// farAway is the ratio of all runs to completed runs above which waiting is not worthwhile.
const farAway = 1000

// checkIsBetter is the advice if there are too many orders to run.
const checkIsBetter = "use Check, which finds more in the same time, or make the input smaller"

// adviceOnSize returns the number of all orders, if known, and how to run all of them.
func (v *Verdict) adviceOnSize() (list []string) {
	times := 0.0 // all runs divided by completed runs; 0 if unknown
	if v.Runs > 0 && v.Estimate > float64(v.Runs) {
		times = v.Estimate / float64(v.Runs)
	}
	if v.Estimate == 0 && v.known > farAway*float64(v.Runs) && v.Runs > 0 {
		return append(list, fmt.Sprintf("there are at least %s orders: %s", words.Roughly(v.known, v.Runs), checkIsBetter))
	}
	others := ""
	if v.more {
		others = ", not counting inputs that were not started"
	}
	if times > farAway {
		return append(list, fmt.Sprintf("there are %s orders%s: %s", v.estimated(), others, checkIsBetter))
	}
	all, raise := "", "raise Config.Budget or JOSTLE_BUDGET"
	if v.Bound == explore.BoundRuns {
		raise = "raise Config.Runs or JOSTLE_BUDGET"
	}
	switch {
	case times > 0 && v.Bound == explore.BoundRuns:
		all = fmt.Sprintf("all orders take %s runs%s: ", v.estimated(), others)
	case times > 0:
		all = fmt.Sprintf("all orders take about %s%s: ", words.InOneUnit(time.Duration(times*float64(v.Elapsed))), others)
	}
	if v.Inputs == 1 && !v.more {
		raise += ", continue later from Config.File"
	}
	return append(list, all+raise+", have more Config.Workers, make the input smaller, or use Check")
}

// adviceOnWaste explains why runs were wasted or skipped. It returns nil unless
// the wasted runs or the skipped runs outnumber the completed runs.
func (v *Verdict) adviceOnWaste() []string {
	switch {
	case v.Wasted > v.Runs && v.Reduction != explore.Optimal:
		return []string{fmt.Sprintf("%s were wasted and %s were not: sleep sets stopped each wasted run when every possible next step had been run from another branch",
			words.Count(v.Wasted, "run"), words.Grouped(v.Runs))}
	case v.Wasted > v.Runs:
		return []string{fmt.Sprintf("%s were wasted and %s were not: each wasted run only showed whether a process in ReceiveMatch takes a message; with Receive no run is wasted",
			words.Count(v.Wasted, "run"), words.Grouped(v.Runs))}
	case v.Skipped > v.Runs:
		return []string{fmt.Sprintf("%s were skipped: draw only values that the property accepts", words.Count(v.Skipped, "run"))}
	}
	return nil
}
