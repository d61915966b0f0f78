package fuzz

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// order returns the order in which the words of a crowd arrive.
func order(t *props.T, n int) (words string) {
	sys := t.System()
	trial.Crowd(sys, n, func(word string) { words += word })
	sys.Run()
	return words
}

var bugSamples = map[string]func(*testing.T){
	// The other three words can come before "a" in 15 different lists.
	"bug-lists": func(t *testing.T) {
		Config{KeepOn: true}.Explore(t, func(t *props.T) {
			before, _, _ := strings.Cut(order(t, 4), "a")
			if early := strings.Split(before, ""); len(early) > 0 {
				t.Errorf("came early: %v", early)
			}
		})
	},
	"bug-mended-from":   func(t *testing.T) { Config{Runs: 50}.Check(t, ledger) },
	"bug-mended-more":   func(t *testing.T) { Config{Runs: 1}.Check(t, ledger) },
	"bug-mended-fewer":  func(t *testing.T) { Config{Runs: 1}.Check(t, ledger) },
	"bug-mended-fails":  func(t *testing.T) { Config{Runs: 1}.Check(t, ledger) },
	"bug-mended-passes": func(t *testing.T) { Config{Runs: 1}.Check(t, ledger) },
	"bug-four": func(t *testing.T) {
		Config{Runs: 200}.Check(t, func(t *props.T) {
			switch words := order(t, 5); words[0] {
			case 'b':
				t.Error("b comes first")
			case 'c':
				t.Error("c comes first")
			case 'd':
				t.Error("d comes first")
			case 'e':
				t.Error("e comes first")
			}
		})
	},
	"bug-faces": func(t *testing.T) {
		Config{Runs: 200}.Check(t, func(t *props.T) {
			n := props.Draw(t, rapid.IntRange(0, 9), "n")
			switch words := order(t, 3); {
			case words[0] == 'a' || words[0] == 'b':
			case n%2 == 0:
				t.Errorf("an even number came late: %d", n)
			default:
				t.Errorf("%d came late, which is odd", n)
			}
		})
	},
	"bug-lines": func(t *testing.T) {
		Config{KeepOn: true}.Explore(t, func(t *props.T) {
			switch words := order(t, 3); words[0] {
			case 'b':
				t.Errorf("%s has come first", words[:1])
			case 'c':
				t.Errorf("%s has come first", words[:1])
			}
		})
	},
}

// TestOneBugIsCountedOnce: failures that differ only in values
// count as one. Failures on different lines count as two.
func TestOneBugIsCountedOnce(t *testing.T) {
	for sample, want := range map[string]int{"bug-lists": 1, "bug-lines": 2} {
		dir := t.TempDir()
		out := runSample(t, sample, dir)
		if n := strings.Count(out, "        saved: "); n != want || len(casesIn(t, dir)) != want {
			t.Errorf("%s is counted as %d, in files %q, expected %d:\n%s", sample, n, casesIn(t, dir), want, out)
		}
	}
}

type (
	entry struct{ n int }
	ack   struct{}
)

// ledger fails when the second entry comes first. JOSTLE_SAMPLE chooses its program: one program
// acknowledges entries and so sends more messages, another merges entries and sends fewer.
func ledger(t *props.T) {
	sample := strings.TrimPrefix(os.Getenv("JOSTLE_SAMPLE"), "bug-mended-")
	sys, list := t.System(), ""
	book := sys.Spawn("book", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		list += string(rune('0' + msg.(entry).n))
		if sample == "more" || sample == "fails" {
			ctx.Reply(ack{})
		}
	}))
	for n := range 2 {
		sys.Send(sys.Spawn("clerk", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if _, is := msg.(ack); !is && (sample != "fewer" || n == 0) {
				ctx.Send(book, msg)
			}
		})), entry{n + 1})
	}
	if sys.Run(); list == "21" && (sample == "from" || sample == "fails") {
		t.Errorf("entries are %v", list)
	}
}

// TestMendedByMore: a program now sends more messages, but all deliveries of a saved case still
// apply. If the run passes, the case is mended. On request today's run replaces the case.
func TestMendedByMore(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "bug-mended-from", dir)
	old := casesIn(t, dir)
	for _, c := range []struct{ sample, repair, want string }{
		{"bug-mended-more", "", "all of its 4 deliveries still applied): its failure is mended, and it is a regression test"},
		{"bug-mended-fewer", "", "not known whether its failure is mended, since it could not be run as saved"},
		{"bug-mended-fewer", "1", "cannot be repaired: no run near it fails as it did"},
		{"bug-mended-fails", "", "entries are 21"},
		{"bug-mended-passes", "", "passes now (as saved): a regression test"},
	} {
		out := runSample(t, c.sample, dir, "JOSTLE_REPAIR="+c.repair)
		if now := casesIn(t, dir); !strings.Contains(out, c.want) || len(old) != 1 || !slices.Equal(now, old) {
			t.Errorf("%s: the cases were %q and are %q, want %q in:\n%s", c.sample, old, now, c.want, out)
		}
	}
	out := runSample(t, "bug-mended-more", dir, "JOSTLE_REPAIR=1")
	now := casesIn(t, dir)
	if want := "its failure is mended; saved as a regression test: "; len(now) != 1 || now[0] == old[0] || !strings.Contains(out, want+now[0]) || strings.Contains(out, "FAIL") {
		t.Errorf("the cases were %q and are %q:\n%s", old, now, out)
	}
	if out := runSample(t, "bug-mended-more", dir); !strings.Contains(out, "passes now (as saved): a regression test") {
		t.Errorf("the regression test is not run as it was saved:\n%s", out)
	}
	if out := runSample(t, "bug-mended-fails", dir); !strings.Contains(out, "saved case "+now[0]+" (as saved)") {
		t.Errorf("the regression test does not see the failure again:\n%s", out)
	}
}

// TestCasesDoNotPileUp: a failure met during shrinking is saved if its bug is new.
// A property that fails in four ways has four cases, however often the test runs.
func TestCasesDoNotPileUp(t *testing.T) {
	dir := t.TempDir()
	for n, repair := range []string{"", "", "", "1", "1", ""} {
		if runSample(t, "bug-four", dir, "JOSTLE_REPAIR="+repair); len(casesIn(t, dir)) != 4 {
			t.Errorf("after %d tests, the last with JOSTLE_REPAIR=%s, there are %d cases, expected 4: %q", n+1, repair, len(casesIn(t, dir)), casesIn(t, dir))
		}
	}
}

// TestTwoFaces: two failures with the same constraints are one bug. The smaller case is kept
// and names the other failure, and a saved case says so when it fails again.
func TestTwoFaces(t *testing.T) {
	dir := t.TempDir()
	for n, repair := range []string{"", "", "1", ""} {
		out := runSample(t, "bug-faces", dir, "JOSTLE_REPAIR="+repair)
		if now := casesIn(t, dir); len(now) != 1 {
			t.Errorf("test %d has kept %q, expected one case:\n%s", n+1, now, out)
		}
		const face = "same cause, another failure: property at func in init: %d came late, which is odd"
		if n > 0 && !strings.Contains(out, face) {
			t.Errorf("test %d does not say %q:\n%s", n+1, face, out)
		}
	}
}

// TestOldSignatures: in older versions a signature contained the formatted text,
// not the format. Such a case still fails as saved, and no second case is saved.
func TestOldSignatures(t *testing.T) {
	dir := t.TempDir()
	runSample(t, "bug-mended-from", dir)
	paths, _ := filepath.Glob(filepath.Join(dir, "*", "*.case"))
	text, err := os.ReadFile(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	old := strings.Replace(strings.Replace(withoutLater(string(text)), "jostle case 6", "jostle case 4", 1), "entries are %v", "entries are #", 1)
	if err := os.WriteFile(paths[0], []byte(old), 0o600); err != nil || strings.Count(old, "entries are #") != 1 {
		t.Fatalf("%v:\n%s", err, old)
	}
	for _, repair := range []string{"", "1", ""} {
		out := runSample(t, "bug-mended-from", dir, "JOSTLE_REPAIR="+repair)
		if now := casesIn(t, dir); !strings.Contains(out, " (as saved), ") || strings.Contains(out, "fails otherwise") || len(now) != 1 {
			t.Errorf("with JOSTLE_REPAIR=%s there are %q:\n%s", repair, now, out)
		}
	}
}
