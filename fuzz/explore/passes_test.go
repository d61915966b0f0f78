package explore_test

import (
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// earlyProgram draws a program in which timers may fire early: once, a few times or at any time. Mostly it also has one
// more feature.
func earlyProgram(seed uint64) *program {
	f := common | checking
	switch seed % 8 {
	case 1:
		f = timers | stopping | killing | fifo | unordered | becoming | spawning | checking
	case 3:
		f = timers | fifo | unordered | becoming | checking
	case 5:
		f |= looking
	case 7:
		f = processes | timeouts | timers | asking | fifo | unordered | checking
	}
	p := newProgram(seed, f)
	p.settings.early = []int{1, 1, 2, -1}[seed/8%4]
	switch seed / 32 % 4 {
	case 1:
		p.features |= clocked
	case 2:
		p.features |= sendingLater | clocked
	case 3:
		p.features |= polling
	}
	return p
}

// earlyWith returns a function that draws programs in which one timer may fire early, and that use features in conflict
// with early timers.
func earlyWith(more features) func(seed uint64) *program {
	return func(seed uint64) *program {
		p := newProgram(seed, common|checking|more)
		p.settings.early = 1
		return p
	}
}

// TestCostOfPasses checks the numbers of runs and wasted runs of SourceSets for programs with early timers. In
// every second program, the test sends another message in the middle of the run. Some conditions in the search
// only save runs. Without them these numbers rise.
func TestCostOfPasses(t *testing.T) {
	trial.Long(t)
	e, r := &enumerator{}, &rig{}
	defer e.close()
	defer r.close()
	compared, runs, wasted := 0, 0, 0
	programs, want := 150, [3]int{117, 1076, 37}
	if nightly() {
		programs, want = 500, [3]int{364, 2614, 108}
	}
	for seed := range uint64(programs) {
		p := earlyProgram(seed)
		build := func(sys *pulse.System) func() error {
			check := p.Build(sys)
			if seed%2 == 0 {
				sys.RunFor(time.Duration(seed % 5))
				sys.Send(p.world.refs[seed/10%2], newNote(int(seed/20%kinds), 1, 0))
			}
			return check
		}
		all, ok := e.enumerate(p.options(), build, 500)
		if !ok {
			continue
		}
		got := r.exploreBuild(p.options(), build, explore.Options{Method: explore.Method{Reduction: explore.SourceSets}})
		if why := got.misses(all); why != "" {
			t.Errorf("program %d: %s", seed, why)
		}
		compared, runs, wasted = compared+1, runs+got.Runs, wasted+got.Wasted
	}
	if got := [3]int{compared, runs, wasted}; got != want {
		t.Errorf("%d programs take %d runs, %d are wasted; want %d", compared, runs, wasted, want)
	}
}
