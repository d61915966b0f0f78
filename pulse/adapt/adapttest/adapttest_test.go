package adapttest_test

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/adapttest"
)

// TestToy checks that runtimes that are hosted correctly break no rule.
func TestToy(t *testing.T) {
	for _, how := range []string{"", "cannot wait", "goroutines that end"} {
		seeds := 0 // zero means 100
		if how != "" && os.Getenv("JOSTLE_NIGHTLY") == "" {
			seeds = 30
		}
		if testing.Short() {
			seeds = 10
		}
		if err := (adapttest.Adapter{New: newToy(how), Seeds: seeds}).Test(); err != nil {
			t.Errorf("%q: %v", how, err)
		}
	}
	for _, how := range []string{"escapes", "waits for the step"} {
		if err := (adapttest.Adapter{New: newToy(how), Blind: true, Seeds: 1}).Test(); err != nil {
			t.Errorf("%q, of an adapter that says it is blind: %v", how, err)
		}
	}
}

// faults are possible faults of an adapter, each with the rule that it breaks and the
// message.
var faults = []struct {
	name, rules, says string
}{
	{"last in, first out", "delivery", `sink receives "number 2 from three" before "number 1 from three"`},
	{"a queue behind tokens", "orders", "in program senders, the runtime never shows this order of messages, which occurs with processes of package pulse:\n        sink receives number 1 from one, then"},
	{"a queue behind one message", "orders", "in program senders, the runtime never shows this order of messages, which occurs with processes of package pulse"},
	{"a queue that is emptied", "steps", `one step has sink receive "number 1 from two" and sink receive "number 2 from two"`},
	{"at once", "steps", `the handler of one is called for "go 1 from test" outside of a step`},
	{"goroutines of its own", "steps", `the handler of one is called for "go 1 from test" outside of a step`},
	{"waits and receives", "steps", `the handler of asker1 is called for "hello 1 from asker2" before it has returned from "go 1 from test"`},
	{"a message is lost", "delivery", `in program family, with seed 0: child1 never receives "told 1 from child12"`},
	{"a message comes twice", "delivery", `receives "go 1 from test" 2 times`},
	{"no sender", "delivery", `pong receives "ack 1 from pong", which nobody has sent to it`},
	{"a sender of nothing", "runs", "in program pingpong, with seed 0: the run fails: panic in pong#1 ← ping 1 from ping: nobody is called by no name"},
	{"another system", "runs", "no step is taken: the runtime's actors are not in the system that Adapter.New was given"},
	{"one runtime for all runs", "runs", "with seed 0: the test's own calls fail: Host.Spawn on a system that is closed"},
	{"in the name of the test", "orders", "steps conflict by more than messages"},
	{"everything touches", "orders", "steps conflict by more than messages"},
	{"a message of the receiver's own", "orders", "steps conflict by more than messages"},
	{"a message of its own", "orders", "in program senders, there are at least 910 distinct orders, but 90 with processes of package pulse"},
	{"a message of its own to the first", "orders", "in program senders, there are 210 distinct orders, but 90 with processes of package pulse, though all actors receive the same messages"},
	{"in the order of a map", "replay foreign", "the same decisions lead to a different run"},
	{"turns", "replay", "in program senders, the same decisions lead to a different run: "},
	{"takes anything for an answer", "orders stuck", "asker2 receives go 1 from test, then answer 1 from server, then hello 1 from asker1, then answer 2 from server"},
	{"ids count all runs", "ids", `with seed 1: the address of sink is address(ID: "agent`},
	{"ids count all agents", "ids", `in program family, with seed 1: the address of child11 is address(ID: "agent4", Answer: 0), and in an earlier run it was address(ID: "agent6", Answer: 0)`},
	{"ids by chance", "ids", `the address of sink is address(ID: "agent`},
	{"one name", "names", `two receives "go 1 from test" in a step of the actor that the trace names "agent"`},
	{"names by chance", "names", `in a step of the actor that the trace names "two`},
	{"a change in silence", "handlers", `chameleon receives "change 1 from test" and changes its behavior: true; the trace marks a change: false`},
	{"always changes", "handlers", `bystander receives "go 1 from test" and changes its behavior: false; the trace marks a change: true`},
	{"old behavior goes on", "handlers", "its messages are received by the first first"},
	{"panics are swallowed", "panics", "the handler of thrower panics, and the run does not fail"},
	{"panics are renamed", "panics", "the failure does not name thrower: panic: thrown by adapttest"},
	{"panics are no panics", "panics", "the run fails with a failure of the kind property: panic in thrower"},
	{"the other waits", "stuck", "server waits for an answer; in its mailbox:"},
	{"waits for ever", "stuck", "asker1 waits for an answer; its mailbox is empty"},
	{"gives up", "stuck", "the actor patient waits for a message that never comes, and the run does not fail"},
	{"another waits too", "stuck", "the actor bystander does not wait, and the report names it"},
	{"stuck names another", "stuck", "the report does not name it: stuck\n    silent waits"},
	{"stuck is misuse", "stuck", "the run fails with a failure of the kind misuse: patient waits"},
	{"escapes", "foreign", "a goroutine that the handler of spy has started sends to receiver, and the run does not fail"},
	{"a goroutine", "goroutines", "1800 of "},
}

// TestWrongAdapters checks that each planted fault is found, that no other message is
// printed, and that some fault breaks each rule. Ten runs of each program show every fault.
// The test makes 12 runs of each program by day. At night it makes 100, which is the default.
func TestWrongAdapters(t *testing.T) {
	trial.Long(t)
	rule := regexp.MustCompile(`(?m)^(\w+): `)
	told := map[string]bool{}
	for _, f := range faults {
		seeds := 12
		if f.name == "turns" || f.name == "a goroutine" || os.Getenv("JOSTLE_NIGHTLY") != "" {
			seeds = 0 // the messages of these two faults depend on the number of runs
		}
		err := adapttest.Adapter{New: newToy(f.name), Seeds: seeds}.Test()
		if err == nil {
			t.Errorf("%s: no rule is broken", f.name)
			continue
		}
		_, list, _ := strings.Cut(err.Error(), "\n")
		var broken []string
		for _, m := range rule.FindAllStringSubmatch(list, -1) {
			broken = append(broken, m[1])
			told[m[1]] = true
		}
		if strings.Join(broken, " ") != f.rules || !strings.Contains(list, f.says) {
			t.Errorf("%s breaks %q and not only %q, or does not say %q:\n%v", f.name, broken, f.rules, f.says, err)
		}
	}
	if len(told) != 12 {
		t.Errorf("broken are only the rules %v", told)
	}
}

// TestRareFault checks that a fault that no random run shows is found by the
// search through all orders.
func TestRareFault(t *testing.T) {
	err := adapttest.Adapter{New: newToy("a message is lost in some orders"), Seeds: 1}.Test()
	if err == nil || !strings.Contains(err.Error(), `delivery: in program senders, in run 1 of all orders: sink never receives "number 1 from two"`) {
		t.Error(err)
	}
}

// TestRefusals: an invalid adapter is refused.
func TestRefusals(t *testing.T) {
	for want, a := range map[string]adapttest.Adapter{
		"adapttest: Adapter.New is nil: set it to a function that makes the runtime":  {},
		"adapttest: Adapter.Seeds is -1: use a number of at least 1, or zero for 100": {New: newToy(""), Seeds: -1},
		"adapttest: Adapter.New has returned nil: return the runtime to test":         {New: func(*pulse.System) adapttest.Runtime { return nil }},
	} {
		if err := a.Test(); err == nil || err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
