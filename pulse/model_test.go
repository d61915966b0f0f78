package pulse_test

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse/legal"
)

// modelPrograms returns how many random programs a test runs on pulse and on the model.
func modelPrograms() int {
	switch {
	case os.Getenv("JOSTLE_NIGHTLY") != "":
		return 1_000_000
	case testing.Short():
		return 3000
	}
	return 5300 // Each planted fault is found within half of this number of programs.
}

// differs runs a program on pulse and on the model. It returns the first
// difference, or the first invariant that pulse breaks.
func differs(p *player, program *modelProgram, fault string) string {
	log := p.play(program)
	if p.broken != "" {
		return p.broken
	}
	w := &modelWorld{modelProgram: program.clone(), fault: fault, log: log}
	return w.judge()
}

// TestModel checks that pulse does what its documentation says and the model
// implements. Compared are the deliverable messages before each step, the
// effects of the step, the clock, the living actors, the messages left at the
// end and the failure.
func TestModel(t *testing.T) {
	p := &player{}
	defer func() { p.sys.Close() }()
	for seed := range uint64(modelPrograms()) {
		program := newModelProgram(seed)
		if differs(p, program, "") != "" {
			small := program.shrink(func(q *modelProgram) bool { return differs(p, q, "") != "" })
			t.Fatalf("program %d, made smaller:\n%v%s", seed, small, differs(p, small, ""))
		}
		if !program.options.record {
			continue
		}
		if err := legal.Check(p.sys.Options(), p.sys.Trace(), p.sys.Record()); err != nil {
			t.Fatalf("program %d makes an illegal run: %v\n%s", seed, err, p.sys.Trace().Text())
		}
	}
}

// TestModelFindsPlantedFaults checks that the comparison can fail: each fault
// planted into the model is found within the number of programs that TestModel runs.
func TestModelFindsPlantedFaults(t *testing.T) {
	trial.Long(t)
	p := &player{}
	defer func() { p.sys.Close() }()
	var text strings.Builder
	for _, fault := range []string{
		"channels keep no order",
		"the last match is taken",
		"a timer comes late",
		"orphans are not counted",
		"an answer comes twice",
		"watchers are not told",
		"watches outlive a crash",
		"a delay holds back the whole channel",
		"a late answer is taken",
		"early timers have no budget in the next run",
		"a held message costs no early timer",
		"a cut actor's messages are lost",
		"periodic timers rest too soon",
		"the rest of a step is done",
		"a crash takes what was synced",
		"a first start is forgotten",
		"a state that was lost is kept",
		"a loss has no end",
		"a cut makes a deadlock",
		"a cut is no way back",
		"a restart loses no state",
		"an Unwatch is too late",
		"no mailbox has a bound",
		"what is sent later ends with its sender",
	} {
		found := false
		for seed := uint64(0); seed < uint64(modelPrograms()) && !found; seed++ {
			program := newModelProgram(seed)
			if found = differs(p, program, fault) != ""; found {
				fmt.Fprintf(&text, "%s: TestModel sees it in program %d of 5,300\n", fault, seed+1)
			}
		}
		if !found {
			t.Errorf("%s: not found", fault)
		}
	}
	golden.File(t, "testdata/planted.golden", text.String())
}
