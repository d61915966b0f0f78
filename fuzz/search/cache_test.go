package search

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// packed is a property with 7 messages to one actor.
func packed() Property {
	return Property{Name: "crowd", Test: "TestCrowd", Func: func(t *props.T) {
		sys := t.System()
		trial.Crowd(sys, 7, func(string) {})
		sys.Run()
	}}
}

// summary is the part of a search's result that must not depend on a cache.
func summary(res Result) [3]int {
	return [3]int{res.Index, res.Tally.Runs - res.By[cached], len(res.Complaints())}
}

// A search with a cache first covers everything that an earlier search covered, with as few runs as possible. Its
// other runs are those of a search without a cache.
func TestCache(t *testing.T) {
	for _, workers := range []int{1, 2} {
		p := packed()
		o := Options{Runs: 2000, Seed: 1, Workers: workers}
		plain := Sample(t.Context(), p, o)
		if plain.Cached != (Cached{}) || plain.Cached.String() != "" {
			t.Errorf("a search without a cache had %+v", plain.Cached)
		}
		o.Cache = p.Cache(t.TempDir())
		first := Sample(t.Context(), p, o)
		if first.Cached.Ran != 0 || first.Cached.Kept == 0 || first.Cached.Kept > 60 || summary(first) != summary(plain) || pairs(&first) != pairs(&plain) {
			t.Errorf("%d workers: the first search had %+v, %+v; without a cache %+v", workers, first.Cached, first.Tally, plain.Tally)
		}
		o.Runs, o.Workers = 1, 1
		second := Sample(t.Context(), p, o)
		if second.Cached.Ran != first.Cached.Kept || pairs(&second) < pairs(&first) || second.Runs != 1+first.Cached.Kept || second.By[cached] != first.Cached.Kept {
			t.Errorf("%d workers: the second search had %+v, %d pairs; the first %+v, %d", workers, second.Cached, pairs(&second), first.Cached, pairs(&first))
		}
		t.Logf("%d workers: %d cases have the %d pairs of %d runs", workers, first.Cached.Kept, pairs(&second), plain.Runs)
		if again := Sample(t.Context(), p, o); pairs(&again) != pairs(&second) || again.Cached.Kept > second.Cached.Kept {
			t.Errorf("%d workers: the third search had %+v, %d pairs", workers, again.Cached, pairs(&again))
		}
	}
}

// A cache that is too small for all cases reports the number of cases that it has saved, and no
// more.
func TestCacheIsFull(t *testing.T) {
	p := packed()
	o := Options{Runs: 300, Seed: 1, Cache: p.Cache(t.TempDir())}
	whole := Sample(t.Context(), p, o).Cached
	o.Cache = p.Cache(t.TempDir())
	o.Cache.Bytes = 1000
	part := Sample(t.Context(), p, o).Cached
	if n := len(o.Cache.Load().Cases); part.Kept != n || n == 0 || n >= whole.Kept {
		t.Errorf("%q, but there are %d cases, of %d", part, n, whole.Kept)
	}
}

// The failures that a search finds do not depend on the cache, unless one of the cached cases fails.
func TestSameSeedWithACache(t *testing.T) {
	broken, mended := trialOf(false), trialOf(true)
	o := Options{Runs: 5000, Seed: 1}
	plain := Sample(t.Context(), broken, o)
	if plain.Finding == nil {
		t.Fatal("nothing was found")
	}
	o.Cache = broken.Cache(t.TempDir())
	for i := range 3 {
		with := Sample(t.Context(), broken, o)
		if with.Finding == nil || with.Index != plain.Index || !with.Finding.Case.Same(&plain.Finding.Case) {
			t.Errorf("search %d with a cache found run %d, without one run %d", i, with.Index, plain.Index)
		}
	}
	if res := Sample(t.Context(), mended, o); res.Finding != nil || res.Cached.Ran == 0 {
		t.Errorf("of a mended program: %+v", res.Cached)
	}
	o.Runs = 1
	res := Sample(t.Context(), broken, o)
	if f := res.Finding; f == nil || f.Case.Strategy != cached || f.Replays != 2 || res.Index+1 != res.Runs {
		t.Errorf("a case of the cache that fails now is not found: %+v, %+v", res.Cached, res.Tally)
	}
	res = Sample(t.Context(), mended, o)
	if res.Cached.Ran == 0 {
		t.Error("the cases after one that fails are lost")
	}
}

// trialOf sends three messages to one actor, and fails if the third comes first.
func trialOf(mended bool) Property {
	return Property{Name: "third", Test: "TestThird", Func: func(t *props.T) {
		sys := t.System()
		first := ""
		hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) {
			if first == "" {
				first = msg.(string)
			}
		}))
		for _, name := range []string{"a", "b", "c", "d", "e", "f"} {
			sys.Send(sys.Spawn("door", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) })), name)
		}
		sys.Run()
		if first == "f" && !mended {
			t.Error("the last came first")
		}
	}}
}

// If a run of a cached case kills the process, the run can be replayed alone.
func TestCachedRunsAreMadeAgain(t *testing.T) {
	broken, mended := trialOf(false), trialOf(true)
	o := Options{Runs: 500, Seed: 1, Cache: mended.Cache(t.TempDir())}
	kept := Sample(t.Context(), mended, o).Cached.Kept
	found := 0
	for i := range kept + 1 {
		f, reached := Rerun(t.Context(), broken, o, 0, flight.Run{Phase: flight.Cached, Index: i})
		if reached != (i < kept) {
			t.Errorf("case %d of %d was run: %v", i, kept, reached)
		}
		if f != nil {
			found++
		}
	}
	if found == 0 || found == kept {
		t.Errorf("%d of %d cases fail", found, kept)
	}
}

// If the program has changed, the cache gets its cases as they run now. If the cache cannot be written, the search
// reports that.
func TestCacheOfAChangedProgram(t *testing.T) {
	p := packed()
	root := t.TempDir()
	o := Options{Runs: 200, Seed: 1, Cache: p.Cache(root)}
	Sample(t.Context(), p, o)
	other := trialOf(true)
	o.Runs = 50
	changed := Sample(t.Context(), other, o) // with the cache of another program
	if changed.Cached.Ran == 0 || changed.Cached.Kept == 0 || changed.Finding != nil {
		t.Errorf("%+v", changed.Cached)
	}
	for _, c := range o.Cache.Load().Cases {
		if c.Property != other.Name || len(c.Record.Deliveries) != 12 {
			t.Errorf("there is a case of %s with %d deliveries", c.Property, len(c.Record.Deliveries))
		}
	}
	file := filepath.Join(root, "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	o.Cache = distill.In(file, distill.Key{})
	res := Sample(t.Context(), other, o)
	if res.Cached.Err == nil || !strings.HasPrefix(res.Cached.String(), "cannot save the passing cases in "+file) {
		t.Errorf("%+v", res.Cached)
	}
}

// pairs returns the number of receive pairs that a search has seen.
func pairs(res *Result) int { return res.Orders.Count().Seen }
