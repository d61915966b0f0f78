package tool

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/pulse/trace"
)

// TestAllowed: where a live screen may be drawn.
func TestAllowed(t *testing.T) {
	for _, c := range []struct {
		env, system string
		want        bool
	}{
		{"TERM=xterm", "linux", true}, {"", "linux", true}, {"TERM=dumb", "linux", false},
		{"CI=true", "linux", false}, {"CI=1", "darwin", false}, {"CI=false", "linux", true}, {"NO_COLOR=1", "linux", true},
		{"", "windows", false}, {"WT_SESSION=x", "windows", true}, {"WT_SESSION=x CI=true", "windows", false},
	} {
		getenv := func(name string) string {
			for _, v := range strings.Fields(c.env) {
				if value, is := strings.CutPrefix(v, name+"="); is {
					return value
				}
			}
			return ""
		}
		if got := allowed(getenv, c.system); got != c.want {
			t.Errorf("%q on %s: %v", c.env, c.system, got)
		}
	}
	if newLive(&Call{Out: new(strings.Builder)}, os.Getenv) != nil {
		t.Error("a file is a terminal")
	}
}

// someTerminal is a system on which every file is a terminal.
type someTerminal struct{ noTerminal }

func (someTerminal) Is(int) bool { return true }

// TestCompilingIsSaid: on a terminal the command says that it compiles, and elsewhere it does not.
func TestCompilingIsSaid(t *testing.T) {
	f, err := os.Create(filepath.Join(t.TempDir(), "errors"))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	call := &Call{Err: screen.NewOutput(f, nil), Terminal: noTerminal{}}
	call.sayCompiling(7)()
	call.Terminal = someTerminal{}
	done := call.sayCompiling(3)
	defer done()
	for text := ""; text != "compiling 3 packages…\n"; {
		read, err := os.ReadFile(f.Name())
		if text = string(read); err != nil || text != "" && text != "compiling 3 packages…\n" {
			t.Fatalf("%q, %v", text, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestLiveInColumns: a finding that is opened on the live screen is laid out for the terminal.
func TestLiveInColumns(t *testing.T) {
	var b strings.Builder
	l := &live{}
	l.screen.Out, l.screen.Size = screen.NewOutput(&b, nil), func() (int, int) { return 40, 24 }
	row := trace.Row{Step: 0, From: "a client", Label: trace.Phrase{Text: "message with a long name"}, To: "the receiver"}
	l.show(&campaign.Event{Kind: campaign.Found, Finding: &campaign.Finding{Record: record.Record{Rows: trace.Rows{row}}}})
	if want := "    0  a client ──message with a long…\n         ──▶ the receiver\n"; !strings.Contains(b.String(), want) {
		t.Errorf("want %q in\n%s", want, b.String())
	}
}

// TestKeysOfLive: the keys of the live screen, and keys that do nothing there.
func TestKeysOfLive(t *testing.T) {
	var keys screen.Keys
	got := ""
	for _, b := range []byte("\x1b[A\x1b[B\r\n1:2 ?q\x03") {
		if key, ok := keyOf(&keys, b); ok {
			got += key + ","
		}
	}
	if want := "p,n,\r,\r,?,q,q,"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestLinks: the places that a record names are links if the files are there.
func TestLinks(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a b")
	if err := errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "a.go"), nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	r := record.Record{File: "a.go", Line: 3, Places: []record.Place{{SentAt: "a.go:7", Handler: "other.go:1"}, {SentAt: ""}}}
	links := linksOf(&r, dir)
	if len(links) != 2 || !strings.HasPrefix(links["a.go:3"], "file:///") || !strings.HasSuffix(links["a.go:7"], "/a%20b/a.go#7") {
		t.Errorf("%q", links)
	}
}

// TestUnsavedCaseIsWhole: on a narrow terminal, too, a case can be copied from the output into a file.
func TestUnsavedCaseIsWhole(t *testing.T) {
	const text = "jostle case 7\n\ndeliveries 0394e6cbc093b80f 4fd53037a0432b1c 7f820ab732ee31b7\nend\n"
	var b strings.Builder
	out := screen.NewOutput(&b, nil)
	out.Columns = func() int { return 40 }
	(&printer{w: out}).printFinding("p", &campaign.Finding{Record: record.Record{Case: text, Worth: true}})
	if !strings.Contains(b.String(), text) {
		t.Errorf("%s", &b)
	}
}
