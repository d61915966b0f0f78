package search

import (
	"fmt"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// Advice returns what to do about an incomplete exploration, in a few sentences: how much
// is left, what it would take, and what wasted runs. It is "" if there is nothing to do,
// or a failure to fix first.
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

// farAway is the ratio of all runs to those made from which waiting is not worthwhile.
const farAway = 1000

// checkIsBetter says what to do about so many orders.
const checkIsBetter = "Check is the better verb here, since it finds more in the same time; or make the input smaller"

// adviceOnSize says how much is left, if known.
func (v *Verdict) adviceOnSize() (list []string) {
	times := 0.0 // all runs divided by those made
	if v.Runs > 0 && v.Estimate > float64(v.Runs) {
		times = v.Estimate / float64(v.Runs)
	}
	if v.Estimate == 0 && v.known > farAway*float64(v.Runs) && v.Runs > 0 {
		return append(list, fmt.Sprintf("there are at least %s orders: %s", words.Roughly(v.known, v.Runs), checkIsBetter))
	}
	others := ""
	if v.more {
		others = ", and inputs that were not begun are not counted"
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

// adviceOnWaste says why most runs were given up.
func (v *Verdict) adviceOnWaste() []string {
	switch {
	case v.Wasted > v.Runs && v.Reduction != explore.Optimal:
		return []string{fmt.Sprintf("%s were wasted and %s were not: sleep sets gave them up when everything that could come next had been run from another branch",
			words.Count(v.Wasted, "run"), words.Grouped(v.Runs))}
	case v.Wasted > v.Runs:
		return []string{fmt.Sprintf("%s were wasted and %s were not: the wasted ones found out whether a process in ReceiveMatch takes a message; Receive wastes none",
			words.Count(v.Wasted, "run"), words.Grouped(v.Runs))}
	case v.Skipped > v.Runs:
		return []string{fmt.Sprintf("%s were skipped: draw what is wanted instead", words.Count(v.Skipped, "run"))}
	}
	return nil
}

// Failing returns how many runs failed, in any way. It is the number of failing orders if
// no order ran twice.
func (v Verdict) Failing() (n int) {
	for _, count := range v.Failures {
		n += count
	}
	return n
}
