package trace

import (
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
)

type (
	execute struct{}
	done    struct{}
	flush   struct{}
	flushed struct{}
	result  struct{ n int }
)

// writerTrace is the project's first example: the flush overtakes the write.
func writerTrace() *Trace {
	b := newBuilder()
	writer, terminator, action := b.spawn(None, "writer"), b.spawn(None, "terminator"), b.spawn(None, "action")
	acted := b.receive(b.send(None, action, execute{}))
	write := b.send(acted, writer, write{1})
	ended := b.receive(b.send(acted, terminator, done{}))
	b.receive(b.send(ended, writer, flush{}))
	b.receive(write)
	b.rest()
	return b.Trace
}

// storyTrace returns a trace with one of each thing that a trace can have:
// every kind of step, message, fault and note.
func storyTrace() *Trace {
	b := newBuilder()
	leader := b.spawn(None, "leader")
	b.spawn(None, "my spare")
	client := b.spawn(None, "client: #1; \"x\"")
	b.note(None, "seed 7\ntwo lines\n")

	began := b.receive(b.sendKind(Start, None, client, nil))
	b.Steps[began].Settled = true
	led := b.receive(b.send(None, leader, result{2}))
	b.Steps[led].Changed = true
	follower1, follower2 := b.spawn(led, "follower"), b.spawn(led, "follower")
	b.spawn(led, "follower")
	b.note(led, "chose 1 of 3")
	b.note(led, "term\t2 %%{init}%%\nvoted")
	early := b.send(led, follower1, "a: b; c #d <e>\n")
	lease := b.sendKind(Timer, led, leader, tick(1))
	b.sendKind(Periodic, led, leader, tick(2))
	b.Sends[b.sendKind(Timer, led, leader, tick(3))].Fate = Dropped
	again := b.sendKind(Copy, led, follower2, result{3})
	second := b.receive(b.send(led, follower2, result{3}))
	b.receive(again)
	b.receive(b.send(second, follower1, flush{}))
	third := b.receive(b.sendKind(Reply, second, client, done{}))
	b.receive(b.send(third, follower1, execute{}))
	b.receive(early)
	b.receive(b.send(third, follower1, nil))
	b.rest()

	b.now = 1500 * time.Millisecond
	fired := b.receive(lease)
	crashed := b.fault(Crash, follower2)
	b.Actors[follower2].Ended = crashed
	b.receive(b.sendKind(Down, crashed, leader, nil))
	b.fault(Restart, follower2)
	b.fault(Partition, leader)
	b.fault(Heal, leader)
	b.rest()
	b.receive(b.sendKind(Kill, None, client, nil))
	b.Sends[b.send(fired, follower2, flushed{})].Fate = Orphaned
	b.Sends[b.send(fired, follower1, flushed{})].Fate = Dropped
	b.send(fired, follower1, set{"k", ping{}})
	b.send(None, client, 5)
	b.note(None, "after the run")
	b.rest()
	b.rest()
	return b.Trace
}

func TestRenderings(t *testing.T) {
	traces := []struct {
		name  string
		trace *Trace
	}{
		{"writer", writerTrace()},
		{"story", storyTrace()},
		{"empty", &Trace{}},
	}
	renderings := []struct {
		name   string
		string func(*Trace) string
	}{
		{"text", (*Trace).Text},
		{"chart", (*Trace).Chart},
		{"mermaid", (*Trace).Mermaid},
		{"shiviz", (*Trace).ShiViz},
	}
	for _, trace := range traces {
		for _, rendering := range renderings {
			name := trace.name + "." + rendering.name
			t.Run(name, func(t *testing.T) {
				golden.File(t, "testdata/"+name+".golden", rendering.string(trace.trace))
			})
		}
	}
}

// TestRandomTracesRender: every trace has every rendering, and rendering it twice gives equal texts.
func TestRandomTracesRender(t *testing.T) {
	for seed := range uint64(500) {
		trace := newRandomTrace(seed)
		for _, render := range []func(*Trace) string{(*Trace).Text, (*Trace).Chart, (*Trace).Mermaid, (*Trace).ShiViz} {
			if a, b := render(trace), render(trace.Clone()); a != b || a == "" {
				t.Fatalf("random trace %d:\n%s\nand then\n%s", seed, a, b)
			}
		}
	}
}
