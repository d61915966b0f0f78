package explore_test

import (
	"maps"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
)

// TestWorkersAgree holds that several workers find what one finds, and that
// what they come to does not depend on how many there are.
func TestWorkersAgree(t *testing.T) {
	e := &enumerator{}
	defer e.close()
	for seed := range uint64(agreementPrograms() / 10) {
		p := newProgram(seed, agreementFeatures(seed))
		all, ok := e.enumerate(p.options(), p.Build, 2000)
		if !ok {
			continue
		}
		for _, r := range explore.Reductions() {
			two, five := withWorkers(p, r, 2), withWorkers(p, r, 5)
			if why := two.misses(all); why != "" {
				t.Fatalf("program %d, %v: %s\n%v", seed, r, why, p)
			}
			if two.Runs != five.Runs || two.Wasted != five.Wasted || two.Steps != five.Steps || two.Distinct != five.Distinct ||
				!maps.Equal(two.passing, five.passing) || !maps.Equal(two.failing, five.failing) {
				t.Fatalf("program %d, %v: with two workers %+v, with five %+v\n%v", seed, r, two.Result, five.Result, p)
			}
		}
	}
}

func withWorkers(p *program, r explore.Reduction, workers int) *explored {
	var rigs []*rig
	var team []*worker
	for range workers {
		q := p.clone()
		rigs = append(rigs, &rig{})
		team = append(team, rigs[len(rigs)-1].worker(q.options(), q.Build))
	}
	got := exploreWith(explore.Options{Method: explore.Method{Reduction: r, CountDistinct: true}}, nil, team...)
	for _, r := range rigs {
		if r.sys != nil {
			r.sys.Close()
		}
	}
	return got
}
