package machine_test

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/machine"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// scripted is a machine whose steps are functions.
type scripted struct {
	step func(from int, msg string, out *machine.Output[string])
	tick func(out *machine.Output[string])
}

func (s scripted) Step(from int, msg string, out *machine.Output[string]) { s.step(from, msg, out) }
func (s scripted) Tick(out *machine.Output[string])                       { s.tick(out) }

// run runs machines as nodes of a cluster. It returns the messages that each
// step received, with their senders.
func run(t *testing.T, o pulse.Options, c machine.Config[string], step func(note func(string), from int, msg string, out *machine.Output[string]), do func(*pulse.System, *machine.Cluster[string])) []string {
	t.Helper()
	sys := pulse.New(o)
	defer sys.Close()
	var notes []string
	fresh := c.New
	c.New = func(id int, disk machine.Disk, out *machine.Output[string]) machine.Machine[string] {
		note := func(text string) { notes = append(notes, fmt.Sprintf("%d %s", id, text)) }
		if fresh != nil {
			fresh(id, disk, out)
		}
		if v, ok := disk.Read("x"); ok {
			note(fmt.Sprintf("starts with x = %v", v))
		}
		return scripted{
			step: func(from int, msg string, out *machine.Output[string]) {
				note(fmt.Sprintf("%d:%s", from, msg))
				step(note, from, msg, out)
			},
			tick: func(out *machine.Output[string]) { note(fmt.Sprintf("tick at %v", sys.Now())) },
		}
	}
	do(sys, c.Spawn(sys))
	if !sys.Run() {
		t.Error(sys.Err())
	}
	return notes
}

func same(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestMessages checks the numbers of senders: a node has its own number, the test has
// 0, and clients have higher numbers than nodes. A node can answer a client by its
// number, also in a later step.
func TestMessages(t *testing.T) {
	var client int
	got := run(t, pulse.Options{}, machine.Config[string]{Nodes: 2}, func(_ func(string), from int, msg string, out *machine.Output[string]) {
		switch msg {
		case "hello":
			client = from
			out.Send(2, "who?")
		case "who?":
			out.Send(from, "a client")
		case "a client":
			out.Send(client, "you")
			out.Send(0, "nobody hears")
		}
	}, func(sys *pulse.System, c *machine.Cluster[string]) {
		sys.Send(c.Ref(2), "from the test")
		sys.Go("client", func(p *pulse.Process) {
			if a := p.Ask(c.Ref(1), "hello"); a != "you" {
				t.Errorf("answered %v", a)
			}
		})
	})
	same(t, got, "2 0:from the test", "1 3:hello", "2 1:who?", "1 2:a client")
}

// TestTime: ticks and timers come in virtual time. Their sender is the node itself.
func TestTime(t *testing.T) {
	got := run(t, pulse.Options{Horizon: 250 * time.Millisecond}, machine.Config[string]{Nodes: 1, Tick: 100 * time.Millisecond,
		New: func(_ int, _ machine.Disk, out *machine.Output[string]) machine.Machine[string] {
			out.After(150*time.Millisecond, "alarm")
			return nil
		}}, func(_ func(string), _ int, _ string, _ *machine.Output[string]) {}, func(*pulse.System, *machine.Cluster[string]) {})
	same(t, got, "1 tick at 100ms", "1 1:alarm", "1 tick at 200ms")
}

// TestDisk checks what a crash after the step may leave, with and without Sync and with SyncLater.
func TestDisk(t *testing.T) {
	write := func(out *machine.Output[string], values ...int) {
		for _, v := range values {
			out.Write("x", v)
		}
	}
	for _, c := range []struct {
		name string
		step func(out *machine.Output[string])
		want []string
	}{
		{"synced", func(out *machine.Output[string]) { write(out, 1, 2); out.Sync() }, []string{"2"}},
		{"not synced", func(out *machine.Output[string]) { write(out, 1, 2) }, []string{"", "1", "2"}},
		{"half synced", func(out *machine.Output[string]) { write(out, 1); out.Sync(); write(out, 2) }, []string{"1", "2"}},
		{"synced later", func(out *machine.Output[string]) { write(out, 1); out.SyncLater("safe") }, []string{"", "1"}},
	} {
		seen := map[string]bool{}
		for seed := range uint64(200) {
			left := ""
			sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Seed: seed})
			cluster := machine.Config[string]{Nodes: 1, New: func(_ int, disk machine.Disk, _ *machine.Output[string]) machine.Machine[string] {
				if v, ok := disk.Read("x"); ok {
					left = fmt.Sprint(v)
				}
				return scripted{step: func(from int, msg string, out *machine.Output[string]) {
					if msg == "write" {
						c.step(out)
						out.Send(from, "written")
					}
				}}
			}}.Spawn(sys)
			sys.Go("power", func(p *pulse.Process) {
				p.Ask(cluster.Ref(1), "write")
				p.Nemesis().Crash(cluster.Ref(1))
				p.Nemesis().RestartLost(cluster.Ref(1))
			})
			if !sys.Run() {
				t.Error(sys.Err())
			}
			seen[left] = true
			sys.Close()
		}
		if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, c.want) {
			t.Errorf("%s: a crash leaves %q, want %q", c.name, got, c.want)
		}
	}
}

// TestCrashWithinAStep: a crash may come between any two effects of a step.
func TestCrashWithinAStep(t *testing.T) {
	seen := map[string]bool{}
	for seed := range uint64(500) {
		sys := pulse.New(pulse.Options{Strategy: strategy.Random(), Seed: seed, Faults: pulse.Faults{Crash: 1}})
		heard := ""
		cluster := machine.Config[string]{Nodes: 1, New: func(int, machine.Disk, *machine.Output[string]) machine.Machine[string] {
			return scripted{step: func(from int, _ string, out *machine.Output[string]) {
				out.Send(from, "a")
				out.Send(from, "b")
				out.Do(func() { heard += "!" })
				out.Send(from, "c")
			}}
		}}.Spawn(sys)
		sys.SpawnSpec(pulse.Spec{Name: "client", Safe: true, Process: func(p *pulse.Process) {
			p.Send(cluster.Ref(1), "go")
			for {
				msg, ok := p.ReceiveTimeout(time.Second)
				if !ok {
					return
				}
				heard += msg.(string)
			}
		}})
		if !sys.Run() {
			t.Error(sys.Err())
		}
		seen[heard] = true
		sys.Close()
	}
	// The function given to Do is called in the same step, before any other message
	// is received. No crash comes between the step's code and that function.
	if got := slices.Sorted(maps.Keys(seen)); !slices.Equal(got, []string{"", "!ab", "!abc", "a"}) {
		t.Errorf("heard %q", got)
	}
}

// asked is a strategy without faults that counts where a step might have crashed.
type asked struct {
	pulse.Strategy
	crash int
}

func (a *asked) Choose(k choice.Kind, _ int) int {
	if k == choice.Crash {
		a.crash++
	}
	return 0
}

// TestWhereACrashMayCome: a step may crash before each effect that others can see,
// except before the first effect.
func TestWhereACrashMayCome(t *testing.T) {
	sends := func(out *machine.Output[string]) { out.Send(1, "") }
	writes := func(out *machine.Output[string]) { out.Write("x", 1) }
	looks := func(out *machine.Output[string]) { out.Do(func() {}) }
	for _, c := range []struct {
		name string
		does []func(*machine.Output[string])
		want int
	}{
		{"nothing", nil, 0},
		{"one thing", []func(*machine.Output[string]){sends}, 0},
		{"one thing among what nobody sees", []func(*machine.Output[string]){looks, writes, looks}, 0},
		{"three things", []func(*machine.Output[string]){writes, looks, sends, looks, sends}, 2},
	} {
		calm := &asked{Strategy: strategy.Random()}
		sys := pulse.New(pulse.Options{Strategy: calm, Faults: pulse.Faults{Crash: 1}})
		cluster := machine.Config[string]{Nodes: 1, New: func(int, machine.Disk, *machine.Output[string]) machine.Machine[string] {
			return scripted{step: func(_ int, msg string, out *machine.Output[string]) {
				for _, do := range c.does[:len(c.does)*min(1, len(msg))] { // the node does nothing when it receives its own message
					do(out)
				}
			}}
		}}.Spawn(sys)
		sys.Send(cluster.Ref(1), "go")
		if !sys.Run() {
			t.Error(sys.Err())
		}
		if calm.crash != c.want {
			t.Errorf("%s: asked %d times whether it crashes, want %d", c.name, calm.crash, c.want)
		}
		sys.Close()
	}
}

// TestWithoutASystem: an Output can be filled and read by a test that has no system.
func TestWithoutASystem(t *testing.T) {
	var out machine.Output[any]
	(&counter{}).Step(1, next{1}, &out)
	var got []string
	for _, e := range out.Effects() {
		got = append(got, e.Kind.String())
	}
	same(t, got, "write", "sync", "send")
	if n := out.Choose(5); n != 0 {
		t.Errorf("chose %d", n)
	}
}

// TestRefused: invalid use either makes Spawn panic or fails the run.
func TestRefused(t *testing.T) {
	ok := func(int, machine.Disk, *machine.Output[string]) machine.Machine[string] { return scripted{} }
	sends := func(to int) func(int, machine.Disk, *machine.Output[string]) machine.Machine[string] {
		return func(_ int, _ machine.Disk, out *machine.Output[string]) machine.Machine[string] {
			out.Send(to, "x")
			return scripted{}
		}
	}
	for _, c := range []struct {
		name   string
		config machine.Config[string]
		do     func(*pulse.System, *machine.Cluster[string])
		want   string
	}{
		{"no nodes", machine.Config[string]{New: ok}, nil, "Config.Nodes is 0: use a number of at least 1"},
		{"no New", machine.Config[string]{Nodes: 1}, nil, "Config.New is nil"},
		{"tick", machine.Config[string]{Nodes: 1, New: ok, Tick: -1}, nil, "Config.Tick is -1ns: use a time of at least 1ns, or zero for no ticks"},
		{"ref", machine.Config[string]{Nodes: 1, New: ok}, func(_ *pulse.System, c *machine.Cluster[string]) { c.Ref(2) }, "Cluster.Ref of node 2: the nodes are 1 to 1"},
		{"nothing made", machine.Config[string]{Nodes: 1, New: func(int, machine.Disk, *machine.Output[string]) machine.Machine[string] { return nil }}, nil,
			"Config.New has returned nil for node 1"},
		{"to a node that is not", machine.Config[string]{Nodes: 2, New: sends(3)}, nil, "node 1 sends to 3: the nodes are 1 to 2, and it knows no clients"},
		{"another type", machine.Config[string]{Nodes: 1, New: ok}, func(sys *pulse.System, c *machine.Cluster[string]) { sys.Send(c.Ref(1), 7) },
			"node 1 was sent int by test: its messages are string"},
	} {
		t.Run(c.name, func(t *testing.T) {
			said := func() (said string) {
				defer func() {
					if v := recover(); v != nil {
						said = fmt.Sprint(v)
					}
				}()
				sys := pulse.New(pulse.Options{})
				defer sys.Close()
				cluster := c.config.Spawn(sys)
				if c.do != nil {
					c.do(sys, cluster)
				}
				sys.Run()
				return fmt.Sprint(sys.Err())
			}()
			if !strings.Contains(said, c.want) {
				t.Errorf("said %q, want %q", said, c.want)
			}
		})
	}
}
