package search

import (
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
)

// TestConditions holds the conditions by which the corpus knows what three seeds find of
// one bug. Mostly it is one. Where there are too many orders to run them all, the same
// bug may have several, and the corpus keeps a case of each. What does not depend on the
// order of messages has none.
func TestConditions(t *testing.T) {
	for name, want := range map[string][]string{
		"writer": {"flush from terminator at writer before write(1) from action at writer"},
		"barber": {"wake from customer.1 at barber before nobody from room at barber and wake from customer.2 at barber before nobody from room at barber"},
		"guard":  {""},
		"raft-dupvote": {"plain order, but grantVote(1) from node.3 at node.2 (number 2) before requestVote(1) from node.1 at node.3",
			"plain order, but grantVote(1) from node.5 at node.2 (number 2) before requestVote(1) from node.1 at node.5",
			"plain order, but requestVote(1) from node.2 at node.3 before requestVote(1) from node.1 at node.3"},
	} {
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
