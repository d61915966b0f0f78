package machine_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/machine"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A lock is a server with a lock and a counter that the lock protects. It can have two
// faults: it gives the lock to two clients, and it loses one of two overlapping additions.
type lock struct {
	held   bool
	sum    int
	greedy bool // the bug: gives the lock to a second client while it is held
}

type (
	acquire struct{}
	release struct{}
	add     struct{ n, times int }
	read    struct{}
)

func (l *lock) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case acquire:
		ctx.Reply(!l.held || l.greedy)
		l.held = true
	case release:
		l.held = false
		ctx.Reply(true)
	case add:
		l.sum += m.n * m.times
		ctx.Reply(l.sum)
	case read:
		ctx.Reply(l.sum)
	}
}

// state is the model of a lock.
type state struct {
	held bool
	sum  int
}

// racy adds with two messages, a read and a write: the value that it read may be old when it writes.
func racy(server pulse.Ref) func(p *pulse.Process, a add) int {
	return func(p *pulse.Process, a add) int {
		old := p.Ask(server, read{}).(int)
		now := p.Ask(server, read{}).(int)
		return p.Ask(server, add{old - now + a.n*a.times, 1}).(int)
	}
}

func ask[A, R any](server pulse.Ref, msg func(A) any) func(p *pulse.Process, a A) R {
	return func(p *pulse.Process, a A) R { return p.Ask(server, msg(a)).(R) }
}

// model is the machine of a lock. A racy client adds with two messages: it reads, then writes.
func model(server pulse.Ref, isRacy bool) machine.Machine[state] {
	adding := machine.Op[state, add, int]{
		Name: "add",
		Args: rapid.Custom(func(rt *rapid.T) add {
			return add{rapid.IntRange(1, 9).Draw(rt, "n"), rapid.IntRange(1, 2).Draw(rt, "times")}
		}),
		Run:  ask[add, int](server, func(a add) any { return a }),
		Next: func(s state, a add) state { return state{s.held, s.sum + a.n*a.times} },
		Check: func(s state, a add, sum int) error {
			if want := s.sum + a.n*a.times; sum != want {
				return fmt.Errorf("the sum is %d, want %d", sum, want)
			}
			return nil
		},
	}
	if isRacy {
		adding.Run = racy(server)
	}
	return machine.Machine[state]{
		Name: "lock",
		Init: func() state { return state{} },
		Commands: []machine.Command[state]{
			machine.Op[state, struct{}, bool]{
				Name: "acquire",
				Run:  ask[struct{}, bool](server, func(struct{}) any { return acquire{} }),
				Next: func(s state, _ struct{}) state { return state{true, s.sum} },
				Check: func(s state, _ struct{}, got bool) error {
					if got == s.held {
						return fmt.Errorf("got it: %v, it was held: %v", got, s.held)
					}
					return nil
				},
			}.Command(),
			machine.Op[state, struct{}, bool]{
				Name: "release",
				When: func(s state, _ struct{}) bool { return s.held },
				Run:  ask[struct{}, bool](server, func(struct{}) any { return release{} }),
				Next: func(s state, _ struct{}) state { return state{false, s.sum} },
			}.Command(),
			adding.Command(),
		},
	}
}

// form is a lock with or without its faults, driven by one client or several.
type form struct{ greedy, racy, parallel bool }

func (f form) property(t *props.T) {
	sys := t.System()
	server := sys.Spawn("lock", &lock{greedy: f.greedy})
	m := model(server, f.racy)
	if f.parallel {
		m.Parallel(t, sys)
	} else {
		m.Sequential(t, sys)
	}
}

// find runs a property with other inputs and orders until it fails.
func find(property func(*props.T), runs int) (res props.Result, r *props.Runner, n int) {
	r = props.NewRunner("", property)
	s := strategy.Random()
	for n = range runs {
		if res = r.Run(props.Plan{Seed: uint64(n), Strategy: s, StrategySeed: uint64(n)}); res.Failure != nil {
			break
		}
	}
	return res, r, n
}

func TestForms(t *testing.T) {
	for _, f := range []struct {
		form
		fails string // the text of the failure, up to the drawn values
	}{
		{form{}, ""},
		{form{parallel: true}, ""},
		{form{greedy: true}, "acquire(): got it: true, it was held: true"},
		{form{greedy: true, parallel: true}, "the history of lock is not linearizable: no order of its "},
		{form{racy: true}, ""}, // a single client cannot show this bug
		{form{racy: true, parallel: true}, "the history of lock is not linearizable: no order of its "},
	} {
		res, r, n := find(f.property, 400)
		text := ""
		if res.Failure != nil {
			text = res.Failure.Text
		}
		if (f.fails == "") != (text == "") || !strings.Contains(text, f.fails) {
			t.Errorf("%+v, run %d: %q, want %q", f.form, n, text, f.fails)
		}
		if res.Rejected != "" {
			t.Errorf("%+v: rejected %s", f.form, res.Rejected)
		}
		r.Close()
	}
}

// TestUnderRapid lets rapid draw the commands.
func TestUnderRapid(t *testing.T) {
	rapid.Check(t, props.Rapid(form{}.property))
	rapid.Check(t, props.Rapid(form{parallel: true}.property))
}

// TestSequentialFailure checks the whole text of a failure.
func TestSequentialFailure(t *testing.T) {
	res, r, _ := find(form{greedy: true}.property, 400)
	defer r.Close()
	f := res.Failure
	lines := strings.Split(f.Error(), "\n")
	if len(lines) < 3 || !strings.HasPrefix(lines[0], fmt.Sprintf("command %d, acquire(): got it", len(lines)-1)) ||
		!strings.HasPrefix(lines[1], "    1  ") || lines[len(lines)-1] != fmt.Sprintf("    %d  acquire() → true", len(lines)-1) {
		t.Errorf("failure:\n%v", f)
	}
	if !strings.HasPrefix(res.Location.Place(), "machine_test.go:") {
		t.Errorf("location %q", res.Location.Place())
	}
	if got := f.Lasting(); got != "property at func in model: command #, acquire(): got it: true, it was held: true" {
		t.Errorf("signature: %s", got)
	}
	if v := fmt.Sprint(res.Values...); !strings.Contains(v, "acquire()") {
		t.Errorf("values: %s", v)
	}
}

// TestParallelFailure checks that a failure report has the picture of the history and the table of its calls.
func TestParallelFailure(t *testing.T) {
	res, r, _ := find(form{racy: true, parallel: true}.property, 400)
	defer r.Close()
	if !strings.Contains(res.Failure.Detail, "add(") || !strings.Contains(res.Failure.Detail, "client 2 ") ||
		!strings.Contains(res.Failure.Detail, "longest order that fits: ") {
		t.Errorf("failure:\n%v", res.Failure)
	}
	if len(res.Attachments) != 1 || !strings.HasPrefix(res.Location.Place(), "machine_test.go:") {
		t.Errorf("attachments %v, location %q", res.Attachments, res.Location.Place())
	}
}

// TestWhen runs a machine whose commands are allowed in few states: no client,
// alone or with others, gives a command that its state does not allow.
func TestWhen(t *testing.T) {
	for _, parallel := range []bool{false, true} {
		given := map[string]int{}
		property := func(t *props.T) {
			sys := t.System()
			n := 0
			up := func(name string, by int, when func(int) bool) machine.Command[int] {
				return machine.Op[int, struct{}, int]{
					Name: name,
					When: func(s int, _ struct{}) bool { return when(s) },
					Run: func(*pulse.Process, struct{}) int {
						if !when(n) {
							t.Errorf("%s at %d", name, n)
						}
						given[name]++
						n += by
						return n
					},
					Next: func(s int, _ struct{}) int { return s + by },
				}.Command()
			}
			m := machine.Machine[int]{
				Init: func() int { return 0 },
				Commands: []machine.Command[int]{
					up("up", 1, func(s int) bool { return s < 6 }),
					up("down", -1, func(s int) bool { return s > 0 }),
					up("never", 0, func(int) bool { return false }),
				},
				Clients: 3,
			}
			if parallel {
				m.Parallel(t, sys)
			} else {
				m.Sequential(t, sys)
			}
		}
		res, r, _ := find(property, 300)
		if res.Failure != nil || res.Skipped {
			t.Errorf("parallel %v: %v, %q", parallel, res.Failure, res.Rejected)
		}
		if given["up"] < 100 || given["down"] < 50 || given["never"] > 0 {
			t.Errorf("parallel %v: given %v", parallel, given)
		}
		r.Close()
	}
}

// TestNoCommandPossible ends a sequence in a state that allows no command.
func TestNoCommandPossible(t *testing.T) {
	ran := 0
	res, r, _ := find(func(t *props.T) {
		m := machine.Machine[int]{Init: func() int { return 0 }, Commands: []machine.Command[int]{
			machine.Op[int, int, int]{
				Name: "once",
				When: func(s, _ int) bool { return s == 0 },
				Run:  func(*pulse.Process, int) int { ran++; return 0 },
				Next: func(s, _ int) int { return s + 1 },
			}.Command(),
		}}
		before := ran
		m.Sequential(t, t.System())
		if ran > before+1 {
			t.Errorf("ran %d times", ran-before)
		}
	}, 50)
	defer r.Close()
	if res.Failure != nil || ran == 0 {
		t.Errorf("%v, ran %d times", res.Failure, ran)
	}
}

func TestMisuses(t *testing.T) {
	op := machine.Op[[]int, int, int]{
		Name: "put",
		Args: rapid.IntRange(0, 9),
		Run:  func(*pulse.Process, int) int { return 0 },
	}
	change := op
	change.Next = func(s []int, n int) []int { s[0] = n + 1; return s }
	unnamed, idle, twice := op, op, op
	unnamed.Name, idle.Run = "", nil
	twice.ArgsFor = func(int, []int) *rapid.Generator[int] { return rapid.Just(1) }
	start := func() []int { return []int{0} }
	commands := func(o ...machine.Op[[]int, int, int]) (list []machine.Command[[]int]) {
		for _, o := range o {
			list = append(list, o.Command())
		}
		return list
	}
	for _, m := range []struct {
		machine machine.Machine[[]int]
		want    string
	}{
		{machine.Machine[[]int]{}, "machine: it needs Init"},
		{machine.Machine[[]int]{Name: "m", Init: start}, "machine m: it has no Commands"},
		{machine.Machine[[]int]{Init: start, Commands: make([]machine.Command[[]int], 1)},
			"machine: a Command is the zero Command: make it with Op.Command"},
		{machine.Machine[[]int]{Init: start, Commands: commands(unnamed)}, "machine: an Op needs a Name"},
		{machine.Machine[[]int]{Init: start, Commands: commands(idle)}, "machine: Op put needs Run"},
		{machine.Machine[[]int]{Init: start, Commands: commands(twice)},
			"machine: Op put has ArgsFor and another generator of arguments: leave one of them out"},
		{machine.Machine[[]int]{Init: start, Commands: commands(op), Clients: 9},
			"machine: Clients is 9: use at most 8"},
		{machine.Machine[[]int]{Init: start, Commands: commands(change)},
			"machine: Next of put(#) changes the state that it is given: let it return a changed copy"},
	} {
		res, r, _ := find(func(t *props.T) { m.machine.Sequential(t, t.System()) }, 20)
		got := ""
		if res.Failure != nil {
			got = res.Failure.Text
		}
		if i := strings.Index(got, "put("); i >= 0 && strings.Contains(m.want, "#") {
			got = got[:i] + "put(#" + got[i+strings.Index(got[i:], ")"):]
		}
		if got != m.want {
			t.Errorf("got:  %s\nwant: %s", got, m.want)
		}
		r.Close()
	}
}

// TestPanics has each function of an Op panic in turn.
func TestPanics(t *testing.T) {
	for _, where := range []string{"Args", "When", "Run", "Next", "Check"} {
		property := func(t *props.T) {
			fail := func(at string) {
				if at == where {
					panic("in " + at)
				}
			}
			m := machine.Machine[int]{Init: func() int { return 0 }, Length: 4, Commands: []machine.Command[int]{
				machine.Op[int, int, int]{
					Name:   "op",
					ArgsIn: func(int) *rapid.Generator[int] { fail("Args"); return rapid.Int() },
					When:   func(int, int) bool { fail("When"); return true },
					Run:    func(*pulse.Process, int) int { fail("Run"); return 0 },
					Next:   func(s, _ int) int { fail("Next"); return s },
					Check:  func(int, int, int) error { fail("Check"); return errors.New("reached") },
				}.Command(),
			}}
			m.Sequential(t, t.System())
		}
		res, r, _ := find(property, 20)
		if f := res.Failure; f == nil || f.Kind != pulse.KindPanic || !strings.HasSuffix(f.Text, ": in "+where) || res.Location.Place() == "" {
			t.Errorf("%s: %v at %q", where, f, res.Location.Place())
		}
		r.Close()
	}
}

// A test fails if its machine never runs a command. It also fails if a client
// waits forever, because it then tests less than it seems to.
func TestMachinesThatTestNothing(t *testing.T) {
	m := machine.Machine[int]{Name: "idle", Init: func() int { return 0 }}
	op := machine.Op[int, struct{}, any]{Name: "go",
		Run: func(p *pulse.Process, _ struct{}) any { return p.Receive() }}
	for _, form := range []func(t *props.T, sys *pulse.System){
		func(t *props.T, sys *pulse.System) { m.Sequential(t, sys) },
		func(t *props.T, sys *pulse.System) { m.Parallel(t, sys) },
	} {
		run := func() (failures []string, missed []string) {
			r := props.NewRunner("", func(t *props.T) { form(t, t.System()) })
			defer r.Close()
			for seed := range uint64(20) {
				if f := r.Run(props.Plan{Seed: seed}).Failure; f != nil {
					failures = append(failures, f.Text)
				}
			}
			return failures, r.Missed()
		}
		op.When = func(int, struct{}) bool { return false }
		m.Commands = []machine.Command[int]{op.Command()}
		_, missed := run()
		if got := strings.Join(missed, "; "); !strings.HasPrefix(got, "machine idle: a command is given") {
			t.Errorf("no command was given, but what was missed is %q", got)
		}
		op.When = nil
		m.Commands = []machine.Command[int]{op.Command()}
		failures, _ := run()
		if len(failures) == 0 || !strings.Contains(failures[0], "waits forever in command 1 of ") || !strings.HasPrefix(failures[0], "machine idle: ") {
			t.Errorf("a client waits for ever, and failures are %q", failures)
		}
	}
	m.Branch = -1
	r := props.NewRunner("", func(t *props.T) { m.Sequential(t, t.System()) })
	defer r.Close()
	if f := r.Run(props.Plan{}).Failure; f == nil || !strings.Contains(f.Text, "Branch -1: use numbers of at least 1") {
		t.Errorf("a negative number: %v", f)
	}
}

// TestArgsFor checks that a command knows the client that gives it: ArgsFor gets the
// number in the client's name, or 0 for the client that runs commands alone.
func TestArgsFor(t *testing.T) {
	for form, drive := range map[string]func(machine.Machine[int], *props.T, *pulse.System){
		"alone":   machine.Machine[int].Sequential,
		"at once": machine.Machine[int].Parallel,
	} {
		given := map[string]int{}
		property := func(t *props.T) {
			m := machine.Machine[int]{Init: func() int { return 0 }, Clients: 3, Commands: []machine.Command[int]{
				machine.Op[int, int, int]{
					Name:    "sign",
					ArgsFor: func(client, _ int) *rapid.Generator[int] { return rapid.Just(client) },
					Run: func(p *pulse.Process, client int) int {
						given[fmt.Sprintf("%d is %v", client, p.Self())]++
						return client
					},
				}.Command(),
			}}
			drive(m, t, t.System())
		}
		res, r, _ := find(property, 100)
		if res.Failure != nil {
			t.Errorf("%s: %v", form, res.Failure)
		}
		want := "[0 is client]"
		if form == "at once" {
			want = "[0 is first client 1 is client 1 2 is client 2 3 is client 3]"
		}
		if got := fmt.Sprint(slices.Sorted(maps.Keys(given))); got != want {
			t.Errorf("%s: %s, want %s", form, got, want)
		}
		r.Close()
	}
}
