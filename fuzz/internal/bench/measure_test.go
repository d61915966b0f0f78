package bench

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/strategy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// some returns the subjects with the given names.
func some(t *testing.T, names ...string) (list []subjects.Subject) {
	t.Helper()
	for _, name := range names {
		s, ok := subjects.ByName(name)
		if !ok {
			t.Fatalf("there is no subject %s", name)
		}
		list = append(list, s)
	}
	return list
}

// runsOf returns the searches of a table without their times.
func runsOf(t *Table) (list []Search) {
	for _, s := range t.Searches {
		s.Time = 0
		list = append(list, s)
	}
	return list
}

// TestMeasureRepeats: the runs of all searches repeat, also with more workers, and with
// some of them kept.
func TestMeasureRepeats(t *testing.T) {
	o := Options{Subjects: some(t, "writer", "barber", "guard"), Seeds: 3, Runs: 50}
	first := measured(t, o)
	if n := len(first.Searches); n != 3*len(Arms())*3 {
		t.Fatalf("%d searches", n)
	}
	ends := map[End]int{}
	for _, s := range first.Searches {
		ends[s.End]++
		if s.Time <= 0 {
			t.Errorf("%+v took no time", s)
		}
	}
	if ends[Found] == 0 || ends[OutOfRuns] == 0 || ends[OutOfTime] != 0 {
		t.Errorf("searches end by %v", ends)
	}
	o.Workers = 3
	over := 0
	o.Progress = func(n, all int) {
		if over++; n != over || all != len(first.Searches) {
			t.Errorf("%d of %d are over, want %d of %d", n, all, over, len(first.Searches))
		}
	}
	again := measured(t, o)
	for i, s := range runsOf(again) {
		if want := runsOf(first)[i]; s != want {
			t.Errorf("%+v, and with three workers %+v", want, s)
		}
	}
	o.Progress = func(_, all int) {
		if all != len(Arms()) {
			t.Errorf("%d searches are made although the others are kept", all)
		}
	}
	o.Kept = &Table{}
	for _, s := range first.Searches {
		if s.Subject != "guard" || s.Seed != 2 {
			o.Kept.Searches = append(o.Kept.Searches, s)
		}
	}
	for i, s := range runsOf(measured(t, o)) {
		if want := runsOf(first)[i]; s != want {
			t.Errorf("%+v, and with others kept %+v", want, s)
		}
	}
}

// endless returns a subject whose runs are slow and never fail.
func endless() subjects.Subject {
	return subjects.Subject{Name: "endless", Property: func(bool) func(*props.T) {
		return func(t *props.T) {
			time.Sleep(time.Millisecond)
			t.System().Run()
		}
	}}
}

// TestMeasureIsBounded: a search ends when its time is up, and records
// this as its end. The next measurement repeats such searches.
func TestMeasureIsBounded(t *testing.T) {
	arms, _ := ArmsByName(Random)
	o := Options{Subjects: []subjects.Subject{endless()}, Arms: arms, Seeds: 2, Time: 5 * time.Millisecond}
	table := measured(t, o)
	for _, s := range table.Searches {
		if s.End != OutOfTime || s.Runs < 1 || s.Runs >= s.Most {
			t.Errorf("%+v", s)
		}
	}
	o.Kept = table
	made := 0
	o.Progress = func(over, _ int) { made = over }
	if measured(t, o); made != 2 {
		t.Errorf("%d of 2 searches that ran out of time are made again", made)
	}
}

// TestMeasureEndsWithItsContext: when the context is done, Measure discards the current
// search and its cell. The options of the test set no other reachable limit.
func TestMeasureEndsWithItsContext(t *testing.T) {
	arms, _ := ArmsByName(Random)
	for _, at := range []int{1, 50} {
		ctx, cancel := context.WithCancel(context.Background())
		n := 0
		ends := subjects.Subject{Name: "ends", Property: func(bool) func(*props.T) {
			return func(t *props.T) {
				if n++; n == at {
					cancel()
				}
				t.System().Run()
			}
		}}
		o := Options{Subjects: append(some(t, "writer"), ends), Arms: arms, Seeds: 1, Runs: math.MaxInt32, Time: time.Hour}
		table, err := Measure(ctx, o)
		cancel()
		if !errors.Is(err, context.Canceled) || len(table.Searches) != 1 || table.Searches[0].Subject != "writer" {
			t.Errorf("canceled in run %d: %v, %+v", at, err, table)
		}
	}
}

func TestOptionsAreRefused(t *testing.T) {
	entries, err := search.Strategies("random", "pos")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o    Options
		want string
	}{
		{Options{Seeds: -1}, "bench: -1 seeds, 0 runs, a time of 0s and 0 workers: none may be less than zero"},
		{Options{Runs: -1}, "bench: 0 seeds, -1 runs, a time of 0s and 0 workers: none may be less than zero"},
		{Options{Time: -1}, "bench: 0 seeds, 0 runs, a time of -1ns and 0 workers: none may be less than zero"},
		{Options{Workers: -1}, "bench: 0 seeds, 0 runs, a time of 0s and -1 workers: none may be less than zero"},
		{Options{Arms: []Arm{{Name: "a", Portfolio: entries}, {Name: "a", Portfolio: entries}}}, `bench: there are two arms "a"`},
		{Options{Subjects: some(t, "writer", "bank", "writer")}, `bench: there are two subjects "writer"`},
	} {
		if table, err := Measure(context.Background(), c.o); table != nil || err == nil || err.Error() != c.want {
			t.Errorf("%v, want %s", err, c.want)
		}
	}
}

// TestArms: each strategy of package search is an arm, and names are unique.
func TestArms(t *testing.T) {
	var names []string
	for _, a := range Arms() {
		names = append(names, a.Name)
	}
	text := " " + strings.Join(names, " ") + " "
	for _, name := range append([]string{"portfolio", "delay", "delays", "jitter"}, search.Names()...) {
		if strings.Count(text, " "+name+" ") != 1 {
			t.Errorf("%s is not there once: %s", name, text)
		}
	}
	if names[0] != Random {
		t.Errorf("the first arm is %s", names[0])
	}
	for _, name := range strategy.Names() {
		if _, err := ArmsByName(name); err != nil {
			t.Error(err)
		}
	}
	if _, err := ArmsByName("random", "none"); err == nil || err.Error() != `there is no arm "none"; arms are`+strings.ReplaceAll(strings.TrimRight(text, " "), " ", ", ")[1:] {
		t.Error(err)
	}
}
