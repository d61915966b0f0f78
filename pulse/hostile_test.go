package pulse_test

import (
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Types of messages that once caused a wrong report, or ended the process when
// jostle read them.

type (
	selfKeyed map[*selfKeyed]int
	anyCell   struct{ next any }
	chain     struct{ next *chain }
	// A lazy message computes its value on first use.
	lazy struct {
		Text  string
		size  int
		once  sync.Once
		words []string
	}
	// A cached message stores the results of its methods in its fields.
	cached struct {
		Text string
		mu   sync.RWMutex
		kept map[string]int
	}
	embedding struct {
		sync.Mutex
		Items []string
	}
	byPointer struct {
		mu    *sync.Mutex
		items []string
	}
	counted struct {
		n     atomic.Int64
		last  atomic.Value
		where atomic.Pointer[int]
		table sync.Map
		Text  []string
	}
)

// TestIsolationOfTimesAndLocks checks the reports on messages that were
// changed after they were sent. Changes of a *time.Time and a *time.Duration
// were missed, as if they were values. A Once, a cache behind a lock and an
// atomic in normal use were reported as changes.
func TestIsolationOfTimesAndLocks(t *testing.T) {
	now, while, times := time.Unix(1, 0), time.Second, []time.Time{time.Unix(1, 0)}
	l, c, e, p, n := &lazy{}, &cached{kept: map[string]int{}}, &embedding{}, &byPointer{mu: new(sync.Mutex)}, &counted{Text: []string{"a"}}
	for name, c := range map[string]struct {
		msg    any
		change func()
		alarm  bool
	}{
		"*time.Time":           {&now, func() { now = now.Add(1) }, true},
		"a time's place":       {&now, func() { now = now.In(time.FixedZone("there", 60)) }, true},
		"*time.Duration":       {&while, func() { while++ }, true},
		"times":                {times, func() { times[0] = times[0].Add(1) }, true},
		"a pointer in a field": {&struct{ at *time.Time }{&now}, func() { now = now.Add(1) }, true},
		"once":                 {l, func() { l.once.Do(func() { l.words, l.size = []string{l.Text}, 1 }) }, false},
		"a cache":              {c, func() { c.mu.Lock(); c.kept["a"] = 1; c.mu.Unlock() }, false},
		"an embedded lock":     {e, func() { e.Items = append(e.Items, "a") }, false},
		"a lock by pointer":    {p, func() { p.items = append(p.items, "a") }, false},
		"above a once":         {l, func() { l.Text += "x" }, true},
		"above a lock":         {c, func() { c.Text += "x" }, true},
		"another lock":         {p, func() { p.mu = new(sync.Mutex) }, true},
		"atomics": {n, func() {
			n.n.Add(1)
			n.last.Store(1)
			n.where.Store(new(int))
			n.table.Store(1, 1)
		}, false},
		"beside atomics": {n, func() { n.Text[0] += "x" }, true},
	} {
		sys := pulse.New(pulse.Options{Isolation: true})
		sys.Send(sys.Spawn("b", pulse.Func(func(*pulse.Ctx, any) { c.change() })), 1)
		sys.Send(sys.Spawn("a", pulse.Func(idle)), c.msg)
		sys.Run()
		if f := sys.Failure(); (f != nil && f.Kind == pulse.KindIsolation) != c.alarm || f != nil && !c.alarm {
			t.Errorf("%s: an alarm is wanted: %t, and the run ends with %v", name, c.alarm, f)
		}
		sys.Close()
	}
}

// hostileCells is the number of cells in a very deep message.
func hostileCells() int {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return 1_000_000
	}
	return 100_000
}

// hostileMessages contain themselves, or are very deep.
func hostileMessages() map[string]any {
	n := hostileCells()
	keyed := selfKeyed{}
	keyed[&keyed] = 1
	anyKeyed := map[any]any{}
	anyKeyed[&anyKeyed] = anyKeyed
	cells, list, pointers := any(anyCell{}), &chain{}, any(1)
	slices, maps := any([]any{}), any(map[any]any{})
	for i := range n {
		cells, list = anyCell{cells}, &chain{list}
		inner := pointers
		pointers, slices = &inner, []any{slices}
		if i%10 == 0 {
			maps = map[any]any{&anyCell{maps}: maps}
		}
	}
	return map[string]any{"itself as a key": keyed, "itself as any key": anyKeyed, "nested interfaces": cells,
		"list": list, "pointers": pointers, "slices": slices, "maps": maps, "peers": keysOfKeys(100)}
}

// TestHostileMessages: no message ends the process when it is read. A type that
// is a key of its own map, a list of a million cells, or as many nested
// interfaces or pointers, used to overflow the stack.
func TestHostileMessages(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(16 << 20)) // 16 MB are 160 bytes for each cell of the longest message by day
	for name, msg := range hostileMessages() {
		t.Run(name, func(t *testing.T) {
			o := pulse.Options{Isolation: true, Record: true}
			var traces [2]*trace.Trace
			for i := range traces {
				sys := stateSystem(t, o)
				a := sys.Spawn("a", &keeps[any]{msg})
				sys.Send(a, 1)
				sys.Send(a, msg)
				if first, again := stateNow(sys), stateNow(sys); first != again {
					t.Errorf("two states:\n%.200s\n%.200s", first.text, again.text)
				}
				sys.Run()
				if f := sys.Failure(); f != nil {
					t.Error(f)
				}
				traces[i] = sys.Trace()
			}
			if d, differ := trace.Diff(traces[0], traces[1]); differ {
				t.Error(d)
			}
			if text := trace.Label(msg); len(text) > 400 || trace.TypeLabel(msg) == "" {
				t.Errorf("the label is %s", text)
			}
			if chart := traces[0].Chart(); len(chart) > 4000 {
				t.Errorf("the chart has %d bytes", len(chart))
			}
		})
	}
}
