package finding

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse/choice"
)

// TestConditions checks the conditions of the cases that three seeds find of one bug. Mostly
// all seeds give one condition. If there are too many orders to run, a bug may have several,
// and the corpus saves a case for each. A failure that no order decides has an empty
// condition.
func TestConditions(t *testing.T) {
	trial.Long(t)
	for name, want := range map[string][]string{
		"writer": {"flush from terminator at writer before write(1) from action at writer"},
		"barber": {"wake from customer.1 at barber before nobody from room at barber and wake from customer.2 at barber before nobody from room at barber"},
		"guard":  {""},
		"raft-dupvote": {"plain order, but grantVote(1) from node.3 at node.2 (number 2) before requestVote(1) from node.1 at node.3",
			"plain order, but requestVote(1) from node.2 at node.3 before requestVote(1) from node.1 at node.3",
			"plain order, but requestVote(1) from node.2 at node.4 before requestVote(1) from node.1 at node.4"},
	} {
		if name == "raft-dupvote" && !nightly() { // this subject takes most of the time
			continue
		}
		s, ok := subjects.ByName(name)
		if !ok {
			t.Fatalf("there is no subject %s", name)
		}
		var got []string
		for seed := range uint64(3) {
			got = append(got, shrunkBy(t, s.Property(false), seed+1, 5000).Finding.Case.Condition)
		}
		slices.Sort(got)
		if got = slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s: the conditions are\n%q, expected\n%q", name, got, want)
		}
	}
}

// TestConstraintsOnWhatIsNotSent checks constraints on a message that the run never sends. A constraint that
// delays this message is removed from the case. A constraint that makes another message wait for it stays,
// because it delays the other message as long as possible. The report says so.
func TestConstraintsOnWhatIsNotSent(t *testing.T) {
	writer, _ := subjects.ByName("writer")
	p, f := foundBy(t, writer.Property(false), 1)
	r := p.runner()
	defer r.Close()
	s := &shrinking{runner: r, early: f.Case.EarlyTimers}
	out, why := s.first(f)
	if why != "" {
		t.Fatal(why)
	}
	const sent, unsent = 1, 1 << 40 // the identities used for the two messages below
	res := s.run(out.Case)
	id := res.System.Host().StepID(&res.System.Trace().Sends[0])
	late := choice.Constraint{First: unsent, Second: id}
	out.Case.Schedule.Before = []choice.Constraint{late, {First: id, Second: unsent}}
	s.unbind(&out.Case)
	if got := out.Case.Schedule.Before; !slices.Equal(got, []choice.Constraint{late}) {
		t.Errorf("these constraints are left: %v", got)
	}

	e := explanation{Before: []choice.Constraint{{First: unsent, Second: sent}},
		steps: map[uint64]stepName{sent: {message: "write", sender: "action", receiver: "writer"}}}
	for _, c := range []struct{ got, want string }{
		{e.String(), "fails in plain order, where the oldest message comes first, but with write at writer as late as it can come;\n    there are too many orders to run them all, and there was no time to sample some"},
		{e.inFull(e.Before), "write from action at writer as late as it can come"},
		{e.message(unsent), "a message that this run does not send"},
	} {
		if c.got != c.want {
			t.Errorf("got  %q\nwant %q", c.got, c.want)
		}
	}
}
