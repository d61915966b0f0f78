package props_test

import (
	"fmt"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// stock is an actor that sells the things it has.
type stock struct{ left, refused int }

func (s *stock) Receive(ctx *pulse.Ctx, msg any) {
	if s.left == 0 {
		s.refused++
		return
	}
	s.left--
}

func neverOversold(t *props.T) {
	customers := props.OneOf(t, "customers", 1, 2)
	sys := t.System()
	s := &stock{left: 2}
	ref := sys.Spawn("stock", s)
	for range customers {
		sys.Send(ref, "buy")
	}
	sys.Run()
	if s.left < 0 {
		t.Errorf("%d are left", s.left)
	}
	t.Sometimes("a customer is refused", s.refused > 0)
}

// With two things to sell and at most two customers, no customer is ever
// refused: the property tests less than it seems to.
func ExampleT_Sometimes() {
	r := props.NewRunner("neverOversold", neverOversold)
	defer r.Close()
	for seed := range uint64(100) {
		r.Run(props.Plan{Seed: seed})
	}
	fmt.Println("no run has reached:", r.Missed())
	// Output:
	// no run has reached: [a customer is refused]
}
