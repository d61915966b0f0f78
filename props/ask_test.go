package props_test

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A property whose Ask has no answer ends there, and fails at the line that asks.
func TestAskInAProperty(t *testing.T) {
	answer, goesOn := 0, false
	r := props.NewRunner("asks", func(t *props.T) {
		sys := t.System()
		server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if n, ok := msg.(int); ok {
				ctx.Reply(n + 1)
			}
		}))
		answer = pulse.Ask[int](sys, server, 1)
		sys.Ask(server, "?")
		goesOn = true
	})
	defer r.Close()
	res := r.Run(props.Plan{})
	f := res.Failure
	if f == nil || f.Kind != pulse.KindStuck || !strings.HasPrefix(f.Text, "stuck: the test asks server, ") || answer != 2 || goesOn {
		t.Errorf("answer %d, goes on %v: %v", answer, goesOn, f)
	}
	if !strings.Contains(f.Detail, "test waits in Ask of server at ask_test.go:22 ") || !strings.HasPrefix(res.Location.Place(), "ask_test.go:") {
		t.Errorf("at %q: %v", res.Location.Place(), f)
	}
}
