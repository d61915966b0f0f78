package props_test

import (
	"fmt"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// light is one of two traffic lights at a crossing.
type light struct{ green bool }

func (l *light) Receive(ctx *pulse.Ctx, msg any) { l.green = msg == "go" }

func oneIsGreen(t *props.T) {
	sys := t.System()
	north, east := &light{}, &light{}
	n, e := sys.Spawn("north", north), sys.Spawn("east", east)
	t.Always("at most one light is green", func() error {
		if north.green && east.green {
			return fmt.Errorf("both are")
		}
		return nil
	})
	sys.Send(n, "go")
	sys.Send(e, "go") // before the light north has turned red
	sys.Send(n, "stop")
	sys.Run()
}

func ExampleT_Always() {
	r := props.NewRunner("oneIsGreen", oneIsGreen)
	defer r.Close()
	fmt.Println(r.Run(props.Plan{}).Failure)
	// Output:
	// at most one light is green: both are
}
