package coverage_test

import (
	"bytes"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/pulse/trace"
)

// An Orders still agrees with the definitions after unusual calls, such as an empty trace, limits
// below zero, or one ID for several runs.
func TestMisuse(t *testing.T) {
	all := traces(program{seed: 3}, 6)
	set := map[goal]int{}
	for _, c := range []struct {
		name string
		use  func(o *coverage.Orders)
	}{
		{"an empty trace", func(o *coverage.Orders) { o.Add(&trace.Trace{}, coverage.Run{}) }},
		{"another source in between", func(o *coverage.Orders) {
			o.Add(all[0], coverage.Run{Unguided: true})
			o.Source = 9
			o.Add(all[1], coverage.Run{Unguided: true})
		}},
		{"merged with nothing", func(o *coverage.Orders) { o.Merge(nil); o.Merge(o); o.Merge(&coverage.Orders{}) }},
		{"bounds below zero", func(o *coverage.Orders) { o.Steps, o.Bytes = -1, -1; o.Add(all[2], coverage.Run{}) }},
		{"one id for all runs", func(o *coverage.Orders) {
			for _, tr := range all {
				o.Add(tr, coverage.Run{ID: 1, Unguided: true})
			}
		}},
		{"a file into one that is in use", func(o *coverage.Orders) {
			if err := o.UnmarshalBinary(file(t, o)); err != nil {
				t.Error(err)
			}
		}},
	} {
		o := &coverage.Orders{}
		for _, tr := range all {
			o.Add(tr, coverage.Run{})
			slow(set, tr)
		}
		c.use(o)
		o.Add(all[0], coverage.Run{Unguided: true})
		compare(t, c.name, o, set)
		if again := read(t, file(t, o)); !bytes.Equal(file(t, again), file(t, o)) || again.Text() != o.Text() {
			t.Errorf("%s: the file says something else", c.name)
		}
	}
}

// No real system has two actors, or two steps, with the same identity.
func TestAlikeByIdentity(t *testing.T) {
	for _, id := range []uint64{0, 1} {
		tr := &trace.Trace{Actors: []trace.Actor{{ID: id}, {ID: id}}}
		for i := range int32(4) {
			tr.Steps = append(tr.Steps, trace.Step{ID: 7 * id, Send: i, Actor: i % 2, Prev: trace.None})
			tr.Sends = append(tr.Sends, trace.Send{To: i % 2, Step: trace.None})
		}
		o := &coverage.Orders{}
		for range 3 {
			o.Add(tr, coverage.Run{Unguided: true})
		}
		if o.Runs() != 3 || o.Memory() != o.Taken() {
			t.Errorf("actors %d: %d runs, %d bytes", id, o.Runs(), o.Memory())
		}
	}
}
