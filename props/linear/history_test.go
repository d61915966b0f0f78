package linear_test

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/linear"
	"github.com/jostle-go/jostle/pulse"
)

type (
	get struct{ key string }
	put struct {
		key   string
		value int
	}
)

// store is a map from keys to numbers, judged key by key.
var store = linear.Model[int, any, int]{
	Name: "store",
	Init: func() int { return 0 },
	Step: func(value int, in any, out int) (bool, int) {
		if p, ok := in.(put); ok {
			return true, p.value
		}
		return out == value, value
	},
	Partition: func(in any) string {
		if p, ok := in.(put); ok {
			return p.key
		}
		return in.(get).key
	},
}

// register is the model of a store with a single value.
var register = linear.Model[int, any, int]{Init: store.Init, Step: store.Step}

// queue gives back what was put, in order; 0 when it is empty.
var queue = linear.Model[[]int, any, int]{
	Name: "queue",
	Init: func() []int { return nil },
	Step: func(list []int, in any, out int) (bool, []int) {
		if p, ok := in.(put); ok {
			return true, append(list[:len(list):len(list)], p.value)
		}
		if len(list) == 0 {
			return out == 0, nil
		}
		return out == list[0], list[1:]
	},
}

// replica is a server of a store. A put reaches the other servers later, so they
// may answer with old values.
type replica struct {
	values map[string]int
	others []pulse.Ref
}

type copied put

func (r *replica) Receive(ctx *pulse.Ctx, msg any) {
	switch m := msg.(type) {
	case put:
		r.values[m.key] = m.value
		for _, o := range r.others {
			ctx.Send(o, copied(m))
		}
		ctx.Reply(0)
	case copied:
		r.values[m.key] = m.value
	case get:
		ctx.Reply(r.values[m.key])
	}
}

// replicated returns a property: two clients use a store with n replicas.
func replicated(replicas int) func(t *props.T) {
	return func(t *props.T) {
		sys := t.System()
		refs := make([]pulse.Ref, replicas)
		for i := range refs {
			r := &replica{values: map[string]int{}}
			refs[i] = sys.Spawn("replica", r)
			if i > 0 {
				sys.Kill(sys.Spawn("nobody", &replica{}))
			}
		}
		h := linear.NewHistory(t, store)
		client := func(server pulse.Ref, ops ...any) {
			sys.Go("client", func(p *pulse.Process) {
				for _, op := range ops {
					call := h.Call(p.Self(), op)
					call.Return(p.Ask(server, op).(int))
				}
			})
		}
		client(refs[0], put{"a", 1}, put{"b", 2}, get{"a"})
		client(refs[replicas-1], get{"c"}, get{"b"}, get{"a"}, get{"b"})
		sys.Run()
		h.Check()
	}
}

// run runs a property once, in plain order.
func run(t *testing.T, property func(*props.T)) props.Result {
	r := props.NewRunner(t.Name(), property)
	t.Cleanup(r.Close)
	return r.Run(props.Plan{})
}

// at builds a history from a text such as "a put 1; b get; a 0; b 1". Each part
// is a client and its call, or a client and the result of its call. After the
// call or result there may be a key; without one the key is "k".
func at[S any](m linear.Model[S, any, int], text string) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		clients := map[string]pulse.Ref{}
		calls := map[string]linear.Call[S, any, int]{}
		h := linear.NewHistory(t, m)
		for event := range strings.SplitSeq(text, ";") {
			words := strings.Fields(event)
			c, key := words[0], "k"
			if _, ok := clients[c]; !ok {
				clients[c] = sys.Spawn(c, pulse.Func(func(*pulse.Ctx, any) {}))
			}
			if len(words) > 3 {
				key = words[3]
			}
			var n int
			if len(words) > 1 {
				fmt.Sscan(words[len(words)-1], &n)
			}
			switch words[1] {
			case "put":
				fmt.Sscan(words[2], &n)
				calls[c] = h.Call(clients[c], put{key, n})
			case "get":
				calls[c] = h.Call(clients[c], get{key})
			default:
				calls[c].Return(n)
			}
		}
		sys.Run()
		h.Check()
	}
}

var histories = []struct {
	name     string
	property func(*props.T)
	want     string // the failure's text; empty if the history is linearizable
}{
	{"nothing", func(t *props.T) { h := linear.NewHistory(t, register); t.System().Run(); h.Check() }, ""},
	{"one after the other", at(register, "a put 1; a 0; b get; b 1"), ""},
	{"stale read", at(register, "a put 1; a 0; b get; b 0"),
		"the history is not linearizable: no order of its 2 calls explains what they returned"},
	{"at the same time, old", at(register, "a put 1; b get; a 0; b 0"), ""},
	{"at the same time, new", at(register, "a put 1; b get; a 0; b 1"), ""},
	{"new, then old", at(register, "a put 1; b get; b 1; c get; c 0; a 0"),
		"the history is not linearizable: no order of its 3 calls explains what they returned"},
	{"out of nothing", at(register, "b get; b 7"),
		"the history is not linearizable: no order of its 1 calls explains what they returned"},
	{"pending call took effect", at(register, "a put 1; b get; b 1"), ""},
	{"pending call did not", at(register, "a put 1; b get; b 0"), ""},
	{"pending call took effect, then not", at(register, "a put 1; b get; b 1; b get; b 0"),
		"the history is not linearizable: no order of its 3 calls explains what they returned"},
	{"pending call from later", at(register, "b get; b 1; a put 1"),
		"the history is not linearizable: no order of its 2 calls explains what they returned"},
	{"pending calls, each took effect", at(register, "a put 1; c put 2; b get; b 2; b get; b 1"), ""},
	{"keys apart", at(store, "a put 1 x; a 0; b put 2 y; b 0; a get k x; a 1; b get k y; b 2"), ""},
	{"one key of two", at(store, "a put 1 x; a 0; b put 2 y; b 0; b put 3 y; b 0; a get k x; a 0; b get k y; b 2"),
		`the history of store, part "x", is not linearizable: no order of its 2 calls explains what they returned`},
	{"queue", at(queue, "a put 1; b put 2; a 0; b 0; a get; a 2; a get; a 1; a get; a 0"), ""},
	{"queue in the wrong order", at(queue, "a put 1; a 0; b put 2; b 0; a get; b get; a 0; b 2; a get; a 1"),
		"the history of queue is not linearizable: no order of its 5 calls explains what they returned"},
	{"one replica", replicated(1), ""},
	{"two replicas", replicated(2),
		`the history of store, part "a", is not linearizable: no order of its 3 calls explains what they returned`},
}

func TestHistories(t *testing.T) {
	for _, h := range histories {
		t.Run(h.name, func(t *testing.T) {
			got := ""
			if f := run(t, h.property).Failure; f != nil {
				got = f.Text
			}
			if got != h.want {
				t.Errorf("got:  %s\nwant: %s", got, h.want)
			}
		})
	}
}

// TestFailure checks the whole text of a failure, and the picture of its history.
func TestFailure(t *testing.T) {
	res := run(t, func(t *props.T) {
		sys := t.System()
		server := sys.Spawn("server", &replica{values: map[string]int{}})
		silent := sys.Spawn("silent", pulse.Func(func(*pulse.Ctx, any) {}))
		h := linear.NewHistory(t, store)
		sys.Go("writer", func(p *pulse.Process) {
			call := h.Call(p.Self(), put{"k", 1})
			call.Return(p.Ask(server, put{"k", 1}).(int))
			h.Call(p.Self(), put{"k", 2})
			p.Send(silent, put{"k", 2})
		})
		sys.Run()
		sys.Go("reader", func(p *pulse.Process) {
			call := h.Call(p.Self(), get{"k"})
			call.Return(p.Ask(server, get{"k"}).(int) + 8)
		})
		sys.Run()
		h.Check()
	})
	f := res.Failure
	if f == nil || !strings.HasPrefix(res.Location.Place(), "history_test.go:") || f.Kind != pulse.KindProperty {
		t.Fatalf("%v at %q", f, res.Location.Place())
	}
	want := `the history of store, part "k", is not linearizable: no order of its 3 calls explains what they returned
    called       returned     client
    1 in step 0  2 in step 2  writer  put(key: "k", value: 1) → 0
    3 in step 2  never        writer  put(key: "k", value: 2) (never returned)
    4 in step 4  5 in step 6  reader  get("k") → 9
    longest order that fits: put(key: "k", value: 1) → 0, put(key: "k", value: 2) (never returned)
    then the state is 2, and none of these calls can be next: get("k") → 9`
	if diff := cmp.Diff(want, f.Error()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got := f.Signature(); !strings.Contains(got, `the history of store, part "", is not linearizable: no order of its # calls`) {
		t.Errorf("signature: %s", got)
	}
	if len(res.Attachments) != 1 || res.Attachments[0].Name != "history.html" {
		t.Fatalf("attachments: %v", res.Attachments)
	}
	var picture bytes.Buffer
	if err := res.Attachments[0].Write(&picture); err != nil {
		t.Fatal(err)
	}
	for _, part := range []string{"<html", `put(key: \"k\", value: 2) (never returned)`, `get(\"k\") → 9`} {
		if !strings.Contains(picture.String(), part) {
			t.Errorf("the picture lacks %s", part)
		}
	}
}

// misuses are wrong uses of a history.
var misuses = []struct {
	name     string
	property func(*props.T)
	kind     pulse.Kind
	want     string
}{
	{"no Init", func(t *props.T) { linear.NewHistory(t, linear.Model[int, int, int]{}) },
		pulse.KindMisuse, "linear: NewHistory: a Model needs Init and Step"},
	{"returns twice", func(t *props.T) {
		h := linear.NewHistory(t, register)
		c := h.Call(pulse.Ref{}, get{"k"})
		c.Return(0)
		c.Return(0)
	}, pulse.KindMisuse, `linear: get("k") returns twice`},
	{"call after Check", func(t *props.T) {
		h := linear.NewHistory(t, register)
		h.Check()
		h.Call(pulse.Ref{}, get{"k"})
	}, pulse.KindMisuse, `linear: Call get("k") after Check: call Check after Run`},
	{"return after Check, in a step", func(t *props.T) {
		sys := t.System()
		h := linear.NewHistory(t, register)
		sys.Go("client", func(p *pulse.Process) {
			c := h.Call(p.Self(), get{"k"})
			h.Check()
			c.Return(0)
		})
		sys.Run()
	}, pulse.KindMisuse, `linear: get("k") returns after Check: call Check after Run`},
	{"zero Call", func(t *props.T) { linear.Call[int, any, int]{}.Return(1) },
		pulse.KindMisuse, "Return of the zero Call: use the one that History.Call returned"},
	{"model panics", func(t *props.T) {
		m := register
		m.Name = "register"
		m.Step = func(int, any, int) (bool, int) { panic("one") }
		h := linear.NewHistory(t, m)
		h.Call(pulse.Ref{}, get{"k"}).Return(1)
		h.Check()
	}, pulse.KindPanic, "panic in the model of register: one"},
	{"model's Init panics", func(t *props.T) {
		m := register
		m.Init = func() int { panic("one") }
		h := linear.NewHistory(t, m)
		h.Call(pulse.Ref{}, get{"k"}).Return(1)
		h.Check()
	}, pulse.KindPanic, "panic in the model: one"},
	{"too large", func(t *props.T) {
		m := queue
		m.Steps = 1000
		h := linear.NewHistory(t, m)
		var calls []linear.Call[[]int, any, int]
		for i := range 12 {
			calls = append(calls, h.Call(pulse.Ref{}, put{"k", i}))
		}
		for _, c := range calls {
			c.Return(0)
		}
		h.Call(pulse.Ref{}, get{"k"}).Return(99)
		h.Check()
	}, pulse.KindBudget, "the history of queue is too large to judge: its 13 calls took the model more than 1000 steps; " +
		"make fewer calls, give the model a Partition, or allow more by Steps"},
}

func TestMisuses(t *testing.T) {
	for _, m := range misuses {
		t.Run(m.name, func(t *testing.T) {
			f := run(t, m.property).Failure
			if f == nil || f.Kind != m.kind || f.Text != m.want {
				t.Errorf("got:  %v\nwant: %v: %s", f, m.kind, m.want)
			}
		})
	}
}

// TestCallsFromAnotherGoroutine calls History.Call from a goroutine that may not use the T.
func TestCallsFromAnotherGoroutine(t *testing.T) {
	f := run(t, func(t *props.T) {
		h := linear.NewHistory(t, register)
		done := make(chan bool)
		go func() {
			defer close(done)
			h.Call(pulse.Ref{}, get{"k"})
		}()
		<-done
		t.System().Run()
		h.Check()
	}).Failure
	if f == nil || !strings.HasPrefix(f.Text, "Event on a T from another goroutine") {
		t.Errorf("%v", f)
	}
}

// TestHistoriesWatch checks that a history sets Watches: the order of steps at different
// actors matters. Between is not set, since the verdict depends only on events.
func TestHistoriesWatch(t *testing.T) {
	r := props.NewRunner("", func(t *props.T) {
		sys := t.System()
		linear.NewHistory(t, register)
		sys.Run()
	})
	defer r.Close()
	if res := r.Run(props.Plan{}); !res.Watches || !res.Remembers || res.Between {
		t.Errorf("watches %v, remembers %v, between %v", res.Watches, res.Remembers, res.Between)
	}
}

// A run fails if it makes a history and never calls Check, unless the run has failed
// before. A test fails if its histories never contain a call.
func TestHistoriesThatJudgeNothing(t *testing.T) {
	for _, c := range []struct {
		property     func(t *props.T)
		want, missed string
	}{
		{func(t *props.T) {
			h := linear.NewHistory(t, store)
			sys := t.System()
			sys.Go("client", func(p *pulse.Process) { h.Call(p.Self(), get{"a"}).Return(7) })
			sys.Run()
		}, "linear: the history of store was never checked: call Check after Run", ""},
		{func(t *props.T) {
			linear.NewHistory(t, store)
			t.System().Run()
			t.Errorf("one")
		}, "one", ""},
		{func(t *props.T) {
			h := linear.NewHistory(t, store)
			t.System().Run()
			h.Check()
		}, "", "the history of store has a call"},
	} {
		r := props.NewRunner("", c.property)
		got := ""
		if f := r.Run(props.Plan{}).Failure; f != nil {
			got = f.Text
		}
		if missed := strings.Join(r.Missed(), "; "); got != c.want || missed != c.missed {
			t.Errorf("failure %q, expected %q; missed %q, expected %q", got, c.want, missed, c.missed)
		}
		r.Close()
	}
}

// A model that calls runtime.Goexit, as FailNow does, leads to a failure that says
// so.
func TestModelThatExits(t *testing.T) {
	m := register
	m.Step = func(int, any, int) (bool, int) { runtime.Goexit(); return true, 0 }
	r := props.NewRunner("", func(t *props.T) {
		h := linear.NewHistory(t, m)
		sys := t.System()
		sys.Go("client", func(p *pulse.Process) { h.Call(p.Self(), get{"a"}).Return(7) })
		sys.Run()
		h.Check()
	})
	defer r.Close()
	f := r.Run(props.Plan{}).Failure
	if f == nil || !strings.HasPrefix(f.Text, "panic in the model: it called runtime.Goexit") {
		t.Errorf("%v", f)
	}
}

// TestCallsThatMatter checks that a failure leaves out calls that change nothing,
// and shows the state before the first call that no order explains.
func TestCallsThatMatter(t *testing.T) {
	for _, h := range []struct{ name, events, want string }{
		{"reads that never returned", "a put 1; a 0; c get; d get; b get; b 0", `
    called             returned           client
    1, before the run  2, before the run  a       put(key: "k", value: 1) → 0
    5, before the run  6, before the run  b       get("k") → 0
    (calls left out, because they change nothing and do not matter: 2)
    longest order that fits: put(key: "k", value: 1) → 0
    then the state is 1, and none of these calls can be next: get("k") → 0`},
		{"reads that are explained", "a get; a 0; a put 1; a 0; a get; a 1; b get; b 0; b put 4; b 0", `
    (calls left out, because they change nothing and do not matter: 2)
    longest order that fits: put(key: "k", value: 1) → 0
    then the state is 1, and none of these calls can be next: get("k") → 0`},
		{"reads that are needed", "a put 1; b get; b 1; c get; c 0; a 0", `
    longest order that fits: put(key: "k", value: 1) → 0, get("k") → 1
    then the state is 1, and none of these calls can be next: get("k") → 0`},
		{"nothing can be first", "b get; b 7", `
    the initial state is 0, and none of these calls can be first: get("k") → 7`},
	} {
		f := run(t, at(register, h.events)).Failure
		if f == nil {
			t.Fatalf("%s: it is linearizable", h.name)
		}
		if lines := strings.TrimPrefix(h.want, "\n"); !strings.HasSuffix(f.Detail, lines) {
			t.Errorf("%s: got\n%s\nwant at the end\n%s", h.name, f.Detail, lines)
		}
	}
}
