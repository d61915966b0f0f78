package search

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/paxosquorum"
	"github.com/jostle-go/jostle/fuzz/subjects/raftdupvote"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// spreadRuns is the number of runs in which Explore must find a subject's bug. notFound stands for more
// runs.
const (
	spreadRuns = 20_000
	notFound   = 10 * spreadRuns
)

// spreadSubjects are the subjects with their drawn inputs, and two subjects with one input that has too many
// orders.
func spreadSubjects() (list []subjects.Subject) {
	list = fewSubjects()
	if !golden.Whole() {
		return list
	}
	for _, s := range []struct {
		name  string
		build subjects.Build
	}{
		{"raft-dupvote", raftdupvote.Config{Nodes: 7, Candidates: 3}.Build},
		{"paxos-quorum", paxosquorum.Config{Acceptors: 5, Values: []int{1, 2, 3}}.Build},
	} {
		large, _ := subjects.ByName(s.name)
		large.Broken = s.build
		large.Name += ", large"
		large.Property = large.Smallest
		list = append(list, large)
	}
	return list
}

// foundAfter returns the number of runs after which Explore finds a failure.
func foundAfter(t *testing.T, x *exploring, err error) int {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	if x.verdict.Failing() == 0 {
		return notFound
	}
	return x.made
}

// inTurns explores with inputs in turns, as Explore does.
func inTurns(t *testing.T, property func(*props.T), seed uint64) int {
	x := newExploring(context.Background(), Property{Name: t.Name(), Func: property}, ExploreOptions{Runs: spreadRuns, Seed: seed})
	defer x.close()
	return foundAfter(t, x, x.all())
}

// oneByOne explores one input after another, each
// depth-first.
func oneByOne(t *testing.T, property func(*props.T), seed uint64) int {
	o := ExploreOptions{Runs: spreadRuns, Seed: seed, Method: explore.Method{DepthFirst: true}}
	x := newExploring(context.Background(), Property{Name: t.Name(), Func: property}, o)
	defer x.close()
	for !x.ended && x.inputs.next() {
		in, err := x.begin()
		if err == nil {
			err = x.goOn(in, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return foundAfter(t, x, nil)
}

// Explore, which alternates between inputs and makes probes, finds failures that a depth-first exploration of one
// input after another misses. The other failures it finds after about twice as many runs at most, plus one run of
// each input.
//
// Skips: with -short, since it runs on one goroutine, and for long.
func TestExploreIsSpread(t *testing.T) {
	if testing.Short() {
		t.Skip("it runs on one goroutine, and for long")
	}
	const seeds, inputs = 5, defaultInputs
	var b strings.Builder
	fmt.Fprintf(&b, "%-22s%36s   %s\n", "runs until found", "one by one, depth-first", "in turns, with probes")
	missed, lost, gained := 0, 0, 0
	for _, s := range spreadSubjects() {
		var before, after []int
		for seed := uint64(1); seed <= seeds; seed++ {
			before = append(before, oneByOne(t, s.Property(false), seed))
			after = append(after, inTurns(t, s.Property(false), seed))
			switch was, is := before[seed-1] < notFound, after[seed-1] < notFound; {
			case was && !is:
				lost++
			case is && !was:
				gained++
			case !is:
				missed++
			}
		}
		fmt.Fprintf(&b, "%-22s%s  %s\n", s.Name, cells(before), cells(after))
		slices.Sort(before)
		slices.Sort(after)
		if was, is := before[seeds/2], after[seeds/2]; is > 2*was+inputs {
			t.Errorf("%s: found after %d runs, and after %d depth-first", s.Name, is, was)
		}
	}
	if golden.Whole() {
		fmt.Fprintf(&b, "found in turns and not one by one: %d searches; the other way round: %d; in neither way: %d\n", gained, lost, missed)
	}
	if lost > 0 {
		t.Errorf("%d searches found nothing and did before", lost)
	}
	golden.Part(t, "testdata/spread.golden", b.String())
}

// cells formats numbers of runs.
func cells(list []int) string {
	var b strings.Builder
	for _, n := range list {
		text := fmt.Sprint(n)
		if n == notFound {
			text = "-"
		}
		fmt.Fprintf(&b, "%7s", text)
	}
	return b.String()
}

// sizedInputs draws a number by OneOf. That many clients send to one actor. It fails for the seventh
// input.
func sizedInputs(told func(size int)) func(*props.T) {
	return func(t *props.T) {
		size := props.OneOf(t, "size", 12, 11, 2, 10, 3, 9, 5)
		sys, said := t.System(), ""
		trial.Crowd(sys, size, func(word string) { said += word })
		sys.Run()
		told(size)
		if size == 5 && said == "edcba" {
			t.Error("backwards")
		}
	}
}

// Explore alternates between inputs, small inputs first, in parts that double in size. So it finds the failure of the
// seventh input although the first input has 12! orders.
func TestInputsTakeTurns(t *testing.T) {
	var turns []string
	last, n := 0, 0
	x := exploreFor(t, ExploreOptions{Runs: 20_000}, sizedInputs(func(size int) {
		if size != last && last != 0 {
			turns = append(turns, fmt.Sprintf("%d:%d", last, n))
			n = 0
		}
		last = size
		n++
	}))
	// "12:2" stands for two consecutive runs of the input 12. One run of each input is a
	// repetition, which does not count.
	want := "12:2 11:2 2:2 10:2 3:2 9:2 5:2 2:1 3:5 5:32 9:32 10:32 11:32 12:32"
	if got := strings.Join(turns, " "); !strings.HasPrefix(got, want) || x.Verdict.Inputs != 7 || len(x.Found) != 1 || x.made != 188 {
		t.Errorf("%d runs, %v\ngot  %s\nwant %s", x.made, x.Verdict, got, want)
	}
}

// If Explore completes all inputs in turns, the result is the same as with one input after another.
func TestTurnsChangeNoCount(t *testing.T) {
	for _, workers := range []int{1, 2} {
		o := ExploreOptions{KeepOn: true, Workers: workers}
		x := exploreFor(t, o, func(t *props.T) {
			size := props.OneOf(t, "size", 6, 1, 5, 7, 3)
			sys, said := t.System(), ""
			trial.Crowd(sys, size, func(word string) { said += word })
			sys.Run()
			if strings.HasPrefix(said, "c") {
				t.Errorf("c is first of %d", size)
			}
		})
		v := &x.Verdict
		if !v.Complete || v.Runs != 720+1+120+5040+6 || v.Distinct != v.Runs || v.Inputs != 5 || v.Failing() != 120+24+720+2 || x.finishedRuns() != v.Runs ||
			x.made != v.Runs+v.Probes || v.Probes == 0 {
			t.Errorf("%d workers: %v; %d ended, %d made", workers, v, x.finishedRuns(), x.made)
		}
	}
}

// If there are more inputs than Explore draws at once, or has open at once, each still gets its turn while runs
// are left.
func TestManyInputs(t *testing.T) {
	trial.Long(t)
	for _, c := range []struct{ values, clients, runs, inputs int }{
		{1000, 2, 100_000, 1000}, {1000, 9, 300, 64}, {1000, 9, 9000, 192}, {1000, 9, 50_000, mostOpen}, {100, 3, 100_000, 100},
	} {
		x := exploreFor(t, ExploreOptions{Runs: c.runs}, func(t *props.T) {
			values := make([]int, c.values)
			for i := range values {
				values[i] = i
			}
			props.OneOf(t, "n", values...)
			sys := t.System()
			trial.Crowd(sys, c.clients, func(string) {})
			sys.Run()
		})
		if v := &x.Verdict; v.Inputs != c.inputs || v.Complete != (c.clients < 9) || !v.Complete && (x.made != c.runs || v.Bound != "runs") {
			t.Errorf("%+v: %v, %d runs made", c, v, x.made)
		}
	}
}

// A failure that a probe finds is confirmed, saved and reported like any other failure.
func TestProbesAreFindings(t *testing.T) {
	for _, workers := range []int{1, 3} {
		x := exploreFor(t, ExploreOptions{Runs: 100_000, Workers: workers}, func(t *props.T) {
			sys, said := t.SystemWith(pulse.Options{}), ""
			trial.Crowd(sys, 11, func(word string) { said += word })
			sys.Run()
			if said[0] == 'k' {
				t.Error("the last comes first")
			}
		})
		if len(x.Found) != 1 || x.Found[0].Replays != 2 || x.Verdict.Failing() != 1 || x.Verdict.Bound != "failure" || len(x.Lost)+len(x.Complaints) > 0 {
			t.Errorf("%d workers: %v, found %+v, lost %q, %q", workers, x.Verdict, x.Found, x.Lost, x.Complaints)
			continue
		}
		if want := "a random run, in addition to 2,010 runs (explore, optimal), "; workers == 1 && !strings.HasPrefix(x.Found[0].Run, want) {
			t.Errorf("told as %q, want %q", x.Found[0].Run, want)
		}
	}
}

// If the inputs of a property have far too many orders, the advice recommends
// Check.
func TestAdviceAfterTurns(t *testing.T) {
	x := exploreFor(t, ExploreOptions{Runs: 20_000, Progress: func(explore.Progress) {}}, func(t *props.T) {
		props.OneOf(t, "n", 1, 2, 3)
		sys := t.System()
		trial.Crowd(sys, 12, func(string) {})
		sys.Run()
	})
	const want = "there are about 1,400,000,000 orders, not counting inputs that were not started: use Check, which finds more in the same time, or make the input smaller"
	if got := x.Verdict.Advice(); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// If the exploration of one input restarts with another reduction after some turns, it forgets only the runs
// of this input.
func TestTurnsThatBeginAgain(t *testing.T) {
	property := func(sizes ...int) func(*props.T) {
		return func(t *props.T) {
			size := props.OneOf(t, "size", sizes...)
			sys, said := t.System(), ""
			trial.Crowd(sys, size, func(word string) {
				if said += word; said == "fdb" {
					t.Fatal("f, d, b") // the run ends here, so the search does not see the order of the other words
				}
			})
			sys.Run()
		}
	}
	for _, workers := range []int{1, 2} {
		o := ExploreOptions{KeepOn: true, Workers: workers, Method: explore.Method{DepthFirst: true}}
		all := exploreFor(t, o, property(5, 6, 4))
		v := &all.Verdict
		if !v.Complete || v.Because == "" || all.finishedRuns() != v.Runs || len(all.Found) != 1 {
			t.Errorf("%d workers: %v; %d ended, found %d", workers, v, all.finishedRuns(), len(all.Found))
		}
		runs, failed := 0, 0
		for _, size := range []int{5, 6, 4} {
			one := exploreFor(t, o, property(size))
			runs, failed = runs+one.Verdict.Runs, failed+one.Verdict.Failing()
		}
		if v.Runs != runs || v.Failing() != failed || failed == 0 {
			t.Errorf("%d workers: %d runs and %d failures in turns, %d and %d one by one", workers, v.Runs, v.Failing(), runs, failed)
		}
	}
}
