package fuzz

import (
	"cmp"
	"fmt"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
)

// hurry tells that a search has ended before its time, "" when it has not.
func (v *verb) hurry() string {
	if !v.session.Limit.Struck() {
		return ""
	}
	return fmt.Sprintf("it ended early, %s before go test ends the process: allow more by go test -timeout, or ask for less by Config.Budget",
		words.Elapsed(v.session.Limit.Margin))
}

// watch starts to look for runs that do not go on, and returns what ends that.
func (v *verb) watch() (stop func()) {
	d := v.dog
	d.Tell = func(headline, lines string) {
		if headline != "" {
			headline = fmt.Sprintf("    %s, fuzz.%s of %s: %s\n", v.t.Name(), v.name, v.session.Property.Name, headline)
			lines += fmt.Sprintf("again: JOSTLE_SEED=%d %s\n(a step may take longer than %s with JOSTLE_STALL=1m, a minute)\n",
				v.Seed, words.Command(v.session.Property.Test, packageFolder), words.Elapsed(d.Limit))
		}
		v.t.warn(headline + words.Indented(lines))
	}
	d.Start()
	return d.Stop
}

// usualStall is how long a run may stand still.
const usualStall = 10 * time.Second

// newWatchdog returns the watchdog of a verb.
func newWatchdog(e *env.Settings, l search.Limit) *search.Watchdog {
	return &search.Watchdog{Limit: cmp.Or(e.Stall, usualStall), Deadline: l.Deadline, Margin: l.Margin}
}
