package props_test

import (
	"testing"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A mute error has an Error that does not return.
type mute struct{ n int }

func (mute) Error() string { select {} }

// TestTextsOfErrorsEnd checks that a run ends even if its errors, or the values of
// its panics, have methods that do not return or panic.
func TestTextsOfErrorsEnd(t *testing.T) {
	for _, c := range []struct {
		want     string
		property func(*props.T)
	}{
		{"it holds: mute(1) (Error did not return within 2s)", func(t *props.T) {
			sys := t.System()
			t.Always("it holds", func() error { return mute{1} })
			sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), "go")
			sys.Run()
		}},
		{"panic in the property: mute(2) (Error did not return within 2s)", func(t *props.T) { panic(mute{2}) }},
	} {
		r := props.NewRunner(t.Name(), c.property)
		if res := r.Run(props.Plan{}); res.Failure == nil || res.Failure.Text != c.want {
			t.Errorf("got %v, want %s", res.Failure, c.want)
		}
		r.Close()
	}
}
