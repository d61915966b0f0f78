package finding

import (
	"context"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// backwards is a property with clients that say one word each. It fails if the words come in reverse
// order.
type backwards struct {
	words int
	// The fields below change the program.
	runes  bool // runes are sent in place of texts: no step keeps its identity
	more   bool // one more client, which says one more word
	leads  bool // the run fails only if the additional word comes first
	mended bool
}

func (b *backwards) property(t *props.T) {
	var said []rune
	sys := t.System()
	hall := sys.Spawn("hall", pulse.Func(func(_ *pulse.Ctx, msg any) {
		switch msg := msg.(type) {
		case string:
			said = append(said, []rune(msg)...)
		case rune:
			said = append(said, msg)
		}
	}))
	say := func(word rune) {
		client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) }))
		if b.runes {
			sys.Send(client, word)
		} else {
			sys.Send(client, string(word))
		}
	}
	for i := range b.words {
		say('a' + rune(i))
	}
	if b.more {
		say('~') // '~' comes after all letters
	}
	sys.Run()
	if b.more && !b.leads {
		said = slices.DeleteFunc(said, func(word rune) bool { return word == '~' })
	}
	if !b.mended && slices.IsSortedFunc(said, func(a, b rune) int { return int(b - a) }) {
		t.Error("backwards")
	}
}

// newest always takes the youngest message, which gives the only order that is backwards.
type newest struct{}

func (newest) Begin(uint64)                {}
func (newest) Choose(choice.Kind, int) int { return 0 }
func (newest) Pick(e *pulse.Enabled) (best int) {
	for i := range e.Len() {
		if e.Seq(i) > e.Seq(best) {
			best = i
		}
	}
	return best
}

// TestRepair checks which cases are repaired after the program has changed.
func TestRepair(t *testing.T) {
	for _, test := range []struct {
		name     string
		was, now backwards
		want     bool
	}{
		{"the same program", backwards{words: 3}, backwards{words: 3}, false},
		{"mended", backwards{words: 3}, backwards{words: 3, mended: true}, false},
		{"mended, and another program", backwards{words: 3}, backwards{words: 3, runes: true, mended: true}, false},
		{"what still applies fails", backwards{words: 8}, backwards{words: 8, more: true}, true},
		{"found near, where random orders find it once in 362,880", backwards{words: 8}, backwards{words: 8, more: true, leads: true}, true},
		{"nothing applies, of few orders", backwards{words: 3}, backwards{words: 3, runes: true}, true},
		{"nothing applies, of 40,320 orders", backwards{words: 8}, backwards{words: 8, runes: true}, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			program := test.was
			r := props.NewRunner("p", func(t *props.T) { program.property(t) })
			defer r.Close()
			res := r.Run(props.Plan{Strategy: newest{}})
			if res.Failure == nil {
				t.Fatal("nothing fails")
			}
			c := From(Origin{Property: "p", Test: t.Name(), Strategy: "newest", Seed: 7}, &res).Case
			program = test.now
			f, ok := Repair(context.Background(), r, &c)
			if ok != test.want || ok != (f != nil) {
				t.Fatalf("repaired: %v, expected %v", ok, test.want)
			}
			if !ok {
				return
			}
			if f.Replays != Tried || f.Case.Signature != c.Signature || f.Case.Seed != 7 || f.Case.Property != "p" {
				t.Errorf("%+v", f)
			}
			if p := Replay(r, &f.Case); !p.Exact || p.Result.Failure == nil {
				t.Errorf("what it is repaired to is run %s", p.How)
			}
			if again, _ := Repair(context.Background(), r, &c); !again.Case.Same(&f.Case) {
				t.Errorf("repaired again it is %+v, and was %+v", again.Case, f.Case)
			}
			if _, ok := Repair(context.Background(), r, &f.Case); ok {
				t.Error("what it is repaired to is repaired")
			}
		})
	}
}

// A case is not repaired without a signature, a system, or time left.
func TestRepairNothing(t *testing.T) {
	program := backwards{words: 3}
	systems := true
	r := props.NewRunner("p", func(t *props.T) {
		if systems {
			program.property(t)
		}
	})
	defer r.Close()
	res := r.Run(props.Plan{Strategy: newest{}})
	c := From(Origin{Property: "p"}, &res).Case
	passed := c
	passed.Signature = ""
	program.runes = true
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	if _, ok := Repair(ended, r, &c); ok {
		t.Error("there was no time left")
	}
	if _, ok := Repair(context.Background(), r, &passed); ok {
		t.Error("nothing has failed")
	}
	systems = false
	if _, ok := Repair(context.Background(), r, &c); ok {
		t.Error("there is no system")
	}
}
