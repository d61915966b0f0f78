package props_test

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/linear"
	"github.com/jostle-go/jostle/props/machine"
	"github.com/jostle-go/jostle/pulse"
)

// A mute error has an Error that does not return.
type mute struct{ n int }

func (mute) Error() string { select {} }

// A silent monitor has a String that does not return.
type silent struct{ n int }

func (silent) String() string                 { select {} }
func (s silent) Received(props.Message) error { return mute(s) }

// TestTextsOfErrorsEnd checks that a run ends even if its errors, or the values of
// its panics, have methods that do not return or panic.
func TestTextsOfErrorsEnd(t *testing.T) {
	t.Parallel() // it mostly waits
	step := func(t *props.T, watch func()) {
		sys := t.System()
		watch()
		sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) {})), "go")
		sys.Run()
	}
	for _, c := range []struct {
		want     string
		property func(*props.T)
	}{
		{"it holds: mute(1) (Error did not return within 2s)", func(t *props.T) {
			step(t, func() { t.Always("it holds", func() error { return mute{1} }) })
		}},
		{"panic in the property: mute(2) (Error did not return within 2s)", func(t *props.T) { panic(mute{2}) }},
		{"props_test.silent: mute(3) (Error did not return within 2s)", func(t *props.T) {
			step(t, func() { t.Monitor(silent{3}) })
		}},
		{`panic in the generator of draw "n": mute(4) (Error did not return within 2s)`, func(t *props.T) {
			props.Draw(t, rapid.Custom(func(*rapid.T) int { panic(mute{4}) }), "n")
		}},
		{"panic in the model: mute(5) (Error did not return within 2s)", func(t *props.T) {
			h := linear.NewHistory(t, linear.Model[int, int, int]{Init: func() int { return 0 }, Step: func(int, int, int) (bool, int) { panic(mute{5}) }})
			h.Call(pulse.Ref{}, 1).Return(1)
			h.Check()
		}},
		{"command 1, get(): mute(6) (Error did not return within 2s)", func(t *props.T) {
			machine.Machine[int]{Init: func() int { return 0 }, Commands: []machine.Command[int]{machine.Op[int, struct{}, int]{Name: "get",
				Run: func(*pulse.Process, struct{}) int { return 1 }, Check: func(int, struct{}, int) error { return mute{6} }}.Command()}}.Sequential(t, t.System())
		}},
	} {
		r := props.NewRunner(t.Name(), c.property)
		if res := r.Run(props.Plan{}); res.Failure == nil || res.Failure.Text != c.want {
			t.Errorf("got %v, want %s", res.Failure, c.want)
		}
		r.Close()
	}
}
