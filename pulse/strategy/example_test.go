package strategy_test

import (
	"fmt"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// newest is a strategy that picks the message that was sent last.
type newest struct{}

func (newest) Begin(seed uint64) {}

func (newest) Pick(e *pulse.Enabled) int {
	last := 0
	for i := range e.Len() {
		if e.Seq(i) > e.Seq(last) {
			last = i
		}
	}
	return last
}

// Choose answers zero: no faults, and always the program's first choice.
func (newest) Choose(k choice.Kind, n int) int { return 0 }

func Example_custom() {
	sys := pulse.New(pulse.Options{Strategy: newest{}, Record: true})
	defer sys.Close()
	inbox := sys.Spawn("inbox", pulse.Func(func(ctx *pulse.Ctx, msg any) {}))
	for _, name := range []string{"ann", "bob", "cem"} {
		sys.Go(name, func(p *pulse.Process) { p.Send(inbox, "from "+name) })
	}
	sys.Run()
	fmt.Print(sys.Trace().Chart())
	// Output:
	// 0  test ──start──▶ cem
	// 1  cem ──"from cem"──▶ inbox
	// 2  test ──start──▶ bob
	// 3  bob ──"from bob"──▶ inbox
	// 4  test ──start──▶ ann
	// 5  ann ──"from ann"──▶ inbox
}
