package guide

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A Criterion says which two receives of one actor form a goal (see Goal). Only receives
// that count can form a goal. A receive counts if the actor could have received a
// different message. For example, the answer to a waiting process does not count.
type Criterion uint8

// The criteria, in the order in which the Bitá paper recommends to use them.
const (
	// PR is a pair of receives of which the first comes anywhere before the second
	// (definition 2 of the Bitá paper).
	PR Criterion = iota
	// PMR is a pair of receives of which at least one changes the handlers of the actor.
	// No receive between the two changes the handlers (definition 3).
	PMR
	// PCR is a pair of consecutive receives: no receive comes between the two (definition
	// 1).
	PCR
)

// Criteria returns the criteria in the order in which the Bitá paper recommends to use
// them.
func Criteria() []Criterion { return []Criterion{PR, PMR, PCR} }

func (c Criterion) String() string {
	names := [...]string{"PR", "PMR", "PCR"}
	if int(c) < len(names) {
		return names[c]
	}
	return fmt.Sprintf("guide.Criterion(%d)", uint8(c))
}

// A Goal is a receive pair that a search tries to achieve, given by the identities of the
// two steps. A run achieves the goal if step First comes before step Second and the two
// meet the criterion.
type Goal struct {
	Criterion     Criterion
	First, Second uint64
}

// Turned returns the reversed goal.
func (g Goal) Turned() Goal { return Goal{g.Criterion, g.Second, g.First} }

func (g Goal) key() uint64 {
	return (g.First+uint64(g.Criterion))*hash.Gamma ^ g.Second // good enough as a hash, because identities are hashes
}

// Achieved is a set of achieved goals.
type Achieved interface {
	Has(Goal) bool
	Add(Goal)
}

// Goals is a set of goals. The zero value is empty.
type Goals struct{ table hash.Table }

// Has reports whether a goal is in the set.
func (s *Goals) Has(g Goal) bool {
	_, ok := s.table.Get(g.key())
	return ok
}

// Add adds a goal.
func (s *Goals) Add(g Goal) { s.table.Count(g.key()) }

// Reset removes all goals and keeps the memory.
func (s *Goals) Reset() { s.table.Reset() }

// Times returns the number of times that a goal was added.
func (s *Goals) Times(g Goal) int32 {
	n, _ := s.table.Get(g.key())
	return n
}
