package props_test

import (
	"fmt"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// answered is a monitor: each "ask" is followed by an "answer".
type answered struct{ open int }

func (a *answered) Received(m props.Message) error {
	switch m.Body {
	case "ask":
		a.open++
	case "answer":
		if a.open--; a.open < 0 {
			return fmt.Errorf("%s answers what nobody has asked", m.From)
		}
	}
	return nil
}

// Hot makes answered a props.HotMonitor: a run must not end while Hot returns a text.
func (a *answered) Hot() string {
	if a.open > 0 {
		return "an answer"
	}
	return ""
}

func asksAreAnswered(t *props.T) {
	sys := t.System()
	t.Monitor(&answered{})
	asks := 0
	server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if asks++; asks == 1 { // the server answers only the first "ask"
			ctx.Reply("answer")
		}
	}))
	sys.Send(server, "ask")
	sys.Send(server, "ask")
	sys.Run()
}

func ExampleT_Monitor() {
	r := props.NewRunner("asksAreAnswered", asksAreAnswered)
	defer r.Close()
	fmt.Println(r.Run(props.Plan{}).Failure)
	// Output:
	// *props_test.answered: an answer is still to come, and nothing more can happen
}
