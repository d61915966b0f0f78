package house

import (
	"fmt"
	"go/ast"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/jostle-go/jostle/corpus/golden"
)

// planting matches the names of tests that plant faults.
var planting = regexp.MustCompile(`^Test\w*(Canary|Planted|Mistakes|FaultsOf|AreCaught|Wrong(Adapters|Relations)|Blind)`)

// countsName is the golden file in which a package says how soon its tests see each fault.
const countsName = "testdata/planted.golden"

// plantedFaults returns the register of planted faults: the tests that plant some, by
// package, with the first sentence of their comments. It reports tests without a comment.
func plantedFaults(t *tree) (register string, found []finding) {
	var lines []string
	t.sources(func(f *folder, s *source) {
		for _, d := range s.syntax.Decls {
			test, ok := d.(*ast.FuncDecl)
			if !ok || !s.isTest() || test.Recv != nil || !planting.MatchString(test.Name.Name) {
				continue
			}
			what := firstSentence(test.Doc.Text())
			if what == "" {
				found = append(found, finding{t.at(test), test.Name.Name + " plants faults and does not say which", "add a comment that says what is broken"})
			}
			lines = append(lines, fmt.Sprintf("%s %s: %s\n", f.path, test.Name.Name, strings.TrimLeft(strings.TrimPrefix(what, test.Name.Name), ": ")))
		}
	})
	slices.Sort(lines)
	return strings.Join(lines, ""), found
}

// firstSentence returns the first sentence of a comment, in one line.
func firstSentence(text string) string {
	sentence, _, more := strings.Cut(strings.Join(strings.Fields(text), " "), ". ")
	if more {
		sentence += "."
	}
	return sentence
}

// TestRegisterOfFaults holds the register of all planted faults in testdata/planted.txt. It logs
// the register with the counts of each package: how soon its test sees each fault.
func TestRegisterOfFaults(t *testing.T) {
	tr := loadModule(t)
	register, found := plantedFaults(tr)
	report(t, found)
	golden.File(t, "testdata/planted.txt", register)
	var table strings.Builder
	for _, f := range tr.folders {
		if counts := tr.samples[path.Join(f.path, countsName)]; counts != "" {
			fmt.Fprintf(&table, "\n%s\n%s", f.path, counts)
		}
	}
	t.Logf("%s%s", register, table.String())
}

// TestRegisterIsComplete plants a test whose comment does not say what it plants.
func TestRegisterIsComplete(t *testing.T) {
	register, found := plantedFaults(mustLoad(t, fstest.MapFS{
		"a/a_test.go": file("package a", "// TestACanary: nothing is seen. It has", "// more.", "func TestACanary() {}", "func TestBCanary() {}", "func TestC() {}"),
		"a/a.go":      file("package a", "func TestPlantedFaults() {}"),
	}))
	caught(t, found, "a/a_test.go:5")
	if want := "a TestACanary: nothing is seen.\na TestBCanary: \n"; register != want {
		t.Errorf("the register is %q, want %q", register, want)
	}
}
