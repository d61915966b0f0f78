package pulse_test

import (
	"fmt"
	"math"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// TestZeroOptions checks the documented behavior of the zero Options.
func TestZeroOptions(t *testing.T) {
	s, d := pulse.New(pulse.Options{}), &diary{}
	defer s.Close()
	a := s.Spawn("a", pulse.Func(func(ctx *pulse.Ctx, msg any) { d.write("a %v %d", msg, ctx.Choose(9)) }))
	b := s.Spawn("b", pulse.Func(func(_ *pulse.Ctx, msg any) { d.write("b %v", msg) }))
	for i := range 3 {
		s.Send(b, i)
		s.Send(a, i)
	}
	shut(1)(s)
	s.Run()
	if f := s.Failure(); f != nil {
		t.Fatal(f)
	}
	if got := strings.Join(d.lines, ", "); got != "b 0, a 0 0, b 1, a 1 0, b 2, a 2 0" {
		t.Errorf("plain order is %s", got)
	}
	trace, record := s.Trace(), s.Record()
	if len(trace.Steps)+len(trace.Sends)+len(trace.Notes)+len(record.Deliveries)+len(record.Choices) != 0 {
		t.Errorf("unrecorded, the trace has %d steps and %d sends, the record %d deliveries and %d choices",
			len(trace.Steps), len(trace.Sends), len(record.Deliveries), len(record.Choices))
	}
}

// TestBudgetOptions checks how many steps and messages each value of Steps and Pending allows.
func TestBudgetOptions(t *testing.T) {
	for _, c := range []struct {
		o              pulse.Options
		steps, pending int // allowed
	}{
		{pulse.Options{}, 100_000, 100_000},
		{pulse.Options{Steps: 7, Pending: 3}, 7, 3},
		{pulse.Options{Steps: math.MaxInt, Pending: math.MaxInt}, 200_000, 200_000},
	} {
		for _, record := range []bool{false, true} {
			c.o.Record = record
			unlimited := c.o.Steps == math.MaxInt
			for _, more := range []int{0, 1} {
				s := pulse.New(c.o)
				left := c.steps + more
				f := one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
					if left--; left > 0 {
						ctx.Send(ctx.Self(), letter{})
					}
				}), letter{})(s)
				if failed := f != nil; failed != (more == 1 && !unlimited) {
					t.Errorf("%d steps with Steps %d: %v", c.steps+more, c.o.Steps, f)
				}
				s.Reset(1)
				r := s.Spawn("shop", pulse.Func(idle))
				f = attempt(func() {
					for range c.pending + more {
						s.Send(r, letter{})
					}
				})
				if failed := f != nil; failed != (more == 1 && !unlimited) {
					t.Errorf("%d messages with Pending %d: %v", c.pending+more, c.o.Pending, f)
				}
				s.Close()
			}
		}
	}
}

// Invalid options used to be silently replaced by others.
func TestBadOptionsAreRefused(t *testing.T) {
	for _, c := range []struct {
		o    pulse.Options
		want string
	}{
		{pulse.Options{Delivery: 9}, "Options.Delivery is 9: it must be DeliveryFIFO or DeliveryUnordered"},
		{pulse.Options{Environment: 9}, "Options.Environment is 9: it must be EnvironmentOpen or EnvironmentClosed"},
		{pulse.Options{Steps: -1}, "Options.Steps is -1: use a number of at least 1, or zero for the default"},
		{pulse.Options{Pending: -5}, "Options.Pending is -5: use a number of at least 1, or zero for the default"},
		{pulse.Options{Ticks: -2}, "Options.Ticks is -2: use a number of at least 1, or zero for the default"},
		{pulse.Options{Horizon: -time.Second}, "Options.Horizon is -1s: use a time of at least 1ns, or zero for no end"},
		{pulse.Options{Faults: pulse.Faults{Drop: -1}}, "Options.Faults.Drop is -1: use a number of at least 1, or zero for none"},
		{pulse.Options{Faults: pulse.Faults{Crash: 2, RestartLost: -3}}, "Options.Faults.RestartLost is -3: use a number of at least 1, or zero for none"},
		{pulse.Options{Faults: pulse.Faults{Delay: 1, DelayBy: []time.Duration{1, 0}}}, "Options.Faults.DelayBy[1] is 0s: a delay must be 1ns or longer"},
		{pulse.Options{EarlyTimers: -1}, ""}, // no limit
	} {
		got := ""
		if f := attempt(func() { pulse.New(c.o).Close() }); f != nil {
			got = f.Text
		}
		if got != c.want {
			t.Errorf("%+v: %q, expected %q", c.o, got, c.want)
		}
	}
	spec := pulse.Spec{Name: "shop", Actor: pulse.Func(idle), OnPanic: 9}
	if f := attempt(func() { pulse.New(pulse.Options{}).SpawnSpec(spec) }); f == nil || !strings.Contains(f.Text, "Spec.OnPanic is 9") {
		t.Errorf("a directive that there is not: %v", f)
	}
	spec.OnPanic, spec.Restarts = pulse.OnPanicRestart, -1
	if f := attempt(func() { pulse.New(pulse.Options{}).SpawnSpec(spec) }); f == nil || !strings.Contains(f.Text, "Spec.Restarts is -1") {
		t.Errorf("a negative number of restarts: %v", f)
	}
}

func TestNamesOfOptions(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{pulse.DeliveryFIFO.String(), "fifo"},
		{pulse.DeliveryUnordered.String(), "unordered"},
		{pulse.EnvironmentOpen.String(), "open"},
		{pulse.EnvironmentClosed.String(), "closed"},
		{pulse.KindMisuse.String(), "misuse"},
		{pulse.Kind(99).String(), "pulse.Kind(99)"},
	} {
		if c.got != c.want {
			t.Errorf("%q, expected %q", c.got, c.want)
		}
	}
}

// seeing is a strategy that records the questions it is asked.
type seeing struct {
	answers
	d *diary
}

func (s *seeing) Begin(seed uint64) { s.d.write("begin %d", seed) }

func (s *seeing) Choose(k choice.Kind, n int) int {
	s.d.write("%v of %d", k, n)
	return n - 1
}

// TestSeeds: the strategy gets the seed of the options, then the seeds given
// to Reset. It gets a seed once in each run, before its first decision.
func TestSeeds(t *testing.T) {
	d := &diary{}
	s := pulse.New(pulse.Options{Seed: 7, Strategy: &seeing{d: d}})
	defer s.Close()
	ask := func() {
		one(pulse.Func(func(ctx *pulse.Ctx, _ any) { d.write("%d", ctx.Choose(3)) }), letter{})(s)
	}
	ask()
	ask()
	s.Reset(8)
	s.Settle()
	s.Reset(9)
	ask()
	if got := strings.Join(d.lines, ", "); got != "begin 7, choose of 3, 2, choose of 3, 2, begin 9, choose of 3, 2" {
		t.Errorf("the strategy is told %s", got)
	}
}

// TestFailed: the option is called for each failure before Run returns.
func TestFailed(t *testing.T) {
	var told []string
	s := pulse.New(pulse.Options{Failed: func(f *pulse.Failure) { told = append(told, f.Text) }})
	defer s.Close()
	one(pulse.Func(idle), letter{})(s)
	f := one(pulse.Func(refusing), blast{})(s)
	if len(told) != 1 || told[0] != f.Text {
		t.Errorf("told %q of %v", told, f)
	}
}

// TestHorizon: a run ends when the next event is due after the horizon, and time does not advance.
func TestHorizon(t *testing.T) {
	s := pulse.New(pulse.Options{Horizon: time.Second})
	defer s.Close()
	one(pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.After(2*time.Second, letter{}) }), blast{})(s)
	if s.Steps() != 1 || s.Now() != 0 {
		t.Errorf("%d steps, and it is %v", s.Steps(), s.Now())
	}
}

// unsaid are the fields of Options and Faults that Settings leaves out, with
// the reason.
var unsaid = map[string]string{
	"Strategy": "a case keeps the schedule instead",
	"Seed":     "a case keeps the schedule instead",
	"Record":   "changes nothing in a run",
	"Failed":   "changes nothing in a run",
	"Tools":    "changes only what states and the isolation check look at, and is set by who runs the property",
}

// TestSettings checks that Settings lists every field of Options and Faults not
// in unsaid, under its own name.
func TestSettings(t *testing.T) {
	if list := (pulse.Options{}).Settings(); len(list) != 0 {
		t.Errorf("the defaults say %v", list)
	}
	names := map[string]string{}
	check := func(field string, set func(*pulse.Options) reflect.Value) {
		var o pulse.Options
		fill(t, set(&o))
		list := o.Settings()
		if why := unsaid[field]; why != "" {
			if len(list) != 0 {
				t.Errorf("%s is left out because %s, but says %v", field, why, list)
			}
			return
		}
		if len(list) != 1 || list[0].Value == "" {
			t.Errorf("%s says %v: it needs a line in Options.Settings, or a reason in unsaid", field, list)
			return
		}
		if other := names[list[0].Name]; other != "" {
			t.Errorf("%s and %s have one name: %q", field, other, list[0].Name)
		}
		names[list[0].Name] = field
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[pulse.Options]()) {
		if f.Name != "Faults" {
			check(f.Name, func(o *pulse.Options) reflect.Value { return reflect.ValueOf(o).Elem().FieldByIndex(f.Index) })
		}
	}
	for _, f := range reflect.VisibleFields(reflect.TypeFor[pulse.Faults]()) {
		check(f.Name, func(o *pulse.Options) reflect.Value { return reflect.ValueOf(&o.Faults).Elem().FieldByIndex(f.Index) })
	}
	if len(names) < 20 {
		t.Errorf("only %d fields say anything", len(names))
	}
}

// fill gives a field a value that is not its default.
func fill(t *testing.T, v reflect.Value) {
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int, reflect.Int64:
		v.SetInt(7)
	case reflect.Uint8, reflect.Uint64:
		v.SetUint(1)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
	case reflect.Func:
		v.Set(reflect.MakeFunc(v.Type(), func([]reflect.Value) []reflect.Value { return nil }))
	case reflect.Interface:
		v.Set(reflect.ValueOf(strategy.Random()))
	default:
		t.Fatalf("a field of type %v: say here what is not its default", v.Type())
	}
}

// TestSettingsInWords checks the text that Settings returns for each option.
func TestSettingsInWords(t *testing.T) {
	o := pulse.Options{Delivery: pulse.DeliveryUnordered, EarlyTimers: -1, Horizon: time.Second,
		Faults: pulse.Faults{Delay: 2, DelayBy: []time.Duration{time.Millisecond, time.Second},
			Links: func(_, _ pulse.Ref) bool { return true }}}
	want := "[{delivery unordered} {early timers -1} {horizon 1s} {delay 2} {delay by 1ms, 1s} {links limited}]"
	if got := fmt.Sprint(o.Settings()); got != want {
		t.Errorf("%s, expected %s", got, want)
	}
}
