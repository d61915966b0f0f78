package coverage_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/subjects/writer"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A tour runs a program in all orders, and collects the receive pairs.
type tour struct {
	o     pulse.Options
	sys   *pulse.System
	build func(*pulse.System)
	set   map[goal]int
	left  map[goal]bool // the first was received; the second was still waiting when the receiver ended
	all   coverage.Orders
}

func (r *tour) Run(s pulse.Strategy) explore.Run {
	if r.o.Strategy != s {
		r.o.Strategy = s
		r.sys.Configure(r.o)
	} else {
		r.sys.Reset(1)
	}
	r.build(r.sys)
	return explore.Run{System: r.sys, Failure: r.sys.Failure(), Watched: true}
}

func (r *tour) Done(run explore.Run) {
	if !run.Probe {
		slow(r.set, run.System.Trace())
		leave(r.left, run.System)
		r.all.Add(run.System.Trace(), coverage.Run{})
	}
}

func (r *tour) Again() { clear(r.set) }

// leave adds a pair for each receive of a run and each message that its receiver never received.
func leave(set map[goal]bool, sys *pulse.System) {
	t := sys.Trace()
	for i := range t.Sends {
		if d := &t.Sends[i]; d.Fate == trace.Orphaned {
			for _, r := range schedule(t) {
				if receiver := t.Actors[d.To].ID; r.receiver == receiver {
					set[goal{receiver, r.id, sys.Host().StepID(d)}] = true
				}
			}
		}
	}
}

func tourOf(o pulse.Options, build func(*pulse.System)) *tour {
	o.Record = true
	return &tour{o: o, sys: pulse.New(o), build: build, set: map[goal]int{}, left: map[goal]bool{}, all: coverage.Orders{}}
}

// explore runs all orders, or as many as the parameter runs says.
func (r *tour) explore(runs int) (complete bool) {
	defer r.sys.Close()
	res, err := explore.Explore(explore.Options{Runs: runs, KeepOn: true, Record: true}, r)
	return err == nil && res.Complete
}

// every returns a tour of all orders of a program, or of as many as the parameter runs says.
func every(o pulse.Options, build func(*pulse.System), runs int) (*tour, bool) {
	r := tourOf(o, build)
	return r, r.explore(runs)
}

// part returns the counts of the actors with a label.
func part(o *coverage.Orders, actor string) coverage.Count {
	for _, p := range o.Parts() {
		if p.Actor == actor {
			return p.Count
		}
	}
	return coverage.Count{}
}

// fooled are seeds of programs in which an order once counted as open although it is impossible.
// Other messages of the channel, or the end of the actor, prevent the order.
var fooled = [...]uint64{7655, 5408}

// An order counted as impossible occurs in no run of the program. An order counted as open occurs
// in some run, unless reversed receives would end the actor before the second one.
func TestStatusesAreTrue(t *testing.T) {
	var sum coverage.Count
	looked, ended := 0, 0
	for prog := range programs()/4 + uint64(len(fooled)) {
		if prog < uint64(len(fooled)) {
			prog = fooled[prog]
		}
		sys := system(prog)
		p := program{seed: prog, rest: prog%5 == 0}
		o := &coverage.Orders{}
		for seed := range uint64(4) {
			p.play(sys, seed)
			o.Add(sys.Trace(), coverage.Run{})
		}
		opts := sys.Options()
		sys.Close()
		opts.Strategy = nil
		all, complete := every(opts, p.build, 300)
		if !complete {
			continue
		}
		looked++
		if got, want := all.all.Count().Covered, slowCovered(all.set); got != want {
			t.Fatalf("program %d: %d pairs covered by all orders, want %d", prog, got, want)
		}
		for _, g := range o.Open() {
			order := goal{g.Receiver, g.First, g.Second}
			if all.set[order] == 0 && all.left[order] {
				ended++
			} else if all.set[order] == 0 {
				t.Errorf("program %d: open, but in no order: %s before %s at %s", prog, g.FirstReceive, g.SecondReceive, g.Actor)
			}
		}
		for g := range all.set {
			if o.IsImpossible(g.receiver, g.first, g.second) && !o.Has(g.receiver, g.first, g.second) {
				t.Errorf("program %d: an order is said to be impossible", prog)
			}
		}
		c := o.Count()
		sum.Covered += c.Covered
		sum.Open += c.Open
		sum.Impossible += c.Impossible
		sum.Unknown += c.Unknown
	}
	t.Logf("%d programs: %+v; %d orders whose second comes too late", looked, sum, ended)
	if ended > sum.Open/100 {
		t.Errorf("of %d open orders %d cannot be seen, since the actor has ended when the second comes", sum.Open, ended)
	}
	if sum.Open < 100 || sum.Impossible < 100 || sum.Unknown == 0 || sum.Unknown > sum.Pairs()/3 {
		t.Errorf("the programs hardly show what orders there are: %+v", sum)
	}
}

// In the example of the Bitá paper, Listing 1 with two actions, the writer has six PR goals. The
// paper counts the flush as one receive. Here it is two receives with different identities, because
// the terminator may flush after either action. So there are ten goals.
func TestPaperExample(t *testing.T) {
	one, flush := &coverage.Orders{}, uint64(0)
	r := tourOf(pulse.Options{}, func(sys *pulse.System) {
		writer.Config{Actions: 2}.Build(sys)
		sys.Run()
		tr := sys.Trace()
		for i := range tr.Steps {
			if st := &tr.Steps[i]; trace.Label(tr.Sends[st.Send].Body) == "flush" && (flush == 0 || flush == st.ID) {
				flush = st.ID
				one.Add(tr, coverage.Run{})
			}
		}
	})
	if !r.explore(1000) {
		t.Fatal("not all orders were run")
	}
	if c := part(one, "writer"); c != (coverage.Count{Seen: 6, Covered: 3}) {
		t.Errorf("the writer has %+v with one flush, want 6 goals", c)
	}
	if c := part(&r.all, "writer"); c != (coverage.Count{Seen: 10, Covered: 5}) {
		t.Errorf("the writer has %+v, want 10 goals", c)
	}
}

// scripted returns the trace of a run in which an actor receives messages in the
// given order, each from another sender. Upper-case letters change its handlers.
func scripted(order string) *trace.Trace {
	t := &trace.Trace{Actors: []trace.Actor{{Label: "test"}, {ID: 1, Label: "writer", Type: "writer"}}}
	for i, c := range order {
		name := strings.ToLower(string(c))
		t.Actors = append(t.Actors, trace.Actor{ID: uint64(c), Label: name, Type: "sender"})
		t.Sends = append(t.Sends, trace.Send{Body: name, ID: uint64(c), From: int32(2 + i), To: 1, Step: trace.None, Seq: int32(i)})
		t.Steps = append(t.Steps, trace.Step{ID: uint64(c), Send: int32(i), Actor: 1, Prev: int32(i) - 1, Changed: name != string(c)})
	}
	return t
}

// TestOpenNames: an order listed as never seen occurs in no run. Receives
// that print alike share a name. "Reserved before Cancel" was once listed
// although a run had shown it: there the message had another identity.
func TestOpenNames(t *testing.T) {
	name := func(first, second string) string {
		return "string from " + first + " before string from " + second + " at writer"
	}
	for _, c := range []struct {
		schedules []string
		open      int
		want      []coverage.OpenName
	}{
		{[]string{"rc"}, 1, []coverage.OpenName{{Name: name("c", "r"), Pairs: 1}}},
		{[]string{"rc", "cR"}, 2, nil}, // the messages r and R have the same name
		{[]string{"rc", "Rc"}, 2, []coverage.OpenName{{Name: name("c", "r"), Pairs: 2}}},
		{[]string{"rRc"}, 3, []coverage.OpenName{{Name: name("c", "r"), Pairs: 2}}},
		{[]string{"rc", "cr"}, 0, nil},
	} {
		o := &coverage.Orders{}
		for _, s := range c.schedules {
			o.Add(scripted(s), coverage.Run{})
		}
		var got []coverage.OpenName
		for _, n := range o.OpenNames() {
			got = append(got, coverage.OpenName{Name: n.Name, Pairs: n.Pairs})
		}
		if len(o.Open()) != c.open || !slices.Equal(got, c.want) {
			t.Errorf("%v: %d orders, %v; want %d, %v", c.schedules, len(o.Open()), got, c.open, c.want)
		}
	}
}

// Two runs cover all pairs of the Bitá paper's example, in which an actor receives w1, w2 and a
// flush (F).
func TestPaperSchedules(t *testing.T) {
	o := &coverage.Orders{}
	for _, s := range []string{"vwF", "Fwv"} {
		o.Add(scripted(s), coverage.Run{})
	}
	if got := o.Count(); got != (coverage.Count{Seen: 6, Covered: 3}) {
		t.Errorf("%+v, want all six orders of three pairs", got)
	}
}
