package fuzz

import (
	"cmp"
	"fmt"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/garbage"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/search"
)

// watch starts a watchdog, which reports runs that make no progress. It also makes Go's garbage
// collector run less often. The function stop ends both.
func (v *verb) watch() (stop func()) {
	d := v.dog
	d.Tell = func(headline, lines string) {
		if t, ok := v.t.TB.(doubter); ok {
			if headline != "" {
				t.StalledByJostle()
			}
			return
		}
		if headline != "" {
			headline = fmt.Sprintf("    %s, fuzz.%s of %s: %s\n", v.t.Name(), v.name, v.session.Property.Name, headline)
			lines += fmt.Sprintf("again: JOSTLE_SEED=%d %s\n(to allow a step more than %s, set JOSTLE_STALL=1m)\n",
				v.Seed, v.again(), words.Elapsed(d.Limit))
		}
		v.t.warn(headline + words.Indented(lines))
	}
	d.Start()
	usual := garbage.Watch()
	return func() { d.Stop(); usual() }
}

// usualStall is the default time after which a step that does not end is reported.
const usualStall = 10 * time.Second

// newWatchdog returns a watchdog with the limit in e, and with the deadline of the test.
func newWatchdog(e *env.Settings, l search.Limit) *search.Watchdog {
	return &search.Watchdog{Limit: cmp.Or(e.Stall, usualStall), Deadline: l.Deadline, Margin: l.Margin}
}
