package pulse_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// oracle is an actor that answers every message in the same way.
func oracle(with any) pulse.Actor {
	return pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Reply(with) })
}

// typedAsk runs a process that asks an actor for a T, and returns the answer
// and the failure of the run.
func typedAsk[T any](with any) (got T, failed string) {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	to := sys.Spawn("oracle", oracle(with))
	sys.Go("asker", func(p *pulse.Process) { got = pulse.Ask[T](p, to, "how many?") })
	if !sys.Run() {
		failed = sys.Err().Error()
	}
	return got, failed
}

func TestAskOfType(t *testing.T) {
	if got, failed := typedAsk[int](3); got != 3 || failed != "" {
		t.Errorf("an int: %d, %s", got, failed)
	}
	late := errors.New("too late")
	if got, failed := typedAsk[error](late); got != late || failed != "" {
		t.Errorf("an error: %v, %s", got, failed)
	}
	if got, failed := typedAsk[error](nil); got != nil || failed != "" {
		t.Errorf("no error: %v, %s", got, failed)
	}
	for _, wrong := range []struct {
		failed func() string
		want   string
	}{
		{func() string { _, f := typedAsk[int]("three"); return f }, `the answer is "three" of type string, expected type int`},
		{func() string { _, f := typedAsk[int](nil); return f }, `the answer is nil, expected type int`},
		{func() string { _, f := typedAsk[error](3); return f }, `the answer is 3 of type int, expected type error`},
	} {
		text := wrong.failed()
		if !strings.Contains(text, `asked oracle "how many?": `+wrong.want) || !strings.Contains(text, "func in typedAsk typed_test.go:") {
			t.Errorf("want %s, and the place:\n%s", wrong.want, text)
		}
	}
}

// ReceiveAs returns the messages of one type. Other messages wait until the process receives them.
func TestReceiveOfType(t *testing.T) {
	var got []any
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	to := sys.Go("reader", func(p *pulse.Process) {
		got = append(got, pulse.ReceiveAs[int](p), pulse.ReceiveAs[fmt.Stringer](p), p.Receive())
		pulse.ReceiveAs[bool](p)
	})
	for _, msg := range []any{"first", to, 2} {
		sys.Send(to, msg)
	}
	sys.Run()
	if want := fmt.Sprint([]any{2, to, "first"}); fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
	if text := sys.Err().Error(); !strings.Contains(text, "reader waits in ReceiveAs") {
		t.Errorf("stuck: %s", text)
	}
}

func ExampleAsk() {
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	adder := sys.Spawn("adder", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		pair := msg.([2]int)
		ctx.Reply(pair[0] + pair[1])
	}))
	sys.Go("client", func(p *pulse.Process) {
		fmt.Println(pulse.Ask[int](p, adder, [2]int{2, 3}))
	})
	sys.Run()
	// Output: 5
}
