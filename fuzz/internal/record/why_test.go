package record

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse/choice"
)

// TestWhy: an explanation of what decides has at most two lines of limited length. It gives an
// exact condition with the deciding step, or else the step and what could have come in its place.
// If the order does not decide whether the run fails, it names the fault or the draws that do.
func TestWhy(t *testing.T) {
	share := func(failed, of int) corpus.Share { return corpus.Share{Failed: failed, Of: of} }
	flush, write := corpus.Message{Text: "flush", At: "writer"}, corpus.Message{Text: "write(1)", At: "writer"}
	long := corpus.Message{Text: strings.Repeat("very long, ", 12), At: "a receiver"}
	none := share(0, 100)
	point := corpus.Point{Step: 8, Message: flush, Before: share(60, 100), After: share(100, 100), Other: &write, Instead: &none}
	with := func(change func(p *corpus.Point)) *corpus.Point {
		p := point
		change(&p)
		return &p
	}
	under := func(pairs ...corpus.Message) (list []corpus.Constraint) {
		for i := 0; i < len(pairs); i += 2 {
			list = append(list, corpus.Constraint{First: pairs[i], Second: pairs[i+1]})
		}
		return list
	}
	turning := func(turned corpus.Share) []corpus.Constraint {
		return []corpus.Constraint{{Place: corpus.InSample, First: flush, Second: corpus.Message{Text: "read", At: "reader"}, Turned: &turned}}
	}
	sampled := &corpus.Sampled{Free: share(5, 100)}
	always := with(func(p *corpus.Point) { p.Step, p.Before, p.After = -1, share(50, 50), share(50, 50) })
	for _, c := range []struct {
		name, want string
		e          corpus.Explanation
	}{
		{"exact", "fails in 1 of 2 orders: exactly where flush comes before write(1) at writer\n" +
			"after step 8 (flush at writer) 100 of 100 continuations fail, before it 60 of 100",
			corpus.Explanation{Orders: 2, Failing: 1, Complete: true, Exact: true, Constraints: under(flush, write), Point: &point}},
		{"exact in two lines", "fails in 1 of 2 orders: exactly where flush comes before write(1) at writer and write(1)\n" +
			"    comes before flush at writer",
			corpus.Explanation{Orders: 2, Failing: 1, Complete: true, Exact: true, Constraints: under(flush, write, write, flush), Point: &point}},
		{"exact, but too long", "fails in 1 of 2 orders, after step 8 in 100 of 100, before it in 60 of 100:\n" +
			"    flush at writer; had write(1) come, in 0 of 100",
			corpus.Explanation{Orders: 2, Failing: 1, Complete: true, Exact: true, Constraints: under(long, long), Point: &point}},
		{"operations on an object", "fails in 1 of 2 orders: exactly where flush by writer comes before very long, very long,\n" +
			"    very long, very long, very long, very long, very long, very long, very long, very long,\n    very long, very long,  by a receiver",
			corpus.Explanation{Orders: 2, Failing: 1, Complete: true, Exact: true, Constraints: under(flush, long), Point: &point}},
		{"sampled", "fails in 5 of 100 random orders, after step 8 in 100 of 100, before it in 60 of 100:\n" +
			"    flush at writer; had write(1) come, in 0 of 100", corpus.Explanation{Sampled: sampled, Point: &point}},
		{"sampled operations on an object", "fails in 5 of 100 random orders, and in 90 of 90 where flush by writer comes before read by\n" +
			"    reader (turned round, 0 of 100)", corpus.Explanation{Sampled: &corpus.Sampled{Free: share(5, 100), Under: share(90, 90)}, Point: &point, Constraints: turning(none)}},
		{"sampled operations that do not decide", "fails in 5 of 100 random orders, after step 8 in 100 of 100, before it in 60 of 100:\n" +
			"    flush at writer; had write(1) come, in 0 of 100",
			corpus.Explanation{Sampled: &corpus.Sampled{Free: share(5, 100), Under: share(90, 90)}, Point: &point, Constraints: turning(share(1, 100))}},
		{"no random order fails", "fails in rare orders (0 of 100 random), after step 8 in 100 of 100, before it in 60 of 100:\n" +
			"    flush at writer; had write(1) come, in 0 of 100", corpus.Explanation{Sampled: &corpus.Sampled{Free: share(0, 100)}, Point: &point}},
		{"few random orders", "fails in 0 of 9 random orders, after step 8 in 100 of 100, before it in 60 of 100:\n" +
			"    flush at writer; had write(1) come, in 0 of 100", corpus.Explanation{Sampled: &corpus.Sampled{Free: share(0, 9)}, Point: &point}},
		{"a message to another actor", "fails in 5 of 100 random orders, after step 8 in 100 of 100, before it in 60 of 100:\n" +
			"    flush; had very long, very long, very long, very long,… at a receiver come, in 0 of 100",
			corpus.Explanation{Sampled: sampled, Point: with(func(p *corpus.Point) { p.Other = &long })}},
		{"a step of another goroutine", "fails in 5 of 100 random orders, after step 8 in 100 of 100, before it in 60 of 100:\n" +
			"    flush at writer;\n    had very long, very long, very long, very long, very long, very long,… come, in 0 of 100",
			corpus.Explanation{Sampled: sampled, Interruptible: true, Point: with(func(p *corpus.Point) { p.Other = &long })}},
		{"nothing else helps", "fails in 5 of 100 random orders, after step 8 in 100 of 100, before it in 60 of 100:\n    flush at writer",
			corpus.Explanation{Sampled: sampled, Point: with(func(p *corpus.Point) { p.Other, p.Instead = nil, nil })}},
		{"a fault", "fails in 5 of 100 random orders, after step 8 in 100 of 100, before it in 60 of 100:\n    crash of leader; without it in 0 of 100",
			corpus.Explanation{Sampled: sampled, Point: with(func(p *corpus.Point) { p.Message, p.Other = corpus.Message{Text: "crash of leader"}, &corpus.Message{} })}},
		{"any order", "fails in all 7 orders: the order does not decide whether it fails", corpus.Explanation{Orders: 7, Failing: 7, Complete: true, Point: always}},
		{"any random order", "fails in 100 of 100 random orders: the order does not decide whether it fails", corpus.Explanation{Sampled: &corpus.Sampled{Free: share(100, 100)}, Point: always}},
		{"draws", "fails in all 7 orders: the draws decide, not the order (tokens, wants)",
			corpus.Explanation{Orders: 7, Failing: 7, Complete: true, Point: &corpus.Point{Step: -1, Before: share(9, 9), Draws: []string{"tokens", "wants"}}}},
		{"a fault in any order", "fails in all 7 orders: a fault decides, not the order:\n    crash of leader (step 3): without it 0 of 50 fail",
			corpus.Explanation{Orders: 7, Failing: 7, Complete: true, Point: &corpus.Point{Step: -1, Before: share(9, 9), Draws: []string{"n"},
				Spared: []corpus.Spared{{Step: 1, Text: "crash of follower", Share: share(50, 50)}, {Step: 3, Text: "crash of leader", Share: share(0, 50)}}}}},
		{"bit by bit", "fails in 5 of 100 random orders\nno single step decides: the chance of failing rises gradually",
			corpus.Explanation{Sampled: sampled, Point: &corpus.Point{Step: -1, Before: share(5, 50)}}},
		{"the only order", "fails in the only order there is", corpus.Explanation{Orders: 1, Failing: 1, Complete: true, Point: always}},
		{"some order passes", "fails in 23 of 24 orders: the order seldom decides whether it fails",
			corpus.Explanation{Orders: 24, Failing: 23, Complete: true, Exact: true, Constraints: under(flush, write), Point: &corpus.Point{Step: -1, Before: share(49, 50)}}},
		{"plain order passes", "fails in 100 of 100 random orders: the order seldom decides whether it fails",
			corpus.Explanation{Sampled: &corpus.Sampled{Free: share(100, 100)}, Depth: 1, Point: always}},
		{"draws, but some order passes", "fails in 97 of 100 random orders: the draws decide (n)",
			corpus.Explanation{Sampled: &corpus.Sampled{Free: share(97, 100)}, Point: &corpus.Point{Step: -1, Before: share(49, 50), Draws: []string{"n"}}}},
		{"only skipped", "fails in this order", corpus.Explanation{Sampled: &corpus.Sampled{}, Skipped: true, Point: &corpus.Point{Step: -1}}},
		{"skipped", "fails in 35 of 35 random orders that are not skipped", corpus.Explanation{Sampled: &corpus.Sampled{Free: share(35, 35)}, Skipped: true, Point: always}},
		{"the only order that is not skipped", "fails in the only order that is not skipped", corpus.Explanation{Orders: 1, Failing: 1, Complete: true, Skipped: true}},
		{"reduced", "fails in 3 of 6 orders that were run, after step 8 in 100 of 100, before it in 60 of 100:\n    flush at writer; had write(1) come, in 0 of 100",
			corpus.Explanation{Orders: 6, Failing: 3, Complete: true, Reduced: true, Point: &point}},
		{"mixed", "can fail in the only order of receives, after step 8 in 100 of 100, before it in 60 of 100:\n    flush at writer; had write(1) come, in 0 of 100",
			corpus.Explanation{Orders: 1, Failing: 1, Complete: true, Mixed: true, Point: &point}},
		{"nothing fails again", "fails in this order\nno single step decides: the chance of failing rises gradually",
			corpus.Explanation{Orders: 7, Complete: true, Point: &corpus.Point{Step: -1, Before: share(1, 50)}}},
		{"no random order counts", "fails in plain order, where the oldest message comes first;\n    there are too many orders to run them all, and no random order is known to fail or pass",
			corpus.Explanation{Sampled: &corpus.Sampled{}}},
		{"plain order of goroutines", "fails in plain order, where a goroutine runs until it blocks;\n    there are too many orders to run them all, and no random order is known to fail or pass",
			corpus.Explanation{Sampled: &corpus.Sampled{}, Interruptible: true}},
		{"no continuations", "fails in all 7 orders", corpus.Explanation{Orders: 7, Failing: 7, Complete: true}},
	} {
		got := Why(&c.e)
		if got != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, got, c.want)
		}
		for _, line := range strings.Split(got, "\n") {
			if utf8.RuneCountInString(line) > mostInLine {
				t.Errorf("%s: %d columns", c.name, utf8.RuneCountInString(line))
			}
		}
	}
}

// TestWhyInLines: without a point of no return, each constraint gets a line if they do not all fit into one. If no
// random order fails, the text says so.
func TestWhyInLines(t *testing.T) {
	e := corpus.Explanation{Sampled: &corpus.Sampled{Free: corpus.Share{Of: 100}, Under: corpus.Share{Failed: 9, Of: 10}}}
	none := corpus.Share{Of: 100}
	for i, text := range []string{"lock of the table of accounts", "unlock of the table of accounts", strings.Repeat("word ", 20) + "end"} {
		at := fmt.Sprintf("goroutine.%d", i)
		e.Constraints = append(e.Constraints, corpus.Constraint{Place: corpus.InOwn, First: corpus.Message{Text: text, At: at}, Second: corpus.Message{Text: "read", At: at}})
	}
	e.Constraints = append(e.Constraints, corpus.Constraint{Place: corpus.InSample, First: corpus.Message{Text: "a", At: "b"}, Second: corpus.Message{Text: "c", At: "b"}, Turned: &none})
	want := `fails in plain order, where the oldest message comes first, but with
        lock of the table of accounts before read at goroutine.0
        and unlock of the table of accounts before read at goroutine.1
        and word word word word word word word word word word word word word word word word
            word word word word end before read at goroutine.2;
    there are too many orders to run them all; sampled: none of 100 random orders fails,
    but it fails in 9 of 10 where a comes before c at b (turned round, 0 of 100)`
	if got := whyIn(&e, mostInLine); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	e.Cut, want = true, "    there was no time to run all orders; sampled: none of 100 random orders fails"
	if got := whyIn(&e, mostInLine); !strings.HasSuffix(got, want) {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSampledClauses: of all sampled constraints, the text names the three that matter most. It
// gives no share if no orders were counted.
func TestSampledClauses(t *testing.T) {
	e := corpus.Explanation{Sampled: &corpus.Sampled{Free: corpus.Share{Failed: 1, Of: 100}, Under: corpus.Share{Failed: 90, Of: 100}}}
	for i, share := range []corpus.Share{{LeftOut: true}, {Failed: 50, Of: 100}, {Failed: 0, Of: 100}, {Failed: 80, Of: 100}, {Failed: 3, Of: 3, LeftOut: true}} {
		m := corpus.Message{Text: fmt.Sprintf("m%d", i), At: "a"}
		e.Constraints = append(e.Constraints, corpus.Constraint{Place: corpus.InSample, First: m, Second: m, Turned: &share})
	}
	_, got, _ := strings.Cut(Why(&e), "where m")
	want := "2 comes before m2 at a (turned round, 0 of 100),\n    and m1 comes before m1 at a (turned round, still 50 of 100),\n" +
		"    and m3 comes before m3 at a (turned round, still 80 of 100) (and 2 more)"
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	for share, want := range map[corpus.Share]string{{LeftOut: true}: "hardly ever the other way round",
		{Failed: 6, Of: 12, LeftOut: true}: "hardly ever the other way round; left out, still 6 of 12", {Of: 100}: "turned round, 0 of 100"} {
		if got := turned(share); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestBrief: the cause and the share of the failing orders fit into a row of a table.
func TestBrief(t *testing.T) {
	flush, write := corpus.Message{Text: "flush", At: "writer"}, corpus.Message{Text: "write(1)", At: "writer"}
	before := []corpus.Constraint{{First: flush, Second: write}}
	for _, c := range []struct {
		r            Record
		brief, share string
	}{
		{Record{}, "", ""},
		{Record{Died: true}, "the run ends its process", ""},
		{Record{Differs: "x"}, "does not repeat: something besides messages decides", ""},
		{Record{Why: &corpus.Explanation{Orders: 3000, Failing: 2, Complete: true, Constraints: before}}, "flush before write(1) at writer", "2 of 3,000"},
		{Record{Why: &corpus.Explanation{Orders: 3, Failing: 2, Complete: true, Constraints: []corpus.Constraint{{First: flush, Bare: true}}}}, "flush is received at writer", "2 of 3"},
		{Record{Why: &corpus.Explanation{Constraints: []corpus.Constraint{{Place: corpus.InOwn, First: corpus.Message{Text: "x", At: "a"}, Second: write}}}}, "x at a before write(1) at writer", ""},
		{Record{Why: &corpus.Explanation{Sampled: &corpus.Sampled{}, Skipped: true}}, "", ""},
		{Record{Why: &corpus.Explanation{Sampled: &corpus.Sampled{Free: corpus.Share{Failed: 5, Of: 100}}, Point: &corpus.Point{Step: 2, Message: flush}}}, "flush at writer", "5 of 100 random"},
		{Record{Why: &corpus.Explanation{Needs: []corpus.Need{{Kind: choice.Drop, N: 1}}}}, "needs 1 message lost", ""},
		{Record{Why: &corpus.Explanation{Early: true}}, "needs a timer that fires early", ""},
		{Record{Why: &corpus.Explanation{Orders: 4, Failing: 4, Complete: true}}, "the order does not decide whether it fails", "4 of 4"},
	} {
		if brief, share := c.r.Brief(), c.r.Share(); brief != c.brief || share != c.share {
			t.Errorf("%+v: %q, %q; want %q, %q", c.r.Why, brief, share, c.brief, c.share)
		}
	}
	long := Record{Why: &corpus.Explanation{Constraints: []corpus.Constraint{{First: corpus.Message{Text: strings.Repeat("long ", 40), At: "a"}, Second: write}}}}
	if n := utf8.RuneCountInString(long.Brief()); n > mostBrief {
		t.Errorf("a long cause has %d characters", n)
	}
}

// TestConstraintsOnPages: a page shows the exact condition once: in the text about the deciding step, or after it if it is too long.
func TestConstraintsOnPages(t *testing.T) {
	c := func(first string) corpus.Constraint {
		return corpus.Constraint{First: corpus.Message{Text: first, At: "writer"}, Second: corpus.Message{Text: "write(1)", At: "writer"}}
	}
	for _, name := range []string{"flush", strings.Repeat("flush ", 8), strings.Repeat("flush ", 40)} {
		e := &corpus.Explanation{Orders: 2, Failing: 1, Complete: true, Exact: true, Constraints: []corpus.Constraint{c(name), c("open")}, Point: &corpus.Point{Step: 2}}
		text := strings.ReplaceAll(Why(e)+"\n"+constraintsIn(e), "\n    ", " ")
		if n := strings.Count(text, "open comes before write(1)"); n != 1 {
			t.Errorf("the condition comes %d times in\n%s", n, text)
		}
	}
}
