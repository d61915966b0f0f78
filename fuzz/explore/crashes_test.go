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

// cutOffProgram draws a program of which one actor may be cut off, mostly without
// anything that comes with time.
func cutOffProgram(seed uint64) *program {
	f := stopping | killing | watching | fifo | unordered | processes | becoming | spawning | asking | choosing | checking | partitions
	switch seed % 8 {
	case 1:
		f |= timers | timeouts
	case 3:
		f |= crashes
	case 5:
		f |= looking
	case 7:
		f |= timeouts
	}
	p := newProgram(seed, f)
	s := &p.settings
	s.partition, s.crash, s.kept, s.lost = 1, count(seed%8 == 3), 0, count(seed%32 == 3)
	if seed%8 == 7 {
		p.features |= polling
	}
	if seed%16 == 2 {
		p.features |= bounding
	}
	if seed%16 == 10 {
		p.features |= testAsking
	}
	return p
}

// TestAgreementOfPartitions holds the same where an actor may be cut off.
func TestAgreementOfPartitions(t *testing.T) {
	agreeOnPrograms(t, agreementPrograms()/4, cutOffProgram)
}

// TestLostCrashesAreFound holds that TestAgreementOfCrashes would find a search that
// does not know of some of what a crash has to do with, and TestAgreementOfPartitions one
// that does not know that time passes.
func TestLostCrashesAreFound(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func(uint64) *program
		lose func(*trace.Trace)
	}{
		{"lives", crashingProgram, func(t *trace.Trace) {
			t.Touches = slices.DeleteFunc(t.Touches, func(x trace.Touch) bool {
				return x.What == trace.ItsLife && t.Steps[x.Step].Kind == trace.Crash
			})
		}},
		{"ends", crashingProgram, func(t *trace.Trace) {
			for i := range t.Actors {
				t.Actors[i].Ended = trace.None
			}
		}},
		{"the steps of its actor", crashingProgram, func(t *trace.Trace) {
			for i := range t.Steps {
				if t.Steps[i].Kind == trace.Crash {
					t.Steps[i].Prev = trace.None
				}
			}
		}},
		{"timers", cutOffProgram, func(t *trace.Trace) {
			for i := range t.Sends {
				if d := &t.Sends[i]; d.Kind == trace.Timer {
					d.Kind = trace.Message
				}
			}
		}},
	} {
		found := misledBy(c.draw, c.lose)
		if t.Logf("%s: %d programs", c.name, found); found < 5 {
			t.Errorf("%s: only %d programs show that it is lost", c.name, found)
		}
	}
}

// misledBy counts, of 400, the programs of which the search misses something when a part
// of each trace is lost.
func misledBy(draw func(uint64) *program, lose func(*trace.Trace)) (found int) {
	e, r := &enumerator{}, &rig{}
	defer e.close()
	defer r.close()
	for seed := range uint64(400) {
		p := draw(seed)
		e.drives, r.drives = p.drives(), p.drives()
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
	return found
}
