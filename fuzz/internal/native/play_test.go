package native

import (
	"bytes"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// must fails the test if a run failed unexpectedly.
func must(t testing.TB, f *pulse.Failure) {
	t.Helper()
	if f != nil {
		t.Fatal(f)
	}
}

func newRecorded(s pulse.Strategy) *pulse.System {
	return pulse.New(pulse.Options{Strategy: s, Record: true})
}

// runs is the number of runs of a program in a test: more
// at night, and few with -short, which then finds little.
func runs(n int) int {
	switch {
	case os.Getenv("JOSTLE_NIGHTLY") != "":
		return 20 * n
	case testing.Short():
		return n / 5
	}
	return n
}

func failureText(sys *pulse.System) string {
	if f := sys.Failure(); f != nil {
		return f.Error()
	}
	return ""
}

// newest picks the newest message and answers every choice with zero.
type newest struct{}

func (newest) Begin(uint64) {}

func (newest) Pick(e *pulse.Enabled) int {
	best := 0
	for i := range e.Len() {
		if e.Seq(i) > e.Seq(best) {
			best = i
		}
	}
	return best
}

func (newest) Choose(choice.Kind, int) int { return 0 }

type kick struct{}

// labels returns the labels of the steps of a run, in order.
func labels(t *trace.Trace) string {
	var list []string
	for i := range t.Steps {
		list = append(list, t.StepLabel(i))
	}
	return strings.Join(list, ", ")
}

// TestPlayOrders checks which orders of the subject writer the bytes of a draft
// give. Its messages are sent in the order execute, write, done, flush, flushed.
func TestPlayOrders(t *testing.T) {
	const (
		plain  = "action#1 ← execute, writer#1 ← write(1), terminator#1 ← done, writer#2 ← flush, terminator#2 ← flushed"
		broken = "action#1 ← execute, terminator#1 ← done, writer#1 ← flush, terminator#2 ← flushed, writer#2 ← write(1)"
		late   = "action#1 ← execute, terminator#1 ← done, writer#1 ← flush, writer#2 ← write(1), terminator#2 ← flushed"
	)
	tests := []struct {
		name  string
		draft Draft
		order string
	}{
		{"nothing is plain order", Draft{}, plain},
		{"equal bytes are plain order", Draft{Seed: 9, Priorities: []byte{7, 7, 7, 7, 7}}, plain},
		{"the highest comes first", Draft{Priorities: []byte{0, 1, 2, 2, 2}}, broken},
		{"the order is by value", Draft{Priorities: []byte{9, 1, 3, 5, 0}}, late},
		{"below plain", Draft{Priorities: []byte{0, 127}}, broken},
		{"as plain", Draft{Priorities: []byte{0, 128}}, plain},
		{"above plain", Draft{Priorities: []byte{0, 0, 129, 129}}, broken},
		{"a seed", Draft{Seed: 11}, late},
		{"another seed", Draft{Seed: 1}, plain},
		{"bytes before a seed", Draft{Seed: 1, Priorities: []byte{0, 0}}, broken},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			sys := pulse.New(pulse.Options{Strategy: Play(&test.draft)})
			defer sys.Close()
			for seed := range uint64(3) { // the seed must have no effect
				sys.Reset(seed)
				check := writer.Config{}.Build(sys)
				sys.Run()
				must(t, sys.Failure())
				if got := labels(sys.Trace()); got != test.order {
					t.Errorf("the order is\n%s, expected\n%s", got, test.order)
				}
				if broken := check() != nil; broken != (test.order != plain) {
					t.Errorf("broken: %v", broken)
				}
			}
		})
	}
}

// TestPlayAnswers checks that questions are answered by the draft, and then by its seed.
func TestPlayAnswers(t *testing.T) {
	answers := func(d *Draft) string {
		sys := newRecorded(Play(d))
		defer sys.Close()
		trial.Answered(5, 5, 5, 5, 5, 5, 5, 5)(sys)
		must(t, sys.Failure())
		var b strings.Builder
		for _, note := range sys.Trace().Notes {
			b.WriteString(note.Text)
		}
		return b.String()
	}
	if got := answers(&Draft{Answers: []byte{3, 4, 5}}); got != "34000000" {
		t.Errorf("with seed 0: %s", got)
	}
	a, b := answers(&Draft{Seed: 1, Answers: []byte{3, 4, 5}}), answers(&Draft{Seed: 2, Answers: []byte{3, 4, 5}})
	if a[:3] != "340" || b[:3] != "340" || a == b {
		t.Errorf("with seeds 1 and 2: %s and %s", a, b)
	}
}

// TestPlayFaultsAreRare: a draft without answers rarely causes a fault.
// A draft with a byte for a fault causes it exactly where the byte says.
func TestPlayFaultsAreRare(t *testing.T) {
	lost := func(d *Draft) int {
		o := pulse.Options{Strategy: Play(d), Faults: pulse.Faults{Drop: 100}, Record: true}
		sys := pulse.New(o)
		defer sys.Close()
		sink := sys.Spawn("sink", pulse.Func(func(*pulse.Ctx, any) {}))
		sys.Send(sys.Spawn("source", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for range 100 {
				ctx.Send(sink, kick{})
			}
		})), kick{})
		sys.Run()
		must(t, sys.Failure())
		return 101 - len(sys.Trace().Steps)
	}
	sum := 0
	for seed := range uint64(50) {
		sum += lost(&Draft{Seed: seed + 1})
	}
	if sum < 200 || sum > 450 {
		t.Errorf("%d of 5,000 messages were lost, expected about 1 in 16", sum)
	}
	if n := lost(&Draft{Answers: []byte{9, 255, 20, 192, 192}}); n != 3 {
		t.Errorf("%d messages were lost, expected 3", n)
	}
}

// caseOf returns the case of a system's last run.
func caseOf(sys *pulse.System, seed uint64) *corpus.Case {
	return &corpus.Case{Seed: seed, Record: *sys.Record().Clone()}
}

// TestDraftOfPrograms checks that a finished run, converted to a draft, to bytes and
// back, is repeated step by step.
func TestDraftOfPrograms(t *testing.T) {
	taken := 0
	for n := range uint64(runs(1000)) {
		for _, s := range []pulse.Strategy{strategy.Random(), strategy.POS(), strategy.PCT(strategy.PCTOptions{})} {
			o := pulse.Options{Strategy: s, Seed: n, Record: true, Delivery: pulse.Delivery(n % 2), EarlyTimers: int(n % 3)}
			sys := pulse.New(o)
			trial.Sparks(sys, n, 4)
			sys.Run()
			must(t, sys.Failure())
			taken += min(len(sys.Trace().Steps), 2)
			replayDraft(t, o, sys, func(sys *pulse.System) { trial.Sparks(sys, n, 4); sys.Run() })
			sys.Close()
		}
	}
	if taken < runs(1000) {
		t.Errorf("the programs do nothing")
	}
}

// replayDraft converts the last run to a draft, and fails the test if playing the draft gives another run.
func replayDraft(t *testing.T, o pulse.Options, sys *pulse.System, body func(*pulse.System)) {
	t.Helper()
	stored := draftOf(caseOf(sys, o.Seed), sys.Trace()).Bytes()
	var d Draft
	d.FromBytes(stored)
	o.Strategy = Play(&d)
	second := pulse.New(o)
	defer second.Close()
	body(second)
	if a, b := failureText(sys), failureText(second); a != b {
		t.Fatalf("seed %d: failed with %q, again with %q", o.Seed, a, b)
	}
	if a, b := sys.Trace(), second.Trace(); a.Hash != b.Hash {
		difference, _ := trace.Diff(a, b)
		t.Fatalf("seed %d: %v", o.Seed, difference)
	}
	if !bytes.Equal(d.Bytes(), stored) {
		t.Fatalf("seed %d: the bytes are not canonical", o.Seed)
	}
}

// TestDraftOfThreads checks the same for actors that continue in plain order.
func TestDraftOfThreads(t *testing.T) {
	for seed := range uint64(runs(200)) {
		o := pulse.Options{Strategy: strategy.Random(), Seed: seed, Record: true}
		sys := pulse.New(o)
		trial.Threads(3, 5)(sys)
		replayDraft(t, o, sys, trial.Threads(3, 5))
		sys.Close()
	}
	sys := newRecorded(nil)
	trial.Threads(3, 5)(sys)
	if got := prioritiesOf(sys.Trace()); slices.Min(got) != 255 {
		t.Errorf("plain order needs priorities: %v", got)
	}
}

// TestDraftOfRich checks the same as TestDraftOfPrograms, for a program with all features of the system.
func TestDraftOfRich(t *testing.T) {
	for name, o := range trial.Settings() {
		t.Run(name, func(t *testing.T) {
			for seed := range uint64(runs(100)) {
				o.Strategy, o.Record, o.Seed = strategy.Random(), true, seed
				sys := pulse.New(o)
				trial.Rich(sys)
				replayDraft(t, o, sys, trial.Rich)
				sys.Close()
			}
		})
	}
}

// TestDraftOfLongRuns: a draft can repeat a run of thousands
// of steps exactly, since only overtaking uses up priorities.
func TestDraftOfLongRuns(t *testing.T) {
	lengths := map[int]pulse.Strategy{700: strategy.Random(), 5000: strategy.PCT(strategy.PCTOptions{Depth: 50})}
	for steps, s := range lengths {
		for seed := range uint64(runs(10)) {
			o := pulse.Options{Strategy: s, Seed: seed, Record: true}
			sys := pulse.New(o)
			r := trial.NewRing(4, steps)
			r.Run(sys)
			replayDraft(t, o, sys, r.Run)
			sys.Close()
		}
	}
}

// TestPriorities checks the exact bytes of some runs.
func TestPriorities(t *testing.T) {
	tests := []struct {
		name     string
		strategy pulse.Strategy
		delivery pulse.Delivery
		sends    int
		want     []byte
	}{
		{"plain order", strategy.Plain(), pulse.DeliveryUnordered, 300, bytes.Repeat([]byte{255}, 300)},
		{"turned around", newest{}, pulse.DeliveryUnordered, 4, []byte{252, 253, 254, 255}},
		{"one channel", newest{}, pulse.DeliveryFIFO, 4, []byte{255, 255, 255, 255}},
		{"nothing sent", strategy.Plain(), pulse.DeliveryFIFO, 0, []byte{}},
	}
	for _, test := range tests {
		sys := newRecorded(test.strategy)
		sys.Configure(pulse.Options{Strategy: test.strategy, Record: true, Delivery: test.delivery})
		trial.Bunch(test.sends)(sys)
		must(t, sys.Failure())
		if got := prioritiesOf(sys.Trace()); !bytes.Equal(got, test.want) {
			t.Errorf("%s: %v, expected %v", test.name, got, test.want)
		}
		sys.Close()
	}
}

// TestPrioritiesRunOut: in a run each of 400 messages overtakes the
// one before it. A draft has room for the first 255 of these steps.
func TestPrioritiesRunOut(t *testing.T) {
	o := pulse.Options{Strategy: newest{}, Record: true, Delivery: pulse.DeliveryUnordered}
	sys := pulse.New(o)
	defer sys.Close()
	trial.Bunch(400)(sys)
	must(t, sys.Failure())
	d := Draft{Priorities: prioritiesOf(sys.Trace())}
	o.Strategy = Play(&d)
	second := pulse.New(o)
	defer second.Close()
	trial.Bunch(400)(second)
	must(t, second.Failure())
	difference, _ := trace.Diff(sys.Trace(), second.Trace())
	if difference.Step != 255 {
		t.Errorf("the runs differ first at %v", difference)
	}
}

func TestPlayAndOrderedAllocateNothing(t *testing.T) {
	r := trial.NewRing(30, 200)
	sys := newRecorded(strategy.Random())
	r.Run(sys)
	steps := sys.Trace().Clone().Steps
	sys.Close()
	draft := &Draft{Seed: 5, Answers: []byte{1, 2}, Priorities: make([]byte, 100)}
	order := &choice.Schedule{Seed: 3, Choices: []choice.Choice{{Kind: choice.Program, N: 2, Value: 1}}}
	for i := range 50 {
		order.Priorities = append(order.Priorities, choice.Priority{ID: steps[3*i].ID, P: uint64(i) << 50})
		order.Before = append(order.Before, choice.Constraint{First: steps[4*i].ID, Second: steps[190-3*i].ID})
	}
	for name, s := range map[string]pulse.Strategy{"scheduled": Play(draft), "ordered": strategy.Ordered(order)} {
		sys := pulse.New(pulse.Options{Strategy: s})
		run := func() {
			sys.Reset(0)
			r.Run(sys)
		}
		for range 5 {
			run()
		}
		must(t, sys.Failure())
		if n := testing.AllocsPerRun(20, run); n != 0 {
			t.Errorf("%s: %v allocations a run", name, n)
		}
		sys.Close()
	}
}

// TestPlayIsTotal checks that, for any bytes, a run reaches its end and repeats.
func TestPlayIsTotal(t *testing.T) {
	for name, o := range trial.Settings() {
		var d Draft
		o.Strategy, o.Record = Play(&d), true
		sys := pulse.New(o)
		for seed := range uint64(runs(100)) {
			r := rand.New(rand.NewPCG(seed, 9))
			data := make([]byte, r.IntN(200))
			for i := range data {
				data[i] = byte(r.Uint32())
			}
			d.FromBytes(data)
			var hashes [2]uint64
			for i := range hashes {
				sys.Reset(0)
				trial.Rich(sys)
				hashes[i] = sys.Trace().Hash
				if f := sys.Failure(); f != nil && (f.Kind == pulse.KindMisuse || f.Kind == pulse.KindNondeterminism) {
					t.Fatalf("%s, % x: %v", name, data, f)
				}
			}
			if hashes[0] != hashes[1] {
				t.Fatalf("%s, % x: two runs", name, data)
			}
		}
		sys.Close()
	}
}

// BenchmarkPlay measures a step under a draft and under a schedule, each as a ratio to
// Random in the same run.
func BenchmarkPlay(b *testing.B) {
	const tokens = 10
	draft := &Draft{Seed: 5, Priorities: make([]byte, 500)}
	order := &choice.Schedule{Seed: 3}
	for i := range uint64(20) {
		order.Priorities = append(order.Priorities, choice.Priority{ID: i, P: i})
		order.Before = append(order.Before, choice.Constraint{First: i, Second: i + 1})
	}
	random := trial.RoundTime(strategy.Random(), tokens, 200)
	for name, s := range map[string]pulse.Strategy{"draft": Play(draft), "schedule": strategy.Ordered(order)} {
		b.Run(name, func(b *testing.B) {
			b.ReportMetric(trial.RoundTime(s, tokens, b.N).Seconds()/random.Seconds(), "x-random")
		})
	}
}
