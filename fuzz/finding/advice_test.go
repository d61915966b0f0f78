package finding

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// TestAdvice checks the advice under the failure of a stuck Ask. If the asked actor has ended, the report recommends
// AskTimeout. If that actor is alive, it does not.
func TestAdvice(t *testing.T) {
	const advice = "\n        server has ended and never answers client: AskTimeout ends the wait\n"
	for stops, want := range map[bool]int{true: 1, false: 0} {
		property := func(t *props.T) {
			sys := t.System()
			server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, _ any) {
				if stops {
					ctx.Stop()
				}
			}))
			sys.Go("client", func(p *pulse.Process) { p.Ask(server, "question") })
			sys.Run()
		}
		r := props.NewRunner("advice", property)
		res := r.Run(props.Plan{})
		if res.Failure == nil || res.Failure.Kind != pulse.KindStuck {
			t.Fatalf("stops %t: %v", stops, res.Failure)
		}
		if text := From(Origin{}, &res).Text("run"); strings.Count(text, advice) != want || want == 0 && strings.Contains(text, "AskTimeout") {
			t.Errorf("stops %t:\n%s", stops, text)
		}
		r.Close()
	}
}
