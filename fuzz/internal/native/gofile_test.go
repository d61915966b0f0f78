package native

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/props"
)

// odd has bytes that a Go string literal must escape, and others that look special.
var odd = []byte("\x00\xff\"`\\\n\r'é\u2028 \x80[]byte(\"")

func TestGoText(t *testing.T) {
	if got := string(goText([]byte("a\x00\""))); got != "go test fuzz v1\n[]byte(\"a\\x00\\\"\")\n" {
		t.Errorf("%q", got)
	}
	for _, data := range [][]byte{nil, odd, bytes.Repeat([]byte{0}, 1000)} {
		text := goText(data)
		for _, form := range [][]byte{text, bytes.ReplaceAll(text, []byte("\n"), []byte("\r\n")), bytes.TrimSpace(text)} {
			if got, err := fromGoText("a", form); err != nil || !bytes.Equal(got, data) {
				t.Errorf("%q is read as %q, %v", form, got, err)
			}
		}
	}
	if got, err := fromGoText("a", []byte("go test fuzz v1\n\n[]byte( `raw` )\n\n")); string(got) != "raw" || err != nil {
		t.Errorf("written by hand: %q, %v", got, err)
	}
}

func TestGoTextErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                              `1: "", expected "go test fuzz v1"`,
		"go test fuzz v2\n[]byte(\"\")":                 `1: "go test fuzz v2", expected "go test fuzz v1"`,
		"go test fuzz v1":                               `1: no value, expected []byte("…")`,
		"go test fuzz v1\n\n":                           `3: no value, expected []byte("…")`,
		"go test fuzz v1\n\nint(5)\n":                   `3: "int(5)", expected []byte("…")`,
		"go test fuzz v1\nstring(\"a\")":                `2: "string(\"a\")", expected []byte("…")`,
		"go test fuzz v1\n[]byte(\"a\"":                 `2: "[]byte(\"a\"", expected []byte("…")`,
		"go test fuzz v1\n[]byte(\"a)":                  `2: "[]byte(\"a)", expected []byte("…")`,
		"go test fuzz v1\n[]byte('a')":                  `2: "[]byte('a')", expected []byte("…")`,
		"go test fuzz v1\n[]byte(\"a\"+\"\")":           `2: "[]byte(\"a\"+\"\")", expected []byte("…")`,
		"go test fuzz v1\n[]byte(\"a\")\n[]byte(\"b\")": `3: a second value, expected one`,
		"<<<<<<< HEAD\ngo test fuzz v1\n":               `1: "<<<<<<< HEAD", expected "go test fuzz v1"`,
		"jostle case 4\n":                               `1: "jostle case 4", expected "go test fuzz v1"`,
	} {
		want = "dir/a:" + want + ": inputs must have one []byte"
		if data, err := fromGoText("dir/a", []byte(text)); err == nil || err.Error() != want || data != nil {
			t.Errorf("%q: %q and\n%v, expected\n%s", text, data, err, want)
		}
	}
}

// FuzzGoText checks that reading, writing and reading again gives the same bytes.
func FuzzGoText(f *testing.F) {
	f.Add([]byte("go test fuzz v1\n[]byte(\"a\\x00\")\n"))
	f.Add(odd)
	f.Fuzz(func(t *testing.T, text []byte) {
		data, err := fromGoText("a", text)
		if err != nil {
			data = text
		}
		if again, err := fromGoText("a", goText(data)); err != nil || !bytes.Equal(again, data) {
			t.Fatalf("%q is written as %q, and read as %q, %v", data, goText(data), again, err)
		}
	})
}

// FuzzGoReads is a fuzz target that fails for exactly the bytes in JOSTLE_GO_READS, which the parent process sets.
func FuzzGoReads(f *testing.F) {
	want, err := strconv.Unquote(os.Getenv("JOSTLE_GO_READS"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if err == nil && string(data) == want {
			t.Error("read")
		}
	})
}

// TestGoReadsExports checks that go test runs an exported input, under its name.
func TestGoReadsExports(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	folder := filepath.Join(dir, "testdata", "fuzz", "FuzzGoReads")
	path, err := Export(folder, odd)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe, "-test.run", "^FuzzGoReads$/^"+filepath.Base(path)+"$")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "JOSTLE_GO_READS="+strconv.Quote(string(odd)))
	if out, err := cmd.CombinedOutput(); err == nil || !strings.Contains(string(out), "--- FAIL: FuzzGoReads/"+filepath.Base(path)) {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestImport(t *testing.T) {
	if inputs, problems := Import(filepath.Join(t.TempDir(), "none")); inputs != nil || problems != nil {
		t.Errorf("a folder that is not there: %v, %v", inputs, problems)
	}
	dir := t.TempDir()
	want := []GoInput{{Data: nil}, {Data: odd}, {Data: []byte("a")}}
	for i := range want {
		for range 2 { // the second time the file exists already
			path, err := Export(dir, want[i].Data)
			if err != nil {
				t.Fatal(err)
			}
			want[i].Path = path
		}
	}
	slices.SortFunc(want, func(a, b GoInput) int { return strings.Compare(a.Path, b.Path) })
	got, problems := Import(dir)
	if !slices.EqualFunc(got, want, func(a, b GoInput) bool { return a.Path == b.Path && bytes.Equal(a.Data, b.Data) }) || problems != nil {
		t.Errorf("read %q, %v, expected %q", got, problems, want)
	}
	if err := os.WriteFile(want[0].Path, []byte("cut o"), 0o666); err != nil { // a file that an engine was writing when it was killed
		t.Fatal(err)
	}
	os.Mkdir(filepath.Join(dir, "folder"), 0o777)
	os.WriteFile(filepath.Join(dir, "large"), nil, 0o666)
	os.Truncate(filepath.Join(dir, "large"), 100<<20)
	os.WriteFile(filepath.Join(dir, ".hidden"), nil, 0o666)
	got, problems = Import(dir)
	if len(got) != 2 || len(problems) != 3 || !strings.HasPrefix(problems[0].Error(), want[0].Path+":1: ") ||
		!strings.Contains(problems[1].Error(), "folder is not a file") || !strings.HasSuffix(problems[2].Error(), "large:1: the file has 100 MB, expected at most 64") {
		t.Errorf("read %q, problems %v", got, problems)
	}
	if path, err := Export(dir, want[0].Data); err != nil || path != want[0].Path {
		t.Errorf("over what was cut off: %s, %v", path, err)
	}
	if _, err := Export(want[0].Path, odd); err == nil {
		t.Error("a file is taken for a folder")
	}
	if _, problems := Import(want[0].Path); len(problems) != 1 {
		t.Errorf("a file in place of a folder: %v", problems)
	}
}

// A case exported to Go's engine and imported again fails alike, except for three
// programs. Their first failing runs have more draws than a draft has room for, or timers
// that fired while all messages were held back.
func TestCasesThroughGoFiles(t *testing.T) {
	var found int
	var lost []string
	for _, s := range subjects.Easy() {
		r := props.NewRunner(s.Name, s.Property(false))
		h := &Harness{Runner: r, Blind: true}
		var f *finding.Finding
		for n := uint64(0); f == nil && n < 5000; n++ {
			if res := h.Run(RandomBytes(n)); res.Failure != nil {
				f = finding.From(finding.Origin{Property: s.Name, Seed: h.Seed()}, &res)
			}
		}
		if f == nil {
			r.Close()
			continue
		}
		found++
		dir := t.TempDir()
		data := h.BytesOf(&f.Case)
		if _, err := Export(dir, data); err != nil {
			t.Fatal(err)
		}
		inputs, problems := Import(dir)
		if len(inputs) != 1 || problems != nil {
			t.Fatalf("%s: %d inputs, %v", s.Name, len(inputs), problems)
		}
		res := h.Run(inputs[0].Data)
		if res.Failure == nil || !res.Failure.Matches(f.Case.Signature) {
			lost = append(lost, s.Name)
		}
		r.Close()
	}
	if found < 15 || !slices.Equal(lost, []string{"procreg", "procreg-forgets", "paxos-quorum"}) {
		t.Errorf("of %d programs these do not come back: %q", found, lost)
	}
}
