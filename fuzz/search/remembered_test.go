package search_test

import (
	"testing"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// The String method of a remembered changes a text that the message stores. The String method of a remembering
// changes a function that the message stores. Messages of protobuf change in similar ways when they are printed.
type (
	remembered  struct{ text string }
	remembering struct{ make func() string }
)

func (r *remembered) String() string {
	r.text = "remembered"
	return r.text
}

func (r *remembering) String() string {
	r.make = func() string { return "remembering" }
	return r.make()
}

// TestTextsChangeNothing checks that a finding replays even if showing its messages changes
// them.
func TestTextsChangeNothing(t *testing.T) {
	for name, message := range map[string]func() any{
		"text":     func() any { return &remembered{} },
		"function": func() any { return &remembering{} },
	} {
		p := search.Property{Name: name, Test: t.Name(), Func: func(t *props.T) {
			sys := t.System()
			sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), message())
			sys.Run()
			t.Errorf("always")
		}}
		f := search.Sample(t.Context(), p, search.Options{Runs: 1, Seed: 1}).Finding
		if f == nil || f.Replays != finding.Tried {
			t.Errorf("%s: %+v", name, f)
		}
	}
}
