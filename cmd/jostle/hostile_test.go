package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/campaign"
	"github.com/jostle-go/jostle/fuzz/coverage"
	"github.com/jostle-go/jostle/fuzz/record"
	"github.com/jostle-go/jostle/fuzz/search"
)

// hostile are what terminals obey, or show otherwise than it is.
var hostile = []string{"\x1b]0;title\x07", "\x1b[2J\x1b[H", "\x1b[31m", "\r", "\b\b", "\a", "\v\f", "\x7f", "\u009b31m", "\u0085", "\u202eevil", "\u2066", "\u200b",
	"\u2028", "\ufeff", "\U000e0041", "\xff\x9b2J", "\n", "\t", "'", `"`, "語", "word", "%s"}

// hostileText returns a text of some of them.
func hostileText(random *rand.Rand) string {
	var b strings.Builder
	for range 1 + random.IntN(5) {
		b.WriteString(hostile[random.IntN(len(hostile))])
	}
	return b.String()
}

// passed returns where a text has what controls a terminal, "" if it has nothing.
func passed(text string) string {
	for i, r := range text {
		if r != '\n' && r != '\t' && !unicode.IsPrint(r) || r == utf8.RuneError && !strings.HasPrefix(text[i:], "\ufffd") {
			return fmt.Sprintf("%q", text[max(0, i-20):min(len(text), i+20)])
		}
	}
	return ""
}

// visible fails a script if what a command has printed controls a terminal.
func visible(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range append(args, "stdout", "stderr") {
		if bad := passed(ts.ReadFile(name)); bad != "" {
			ts.Fatalf("%s has %s", name, bad)
		}
	}
}

// hostilely runs a command and fails the test if what it prints controls a terminal.
func hostilely(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	if bad := passed(out.String() + errs.String()); bad != "" {
		t.Fatalf("%q prints %s", args, bad)
	}
	return out.String(), code
}

// TestHostileArguments: whatever the arguments are, of all commands, what is said of them
// controls no terminal.
func TestHostileArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		text := hostileText(random)
		for _, args := range [][]string{{}, {"check", "--" + text}, {"check", "--memory", text}, {"fuzz", "--for", text}, {"explore", "--for", text}, {"replay", text}, {"replay", text, text, text},
			{"shrink", text}, {"explain", text}, {"corpus"}, {"corpus", "list"}, {"corpus", "show"}, {"corpus", "merge", "--into", "x"}, {"corpus", "distill", "--" + text},
			{"corpus", "prune", "--" + text}, {"corpus", "repair", "--for", text}, {"corpus", "import", "--" + text}, {"corpus", "export", text, "--to", "x"}, {"corpus", "export"},
			{"cover", "--form"}, {"cover", "--state"}, {"cover", "--lines", text, "--base"}, {"cover", "--lines"}, {"report", "--state"}, {"report", "--to"}, {"demo"}, {"bench", "-subjects"}, {"bench"}, {"version"}, {"completion"}} {
			if _, code := hostilely(t, append(slices.Clone(args), text)...); code != misused && args[0] != "completion" {
				t.Errorf("%q with %q: code %d", args, text, code)
			}
		}
	}
}

// TestHostileCases: the names and texts of 1,000 cases control no terminal, whatever lists,
// shows and merges them.
func TestHostileCases(t *testing.T) {
	t.Chdir(t.TempDir())
	random := rand.New(rand.NewPCG(2, 2))
	if err := errors.Join(os.Mkdir("cases", 0o700), os.Mkdir("few", 0o700)); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		text := func() string { return hostileText(random) }
		c := corpus.Case{Property: text(), Test: text(), Signature: text(), Strategy: text(), Condition: text(), Comment: []string{text(), text()}}
		data, err := corpus.Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 { // comments as people write them
			data = append([]byte("# "+strings.ReplaceAll(text(), "\n", " ")+"\n"), data...)
		}
		if i%50 == 0 {
			data = append(data, text()...)
		}
		name := strings.ReplaceAll(fmt.Sprint(i, text(), ".case"), "/", "_")
		if err := os.WriteFile(filepath.Join("cases", name), data, 0o600); err != nil {
			t.Fatal(err)
		}
		if i%20 == 0 {
			hostilely(t, "corpus", "show", filepath.Join("cases", name))
			if err := os.WriteFile(filepath.Join("few", name), data, 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	out, _ := hostilely(t, "corpus", "list", "cases")
	if n := strings.Count(out, ".case"); n < 1000 {
		t.Errorf("%d cases are listed", n)
	}
	hostilely(t, "corpus", "merge", "few", "--into", "all")
}

// TestAgain: the command that runs a case again is one for a shell, whatever the file is called.
func TestAgain(t *testing.T) {
	var out bytes.Buffer
	p := &printer{w: &out}
	p.printFinding("bank", &campaign.Finding{Record: record.Record{Died: true, Known: true, Failure: "broken", Kept: record.Kept{Path: "/my bank/it's.case"}}})
	if want := "--- FAIL: bank\n    broken\n        again: jostle replay '/my bank/it'\\''s.case'\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestHostileNights: what a campaign has noted controls no terminal, whatever shows it; and
// the JSON of it is JSON.
func TestHostileNights(t *testing.T) {
	t.Chdir(t.TempDir())
	random := rand.New(rand.NewPCG(3, 3))
	seen, err := (&coverage.Orders{}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var targets []any
	for range 100 {
		text := func() string { return hostileText(random) }
		texts := func() []string { return []string{text(), text()} }
		targets = append(targets, map[string]any{"Package": text(), "Dir": text(), "Test": text(), "Name": text(), "Func": text(), "Seen": seen, "Known": seen,
			"Target": map[string]any{"Begun": true, "Tally": search.NewTally(), "Complete": text(), "Notes": texts(), "GivenUp": text(), "Missed": texts(), "Late": texts(),
				"Findings": []any{map[string]any{"failure": text(), "signature": text(), "detail": text(), "kept": map[string]any{"path": text()}, "where": text()}}}})
	}
	state, err := json.Marshal(map[string]any{"Version": 4, "Seed": 1, "Ended": "time", "Targets": targets})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("state.json", state, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"cover"}, {"cover", "--since", "state.json"}, {"report", "--to", "a\x1b[2Jb"}, {"cover", "--form", "svg"}, {"cover", "--form", "json"}} {
		out, code := hostilely(t, append(args, "--state", "state.json")...)
		if want := args[len(args)-1] == "svg"; (code != succeeded) != want {
			t.Errorf("%q: code %d", args, code)
		}
		if args[len(args)-1] == "json" && !json.Valid([]byte(out)) {
			t.Error("it is not JSON")
		}
	}
}
