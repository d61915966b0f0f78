package fuzz

import (
	"fmt"
	"os"
	"time"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/words"
)

// A limit is when go test ends the process, as its -timeout says.
type limit struct {
	deadline time.Time // zero when there is none
	margin   time.Duration
}

// mostMargin is how long before the deadline a search ends; a quarter of the time
// that is left, if that is less. What was found is repeated, saved and told then.
const mostMargin = 5 * time.Second

// limitOf returns the limit of what may know one, as a testing.T does and a
// testing.TB does not.
func limitOf(t any) (l limit) {
	timed, ok := t.(interface{ Deadline() (time.Time, bool) })
	if !ok {
		return l
	}
	if l.deadline, ok = timed.Deadline(); ok {
		l.margin = max(time.Millisecond, min(mostMargin, time.Until(l.deadline)/4))
	}
	return l
}

// early returns when a search must be over.
func (l limit) early() time.Time { return l.deadline.Add(-l.margin) }

// struck reports whether a search was ended by the limit.
func (l limit) struck() bool { return !l.deadline.IsZero() && !time.Now().Before(l.early()) }

// hurry tells that a search has ended before its time, "" when it has not.
func (v *verb) hurry() string {
	if !v.limit.struck() {
		return ""
	}
	return fmt.Sprintf("it ended early, %s before go test ends the process: allow more by go test -timeout, or ask for less by Config.Budget",
		words.Elapsed(v.limit.margin))
}

// watch starts to look for runs that do not go on, and returns what ends that.
func (v *verb) watch() (stop func()) {
	d := v.dog
	d.Tell = func(headline, lines string) {
		if headline != "" {
			headline = fmt.Sprintf("    %s, fuzz.%s of %s: %s\n", v.t.Name(), v.name, v.property.Name, headline)
			lines += fmt.Sprintf("again: JOSTLE_SEED=%d %s\n(a step may take longer than %s with JOSTLE_STALL=1m, a minute)\n",
				v.Seed, words.Command(v.property.Test, packageFolder), words.Elapsed(d.Limit))
		}
		// A test's own output is not shown when go test ends the process.
		fmt.Fprint(os.Stderr, headline+words.Indented(lines))
	}
	d.Start()
	return d.Stop
}

// usualStall is how long a run may stand still.
const usualStall = 10 * time.Second

// readStall returns how long a run may stand still, given what JOSTLE_STALL says.
func readStall(text string) (time.Duration, error) {
	if text == "" {
		return usualStall, nil
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		return 0, fmt.Errorf("JOSTLE_STALL is %q: set it to a duration such as 30s", text)
	}
	return d, nil
}

// newWatchdog returns the watchdog of a verb.
func newWatchdog(l limit) (*search.Watchdog, error) {
	d, err := readStall(os.Getenv("JOSTLE_STALL"))
	return &search.Watchdog{Limit: d, Deadline: l.deadline, Margin: l.margin}, err
}
