package search

import (
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// TestRefusedCallsAreNamed: if a run hangs, the report names a call by another goroutine that was refused, since the
// step may wait for that goroutine.
func TestRefusedCallsAreNamed(t *testing.T) {
	refused, release := make(chan bool), make(chan bool)
	r := props.NewRunner(t.Name(), func(t *props.T) {
		sys := t.System()
		sys.Send(sys.Spawn("actor", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			go func() { ctx.Send(ctx.Self(), "answer"); close(refused) }()
			<-release
		})), "question")
		sys.Run()
	})
	defer r.Close()
	over := make(chan bool)
	go func() { r.Run(props.Plan{}); close(over) }()
	<-refused
	var told []string
	d := &Watchdog{Tell: func(_, lines string) { told = append(told, lines) }}
	d.report(&looked{runner: r, since: time.Now()})
	close(release)
	<-over
	const want = "the run may wait for something that jostle refused: Send on a Ctx from another goroutine"
	if !strings.Contains(strings.Join(told, "\n"), want) {
		t.Errorf("got\n%s\nwant %s", strings.Join(told, "\n"), want)
	}
}
