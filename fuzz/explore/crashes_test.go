package explore_test

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// crashingProgram draws a program whose actors may crash between any two steps, and
// are not restarted: one of them, or two.
func crashingProgram(seed uint64) *program {
	f := common | checking | crashes
	switch seed % 8 {
	case 3:
		f |= looking
	case 5:
		f |= messageFaults
	case 7:
		f |= surviving
	}
	p := newProgram(seed, f)
	s := &p.settings
	s.crash, s.kept, s.lost = 1+count(seed%5 == 4), 0, 0
	if seed%4 == 1 {
		p.features |= living | looking
	}
	if seed%16 == 9 {
		p.features |= unwatching
	}
	return p
}

// TestAgreementOfCrashes holds that every way to explore finds what the enumerator finds
// where crashes come between steps.
func TestAgreementOfCrashes(t *testing.T) {
	agreeOnPrograms(t, agreementPrograms()/2, crashingProgram)
}

// TestLostCrashesAreFound holds that TestAgreementOfCrashes would find a search that
// does not know of some of what a crash has to do with.
func TestLostCrashesAreFound(t *testing.T) {
	for name, lose := range map[string]func(*trace.Trace){
		"lives": func(t *trace.Trace) {
			t.Touches = slices.DeleteFunc(t.Touches, func(x trace.Touch) bool {
				return x.What == trace.ItsLife && t.Steps[x.Step].Kind == trace.Crash
			})
		},
		"ends": func(t *trace.Trace) {
			for i := range t.Actors {
				t.Actors[i].Ended = trace.None
			}
		},
		"the steps of its actor": func(t *trace.Trace) {
			for i := range t.Steps {
				if t.Steps[i].Kind == trace.Crash {
					t.Steps[i].Prev = trace.None
				}
			}
		},
	} {
		e, r := &enumerator{}, &rig{}
		found := 0
		for seed := range uint64(400) {
			p := crashingProgram(seed)
			all, ok := e.enumerate(p.options(), p.Build, 500)
			if !ok {
				continue
			}
			w := r.worker(p.options(), p.Build)
			run := w.run
			w.run = func(s pulse.Strategy) explore.Run {
				run := run(s)
				lose(run.System.Trace())
				return run
			}
			found += count(exploreWith(explore.Options{}, nil, w).misses(all) != "")
		}
		e.close()
		r.close()
		if t.Logf("%s: %d programs", name, found); found < 5 {
			t.Errorf("%s: only %d programs show that it is lost", name, found)
		}
	}
}
