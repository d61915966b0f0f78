package pulse_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A mirror maintains a copy of the list of deliverable messages by means of
// Enabled.Changed.
type mirror struct {
	view pulse.View
	seqs []int32
	all  int // how many times Changed reported all messages as changed
}

func (m *mirror) look(e *pulse.Enabled) error {
	at, from := e.Changed(&m.view)
	if from == 0 {
		m.all++
	}
	if at >= 0 && at < len(m.seqs) && at < e.Len() {
		m.seqs[at] = e.Seq(at)
	}
	m.seqs = m.seqs[:min(from, len(m.seqs))]
	for i := len(m.seqs); i < e.Len(); i++ {
		m.seqs = append(m.seqs, e.Seq(i))
	}
	for i, seq := range m.seqs {
		if e.Seq(i) != seq {
			return fmt.Errorf("message %d is another than the view has (index %d, all from %d, of %d)", i, at, from, e.Len())
		}
	}
	return nil
}

// A mirroring strategy maintains three copies of the list of deliverable
// messages. It updates one once in each Pick, one in most Picks, and one twice
// in each Pick. Sometimes it holds messages back.
type mirroring struct {
	pulse.Strategy
	random              *rand.Rand
	always, often, oldy mirror
	picks               int
	err                 error
}

func (*mirroring) Needs() pulse.Needs { return pulse.Needs{Single: true} }

func (m *mirroring) Pick(e *pulse.Enabled) int {
	m.picks++
	for _, x := range []*mirror{&m.always, &m.often, &m.oldy, &m.oldy} {
		if x == &m.often && m.random.IntN(4) == 0 {
			continue
		}
		if err := x.look(e); err != nil && m.err == nil {
			m.err = fmt.Errorf("step %d: %w", e.Step(), err)
		}
	}
	if e.CanHold() && m.random.IntN(3) == 0 {
		return pulse.Hold
	}
	return m.random.IntN(e.Len())
}

// TestChanged compares the deliverable messages with the mirrors, in programs
// that use every feature.
func TestChanged(t *testing.T) {
	for name, o := range trial.Settings() {
		m := &mirroring{Strategy: strategy.Random(), random: rand.New(rand.NewPCG(1, 2))}
		o.Strategy = m
		sys := newSystem(t, o)
		for seed := range uint64(300) {
			sys.Reset(seed)
			trial.Rich(sys)
			if m.err != nil {
				t.Fatalf("%s, seed %d: %v", name, seed, m.err)
			}
		}
		t.Logf("%s: %d of %d times all was new", name, m.always.all, m.picks)
	}
}

// TestTournament compares a Tournament with a list.
func TestTournament(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	var tree pulse.Tournament
	for round := range 300 {
		tree.Reset()
		if tree.First() != 0 {
			t.Fatalf("round %d: word %d is the largest after Reset", round, tree.First())
		}
		list := make([]uint64, 1+r.IntN(200))
		for range 300 {
			i, key := r.IntN(len(list)), uint64(r.IntN(4))
			if key == 3 { // many are equal
				key = math.MaxUint64 - uint64(r.IntN(2))
			}
			list[i] = key
			tree.Set(i, key)
			best := 0
			for j, k := range list {
				if k > list[best] {
					best = j
				}
			}
			if tree.First() != best {
				t.Fatalf("round %d: word %d is the largest, want %d of %d", round, tree.First(), best, list)
			}
		}
	}
}
