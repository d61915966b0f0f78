package props_test

import (
	"fmt"
	"io"
	"os"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

func nobodyShouts(t *props.T) {
	sys := t.System()
	t.Attach("run.mmd", func(w io.Writer) error {
		_, err := io.WriteString(w, sys.Trace().Mermaid())
		return err
	})
	crowd := sys.Spawn("crowd", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg == "GOAL" {
			t.Errorf("somebody shouts")
		}
	}))
	sys.Send(crowd, "GOAL")
	sys.Run()
}

// The diagram is written only when a run fails; package fuzz then saves it next to
// the case.
func ExampleT_Attach() {
	r := props.NewRunner("nobodyShouts", nobodyShouts)
	defer r.Close()
	res := r.Run(props.Plan{})
	fmt.Println(res.Failure, "-", res.Attachments[0].Name)
	res.Attachments[0].Write(os.Stdout)
	// Output:
	// somebody shouts - run.mmd
	// sequenceDiagram
	//     participant a0 as test
	//     participant a1 as crowd
	//     a0->>a1: #34;GOAL#34;
	//     Note over a0,a1: at rest
}
