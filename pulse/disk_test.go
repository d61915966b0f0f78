package pulse_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// scribbles performs an actor's disk accesses, one for each letter of text. A
// digit is written under "x". A letter is written under its own name. "-"
// deletes "x", and "!" syncs.
func scribbles(ctx *pulse.Ctx, text string) {
	for _, c := range text {
		switch {
		case c == '!':
			ctx.Disk().Sync()
		case c == '-':
			ctx.Disk().Write("x", nil)
		case c <= '9':
			ctx.Disk().Write("x", string(c))
		default:
			ctx.Disk().Write(string(c), string(c))
		}
	}
}

// onDisk returns the concatenated values of all names that the function
// scribbles may have written.
func onDisk(ctx *pulse.Ctx) string {
	text := ""
	for _, name := range []string{"x", "a", "b", "c"} {
		if v, ok := ctx.Disk().Read(name); ok {
			text += v.(string)
		} else if v != nil {
			text += "?"
		}
	}
	return text
}

// survivors returns the contents that a disk can have after a crash, one for
// each possible answer of the strategy, and the number of possible answers.
func survivors(t *testing.T, text string, unordered bool) (list []string, answers int) {
	var digits []int
	for more := true; more; {
		at, of := 0, []int(nil)
		sys := newSystem(t, pulse.Options{Record: true, Faults: pulse.Faults{Crash: 1, RestartLost: 1, UnorderedWrites: unordered},
			Strategy: &decider{choose: func(k choice.Kind, n int) int {
				if k != choice.Loss {
					return boolToInt(k.IsFault())
				}
				if at == len(digits) {
					digits = append(digits, 0)
				}
				at, of = at+1, append(of, n)
				return digits[at-1]
			}}})
		left := ""
		sys.SpawnSpec(pulse.Spec{Name: "books", New: func() pulse.Actor { return scribbler{text, &left} }})
		sys.Settle()
		mustRun(t, sys)
		list, answers = append(list, left), answers+1
		for more = false; len(digits) > 0 && !more; {
			last := len(digits) - 1
			if digits[last]++; digits[last] < of[last] {
				more = true
			} else {
				digits = digits[:last]
			}
		}
	}
	slices.Sort(list)
	return slices.Compact(list), answers
}

// A scribbler writes to its disk at its first start, and reads the disk after a
// restart.
type scribbler struct {
	text string
	left *string
}

func (s scribbler) Started(ctx *pulse.Ctx, how pulse.Start) {
	if how == pulse.StartNew {
		scribbles(ctx, s.text)
		return
	}
	*s.left = onDisk(ctx)
}

func (scribbler) Receive(*pulse.Ctx, any) {}

// TestDiskAfterACrash checks what may survive a crash: the first of the writes
// since the last Sync or, with UnorderedWrites, any of them.
func TestDiskAfterACrash(t *testing.T) {
	for _, c := range []struct {
		writes    string
		unordered bool
		leaves    string // all contents that the disk can have after the crash, sorted
		answers   int
	}{
		{"", false, "[]", 1},
		{"!", false, "[]", 1},
		{"1!", false, "[1]", 1},
		{"1!", true, "[1]", 1},
		{"1", false, "[ 1]", 2},
		{"1!2", false, "[1 2]", 2},
		{"123", false, "[ 1 2 3]", 4},
		{"123", true, "[ 1 2 3]", 8},
		{"abc", false, "[ a ab abc]", 4},
		{"abc", true, "[ a ab abc ac b bc c]", 8},
		{"a!bc", true, "[a ab abc ac]", 4},
		{"a!b!c", false, "[ab abc]", 2},
		{"1!-", false, "[ 1]", 2},
		{"1!-!", false, "[]", 1},
		{"1!-2", false, "[ 1 2]", 3},
		{"1!-2", true, "[ 1 2]", 4},
		{"-!", false, "[]", 1},
	} {
		leaves, answers := survivors(t, c.writes, c.unordered)
		if got := fmt.Sprint(leaves); got != c.leaves || answers != c.answers {
			t.Errorf("%q, unordered %v: leaves %v in %d ways, expected %v in %d", c.writes, c.unordered, got, answers, c.leaves, c.answers)
		}
	}
}

// TestDiskWithoutCrashes checks that all writes can be read at once, also by a
// process, and that writes survive a panic and the stop of another actor. A
// new actor's disk is empty.
func TestDiskWithoutCrashes(t *testing.T) {
	sys := newSystem(t, pulse.Options{Strategy: always(choice.Loss)})
	for range 2 {
		var got []string
		r := sys.SpawnSpec(pulse.Spec{Name: "books", OnPanic: pulse.OnPanicRestart, New: func() pulse.Actor {
			return pulse.Func(func(ctx *pulse.Ctx, msg any) {
				got = append(got, onDisk(ctx))
				scribbles(ctx, msg.(string))
				got = append(got, onDisk(ctx))
				panic("again")
			})
		}})
		clerk := sys.Go("clerk", func(p *pulse.Process) {
			for {
				text := p.Receive().(string)
				got = append(got, "clerk "+onDisk(p.Ctx))
				scribbles(p.Ctx, text)
			}
		})
		for _, text := range []string{"1a", "2-b!", "3"} {
			sys.Send(r, text)
			sys.Send(clerk, text)
		}
		sys.Send(sys.Spawn("other", pulse.Func(func(ctx *pulse.Ctx, _ any) { got = append(got, "other "+onDisk(ctx)) })), 1)
		mustRun(t, sys)
		want := "[ 1a 1a ab ab 3ab clerk  clerk 1a clerk ab other ]"
		slices.SortStableFunc(got, func(a, b string) int { return strings.Compare(firstWord(a), firstWord(b)) })
		if fmt.Sprint(got) != want {
			t.Errorf("read %v\nexpected %v", fmt.Sprint(got), want)
		}
		sys.Reset(1) // the next run's disks are empty
	}
}

// firstWord returns the name before the first space of a line, "" if there is none.
func firstWord(line string) string {
	name, _, found := strings.Cut(line, " ")
	if !found {
		return ""
	}
	return name
}

// diskScripts are the ways in which a value on a disk can be changed after its
// write.
var diskScripts = []script{
	{name: "what was written is changed in the same step", o: guarded, do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
		list := []int{1}
		ctx.Disk().Write("list", list)
		list[0] = 2
	}), blast{})},
	{name: "what is synced is changed in a later step", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		list := &parcel{items: []string{"cup"}}
		return one(pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg != any(blast{}) {
				list.items[0] = "pan"
				return
			}
			ctx.Disk().Write("list", list)
			ctx.Disk().Sync()
		}), blast{}, pack{})(s)
	}},
	{name: "what was read is changed", o: guarded, do: one(pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if v, ok := ctx.Disk().Read("list"); ok {
			v.([]int)[0]++
			return
		}
		ctx.Disk().Write("list", []int{1})
	}), blast{}, blast{})},
	{name: "the test changes it between runs", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		list := []int{1}
		one(pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Disk().Write("list", list) }), blast{})(s)
		list[0] = 2
		s.Run()
		return s.Failure()
	}},
	{name: "what was written over may change", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		list := []int{1}
		return one(pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if msg == any(blast{}) {
				ctx.Disk().Write("list", list)
				ctx.Disk().Write("list", 1)
				ctx.Disk().Sync()
			}
			list[0]++
		}), blast{}, pack{})(s)
	}},
	{name: "copies", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		list := []int{1}
		return one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			list[0]++
			ctx.Disk().Write("list", slices.Clone(list))
			ctx.Disk().Write("number", 7)
		}), blast{}, blast{}, blast{})(s)
	}},
	{name: "nothing is said when nobody asks", do: one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
		list := []int{1}
		ctx.Disk().Write("list", list)
		list[0] = 2
	}), blast{})},
}

// TestDiskIsShown checks how the text of a state shows a disk: synced and
// unsynced writes separately, and cut to a limit. Names are escaped.
func TestDiskIsShown(t *testing.T) {
	for _, c := range []struct{ writes, want string }{
		{"", "scribbler"},
		{"1a!", `scribbler; its disk: "a" = "a", "x" = "1"`},
		{"1!a", `scribbler; its disk: "x" = "1"; not synced: "a" = "a"`},
		{"1", `scribbler; its disk, not synced: "x" = "1"`},
		{"\x1b!", `scribbler; its disk: "x" = "\x1b"`},
		{strings.Repeat("a", 20), "scribbler; its disk, not synced: " + strings.Repeat(`"a" = "a", `, 16) + "and 4 more"},
	} {
		sys := newSystem(t, pulse.Options{})
		sys.Spawn("books", scribbler{text: c.writes})
		mustRun(t, sys)
		got := sys.Host().States()[1]
		if i, j := strings.Index(got, "("), strings.Index(got, ")"); i > 0 && j > i {
			got = got[:i] + got[j+1:]
		}
		if got != c.want {
			t.Errorf("%q: %s\nexpected %s", c.writes, got, c.want)
		}
	}
}

// crashesBetween has the test crash an actor that has written text, between two
// runs. It returns the text that is left on disk after a restart.
func crashesBetween(t *testing.T, o pulse.Options, text string) (sys *pulse.System, left string) {
	sys = newSystem(t, o)
	left = "nothing"
	r := sys.SpawnSpec(pulse.Spec{Name: "books", New: func() pulse.Actor { return scribbler{text, &left} }})
	sys.Run()
	sys.Nemesis().Crash(r)
	sys.Nemesis().RestartLost(r)
	sys.Run()
	return sys, left
}

// TestDiskAfterACrashBetweenRuns checks that the strategy decides what a crash
// by the test between runs loses. The decision is recorded and replayed. If the
// replay does not fit, the run fails, and the test continues to its next Run.
func TestDiskAfterACrashBetweenRuns(t *testing.T) {
	for v, want := range []string{"3", "2", "1", ""} {
		loses := &decider{choose: func(k choice.Kind, n int) int {
			if k != choice.Loss || n != 4 {
				t.Errorf("asked for %v of %d", k, n)
			}
			return v
		}}
		sys, left := crashesBetween(t, pulse.Options{Strategy: loses, Record: true}, "123")
		if left != want || sys.Failure() != nil || len(sys.Record().Choices) != 1 {
			t.Errorf("loss of %d: %q, want %q; %v, decisions %v", v, left, want, sys.Failure(), sys.Record().Choices)
		}
		record := choice.Record{Choices: slices.Clone(sys.Record().Choices), Deliveries: slices.Clone(sys.Record().Deliveries)}
		again := func(text string) (*pulse.System, string) {
			return crashesBetween(t, pulse.Options{Strategy: strategy.Replay(&record, strategy.ReplayOptions{}), Record: true}, text)
		}
		if sys, left := again("123"); left != want || sys.Failure() != nil {
			t.Errorf("loss of %d, again: %q, want %q; %v", v, left, want, sys.Failure())
		}
		if sys, left := again("12"); left != "nothing" || sys.Failure() == nil || sys.Failure().Kind != pulse.KindNondeterminism {
			t.Errorf("loss of %d, of another program: %q; %v", v, left, sys.Failure())
		}
	}
}

// TestDiskAfterAFailure checks that after a failure of the run, a crash by
// the test does not ask the strategy.
func TestDiskAfterAFailure(t *testing.T) {
	asked := 0
	sys := newSystem(t, pulse.Options{Strategy: &decider{choose: func(choice.Kind, int) int { asked++; return 0 }}})
	r := sys.Spawn("books", pulse.Func(func(ctx *pulse.Ctx, _ any) {
		scribbles(ctx, "1")
		panic("torn")
	}))
	sys.Send(r, 1)
	if sys.Run() || !sys.Nemesis().Crash(r) || asked > 0 {
		t.Errorf("asked %d times; %v", asked, sys.Failure())
	}
}
