package tool

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// hostilely runs a command and fails the test if what it prints controls a terminal.
func hostilely(t *testing.T, args ...string) (stdout string, code int) {
	t.Helper()
	var out, errs bytes.Buffer
	code = run(t.Context(), args, &out, &errs)
	if bad := trial.Controls(out.String() + errs.String()); bad != "" {
		t.Fatalf("%q prints %s", args, bad)
	}
	return out.String(), code
}

// TestHostileCases: no command prints an escape sequence from the names or texts of 1,000
// hostile cases. The commands show, list and merge the cases.
func TestHostileCases(t *testing.T) {
	t.Chdir(t.TempDir())
	random := rand.New(rand.NewPCG(2, 2))
	if err := errors.Join(os.Mkdir("cases", 0o700), os.Mkdir("few", 0o700)); err != nil {
		t.Fatal(err)
	}
	for i := range 1000 {
		text := func() string { return trial.HostileText(random) }
		c := corpus.Case{Property: text(), Test: text(), Signature: text(), Strategy: text(), Condition: text(), Comment: []string{text(), text()}}
		data, err := corpus.Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		if i%10 == 0 { // a comment that a user has added
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

// TestAgain: a shell can execute the printed command that replays a case, even if the file name
// has spaces and quotes.
func TestAgain(t *testing.T) {
	var out bytes.Buffer
	p := &printer{w: &out}
	p.printFinding("bank", &campaign.Finding{Record: record.Record{Died: true, Known: true, Failure: "broken", Kept: record.Kept{Path: "/my bank/it's.case"}}})
	if want := "--- FAIL: bank\n    broken\n        again: jostle replay '/my bank/it'\\''s.case'\n"; out.String() != want {
		t.Errorf("%q, want %q", out.String(), want)
	}
}

// TestHostileNights: no command prints an escape sequence from the texts in a hostile state
// file. Output as JSON is valid JSON.
func TestHostileNights(t *testing.T) {
	t.Chdir(t.TempDir())
	random := rand.New(rand.NewPCG(3, 3))
	seen, err := (&coverage.Orders{}).MarshalBinary()
	if err != nil {
		t.Fatal(err)
	}
	var targets []any
	for range 100 {
		text := func() string { return trial.HostileText(random) }
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
