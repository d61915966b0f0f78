package binary

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestScan: exactly the tests that call a verb are found.
func TestScan(t *testing.T) {
	const imports = "import \"testing\"\nimport \"example.com/fuzz\"\n"
	for _, c := range []struct{ name, code, more, want string }{
		{"calls", imports + "func TestA(t *testing.T) { fuzz.Check(t, p) }\nfunc FuzzB(f *testing.F) { fuzz.Target(f, p) }\nfunc TestC(t *testing.T) { t.Fatal() }", "", "FuzzB TestA"},
		{"config", imports + "func TestA(t *testing.T) { fuzz.Config{}.Explore(t, p) }\nfunc TestB(t *testing.T) { c.Check(t, p) }\nvar c fuzz.Config", "", "TestA TestB"},
		{"other verbs", imports + "func TestA(t *testing.T) { fuzz.MustFind(t, p) }", "", ""},
		{"helpers", imports + "func TestA(t *testing.T) { one(t) }\nfunc one(t *testing.T) { two(t) }", imports + "func two(t *testing.T) { one(t); fuzz.Check(t, p) }", "TestA"},
		{"subtests", imports + "func TestA(t *testing.T) { t.Run(`x`, func(t *testing.T) { t.Run(`y`, check) }) }\nfunc check(t *testing.T) { fuzz.Check(t, p) }", "", "TestA"},
		{"methods", imports + "type suite struct{}\nfunc (s *suite) check(t *testing.T) { fuzz.Check(t, p) }\nfunc TestA(t *testing.T) { run(t, new(suite)) }\nfunc TestB(t *testing.T) {}", "", "TestA"},
		{"values", imports + "var table = []func(*testing.T){check}\nfunc check(t *testing.T) { fuzz.Check(t, p) }\nfunc TestA(t *testing.T) { table[0](t) }", "", "TestA"},
		{"renamed", "import \"testing\"\nimport f \"example.com/fuzz\"\nfunc TestA(t *testing.T) { f.Check(t, p) }", "", "TestA"},
		{"dotted", "import \"testing\"\nimport . \"example.com/fuzz\"\nfunc TestA(t *testing.T) { Check(t, p) }", "", "TestA"},
		{"generic", imports + "type s[T any] struct{}\nfunc (*s[T]) check(t *testing.T) { fuzz.Check(t, p) }\nfunc TestA(t *testing.T) { (&s[int]{}).check(t) }", "", "TestA"},
		{"other packages", "import \"testing\"\nimport \"example.com/other/fuzz\"\nfunc TestA(t *testing.T) { fuzz.Check(t, p) }", "", ""},
		{"no import", "import \"testing\"\nfunc TestA(t *testing.T) { x.Check(t) }", imports + "func TestB(t *testing.T) {}", ""},
		{"main and benchmarks", imports + "func TestMain(m *testing.M) { fuzz.Check(nil, p) }\nfunc BenchmarkA(b *testing.B) { fuzz.Explore(b, p) }", "", ""},
		{"circles", imports + "func TestA(t *testing.T) { a(t) }\nfunc a(t *testing.T) { b(t) }\nfunc b(t *testing.T) { a(t) }", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			p := &listed{ImportPath: "p", Dir: dir, TestGoFiles: []string{"a_test.go", "b_test.go"}}
			for i, code := range []string{c.code, c.more} {
				if err := os.WriteFile(filepath.Join(dir, p.TestGoFiles[i]), []byte("package p\n"+code+"\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			got, err := testsIn(p, "example.com/fuzz", false)
			slices.Sort(got)
			if err != nil || strings.Join(got, " ") != c.want {
				t.Errorf("found %v, %v, want %s", got, err, c.want)
			}
			others, err := testsIn(p, "example.com/fuzz", true)
			all := len(regexp.MustCompile(`func (Test|Fuzz)[^M]`).FindAllString(c.code+c.more, -1))
			if fuzzes := strings.Count(c.code+c.more, "func Fuzz"); err != nil || len(got)+len(others) > all || len(got)+len(others) < all-fuzzes {
				t.Errorf("the other tests are %v, of %d", others, all)
			}
		})
	}
}

func TestOneLine(t *testing.T) {
	got := oneLine("# example.com/p\n\na.go:1: one\n  a.go:2: two\na.go:3: three\na.go:4: four\na.go:5: five\n")
	if want := "a.go:1: one; a.go:2: two; a.go:3: three; and 2 lines more"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
