package words_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/words"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{words.Count(1, "run"), "1 run"},
		{words.Count(0, "run"), "0 runs"},
		{words.Count(12_400, "run"), "12,400 runs"},
		{words.Count(1, "property"), "1 property"},
		{words.Count(12, "property"), "12 properties"},
		{words.Count(2, "delay"), "2 delays"},
		{words.Grouped(999), "999"},
		{words.Grouped(1_234_567), "1,234,567"},
		{words.Roughly(0, 0), "0"},
		{words.Roughly(7, 0), "7"},
		{words.Roughly(95, 0), "95"},
		{words.Roughly(994, 0), "990"},
		{words.Roughly(995, 0), "1,000"},
		{words.Roughly(81_234, 0), "81,000"},
		{words.Roughly(81_234, 81_100), "81,100"},
		{words.Roughly(4e17, 0), "4.0e+17"},
		{words.Roughly(1e18, 0), "1.0e+18"},
		{words.Roughly(2e18, 0), "more than 10^18"},
		{words.Roughly(math.Inf(1), 7), "more than 10^18"},
		{words.Roughly(math.NaN(), 0), "more than 10^18"},
		{words.Short(950), "950"},
		{words.Short(999.6), "1.0k"},
		{words.Short(9949), "9.9k"},
		{words.Short(310_000), "310k"},
		{words.Short(1_250_000), "1.2M"},
		{words.Short(12e6), "12M"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

// TestArguments: a shell passes the quoted argument on unchanged,
// and printing it does not move the cursor of a terminal.
func TestArguments(t *testing.T) {
	for text, want := range map[string]string{
		"bank/testdata/ce2db3.case": "bank/testdata/ce2db3.case",
		"./my bank":                 "'./my bank'",
		"it's":                      `'it'\''s'`,
		"":                          "''",
		"$(reboot)":                 "'$(reboot)'",
		"`a`;b|c&d*?~#!":            "'`a`;b|c&d*?~#!'",
		"ünïcode":                   "'ünïcode'",
		"~":                         "'~'",
		"a\nb\x1b[31m\\'\u202e":     `$'a\012b\033[31m\\\'\342\200\256'`,
		"bad\xff":                   `$'bad\377'`,
	} {
		got := words.Argument(text)
		if got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
		bash, err := exec.LookPath("bash")
		if err != nil {
			continue
		}
		out, err := exec.Command(bash, "-c", "printf %s "+got).Output()
		if err != nil || string(out) != text {
			t.Errorf("%s is read as %q, want %q (%v)", got, out, text, err)
		}
	}
}

// TestCommand: a shell reads the command of a test unchanged.
func TestCommand(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "my bank", "it's")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "go.mod"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got, want := words.Command("go test", words.Pattern("TestBank/it's_a(b)"), words.PackageIn(dir)), `go test -run '^TestBank$/^it'\''s_a\(b\)$' './my bank/it'\''s'`; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for version, want := range map[string]string{"": ".", "(devel)": ".", "v1.2.0": "example.com/other/bank"} {
		info := &debug.BuildInfo{Path: "example.com/other/bank.test", Main: debug.Module{Version: version}}
		if got := words.Command("go test", words.Pattern("TestBank"), words.TestedPackage(info, root)); got != "go test -run '^TestBank$' "+want {
			t.Errorf("%q: %s, want %s", version, got, want)
		}
	}
	if got := words.TestedPackage(nil, root); got != "." {
		t.Errorf("without information about the build: %s", got)
	}
}

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		d                  time.Duration
		rounded, inOneUnit string
	}{
		{0, "0s", "0 ms"},
		{240 * time.Microsecond, "200µs", "0 ms"},
		{261_400 * time.Microsecond, "260ms", "261 ms"},
		{1256 * time.Millisecond, "1.26s", "1.3 s"},
		{70 * time.Second, "1m10s", "70 s"},
		{95 * time.Minute, "1h35m0s", "95 min"},
		{30 * time.Hour, "30h0m0s", "30 h"},
		{80 * 24 * time.Hour, "1920h0m0s", "80 days"},
	} {
		if got := words.Elapsed(c.d); got != c.rounded {
			t.Errorf("Rounded(%v) is %s, want %s", c.d, got, c.rounded)
		}
		if got := words.InOneUnit(c.d); got != c.inOneUnit {
			t.Errorf("InOneUnit(%v) is %s, want %s", c.d, got, c.inOneUnit)
		}
	}
}

// TestNearest: for a mistyped word, Nearest returns the most similar name, or the only name with this prefix.
func TestNearest(t *testing.T) {
	names := []string{"check", "corpus", "cover", "fuzz", "replay", "report", "überzug"}
	for word, want := range map[string]string{"chekc": "check", "hceck": "check", "cehck": "check", "corpsu": "corpus", "repla": "replay", "fuz": "fuzz", "fzz": "fuzz",
		"ch": "check", "co": "", "re": "", "dance": "", "x": "", "": "", "uberzug": "überzug", "c": ""} {
		if got := words.Nearest(word, names); got != want {
			t.Errorf("%q means %q, want %q", word, got, want)
		}
	}
	if got := words.DidYouMean("wrokers", "--", []string{"workers", "runs"}); got != ": did you mean --workers?" {
		t.Error(got)
	}
}

// TestSelection: a test that runs alone runs the subtests that the given pattern selects.
func TestSelection(t *testing.T) {
	for pattern, want := range map[string]string{
		"":                        "^TestA$",
		"TestA":                   "^TestA$",
		"TestA/x/y":               "^TestA$/x/y",
		"^Test/^x$|TestB/z":       "^TestA$/^x$",
		"TestB|A/x|Test/(y|z/a)/": "^TestA$/x|^TestA$/(y|z/a)/",
		`[/|]|T\|/x|A/[/]`:        "^TestA$/[/]",
		"TestB/x":                 "^TestA$",
		"(/x":                     "^TestA$",
	} {
		if got := words.Selection("TestA", pattern); got != want {
			t.Errorf("%s: %s, want %s", pattern, got, want)
		}
	}
	if got := words.Selection("TestA/x", "TestA/x/y"); got != "^TestA$/^x$" {
		t.Error(got)
	}
}
