package house

import (
	"fmt"
	"go/ast"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// order lists which packages of the module may import which. It is policy: do not
// change it to make a build pass, discuss it first.
//
// a, b < c, d means that c and d may each import a and b, and so may all packages
// that may import c or d. A star stands for the name of any one folder. ALL
// stands for every package outside cmd. Tests may import any package of the
// module.
const order = `
	# How it runs. The leaves import nothing of ours.
	pulse/hash < pulse/choice, pulse/value
	pulse/choice, pulse/internal/*, pulse/stack, pulse/trace, pulse/value < pulse
	pulse < pulse/strategy
	pulse < pulse/adapt/machine < pulse/adapt/etcdraft
	pulse < pulse/adapt/*, pulse/goroutine
	pulse < pulse/legal < fuzz/finding

	# What we remember, and how we reduce. No actors: shrink knows cases and traces.
	pulse/choice < corpus
	corpus, pulse/trace < shrink

	# What must hold. State machines are judged by linear when clients run at once.
	pulse < props < props/linear < props/machine

	# How we search. What stands below fuzz knows no testing.
	corpus, pulse/stack, pulse/trace, fuzz/internal/words < fuzz/internal/record
	corpus, pulse/strategy < fuzz/explore < pulse/adapt/adapttest
	props, shrink, fuzz/explore, fuzz/internal/record < fuzz/finding
	pulse, fuzz/internal/words < fuzz/internal/coverage < fuzz/internal/guide
	fuzz/internal/words, pulse/stack < fuzz/internal/flight
	fuzz/internal/garbage < fuzz/internal/worker
	corpus, fuzz/internal/coverage < fuzz/internal/distill
	fuzz/finding, fuzz/internal/guide, fuzz/internal/flight, fuzz/internal/distill < fuzz/search < fuzz/internal/session < fuzz/internal/worker < fuzz/internal/binary < fuzz/internal/campaign < fuzz/internal/report < fuzz
	fuzz/internal/campaign < fuzz/internal/campaign/report
	fuzz/internal/campaign < fuzz/internal/desk
	props, corpus, pulse/strategy < fuzz/internal/native < fuzz/internal/session
	pulse/strategy, fuzz/internal/words < fuzz/internal/env < fuzz/internal/campaign

	# What only tests use.
	corpus/golden

	# Example programs, and the measurements made with them.
	pulse, props < fuzz/subjects/* < fuzz/subjects
	fuzz, fuzz/subjects < fuzz/internal/bench

	# Tests that know nothing of jostle. The overlay only writes files.
	pulse/goroutine < fuzz < fuzz/existing
	fuzz/existing, pulse/goroutine/overlay < fuzz/tool

	# How it is driven. The command reaches all of this by one door.
	fuzz/internal/bench, fuzz/internal/campaign/report, fuzz/internal/desk < fuzz/internal/* < fuzz/tool < cmd/jostle
	cmd/jostle/internal/house
`

// outside lists the modules that a package may import in addition to the standard
// library. Users of our packages build them too, so the lists are short; a package
// without a row may import none.
var outside = map[string][]string{
	"props":                  {"pgregory.net/rapid", "github.com/leanovate/gopter", "golang.org/x/exp/rand"},
	"props/linear":           {"github.com/anishathalye/porcupine"},
	"props/machine":          {"pgregory.net/rapid"}, // rapid generates the arguments of commands
	"fuzz/subjects/*":        {"pgregory.net/rapid"},
	"fuzz":                   {"golang.org/x/exp/rand"},
	"fuzz/internal/guide":    {"golang.org/x/exp/rand"},
	"fuzz/internal/campaign": {"golang.org/x/exp/rand"},
	"cmd/jostle":             {"github.com/modelcontextprotocol/go-sdk", "github.com/spf13/cobra", "golang.org/x/term"}, // a nested module
	// Adapters are nested modules with a go.mod each. A type of proto.actor's registry uses concurrent-map.
	"pulse/adapt/*": {"github.com/asynkron/protoactor-go", "github.com/orcaman/concurrent-map", "go.etcd.io/raft"},
	// raft writes messages of protobuf into its log.
	"pulse/adapt/etcdraft": {"go.etcd.io/raft", "google.golang.org/protobuf"}, // another
}

// outsideTests lists the modules that any test may import in addition to those of its
// package.
var outsideTests = []string{
	"go.uber.org/goleak",
	"github.com/google/go-cmp",
	"github.com/rogpeppe/go-internal",
	"github.com/creack/pty",
	"github.com/stretchr/testify", // for a test that testify accepts a props.T
	"gopkg.in/yaml.v3",            // reads the workflows that the command writes
	"pgregory.net/rapid",
}

// A policy says which packages may import which. It is parsed from a text such as order.
type policy struct {
	below map[string]map[string]bool // for each name, all that it may import
}

// parsePolicy parses a text such as order and makes the policy transitive (see close).
func parsePolicy(text string) (policy, error) {
	p := policy{below: map[string]map[string]bool{}}
	for line := range strings.Lines(text) {
		line, _, _ = strings.Cut(line, "#")
		if strings.TrimSpace(line) == "" {
			continue
		}
		var left []string
		for layer := range strings.SplitSeq(line, "<") {
			right := strings.Split(layer, ",")
			for i, name := range right {
				right[i] = strings.TrimSpace(name)
				if right[i] == "" {
					return p, fmt.Errorf("a name is missing in %q", line)
				}
				p.add(right[i], left)
			}
			left = right
		}
	}
	p.expandAll()
	p.close()
	for _, name := range slices.Sorted(maps.Keys(p.below)) {
		if p.below[name][name] {
			return p, fmt.Errorf("%s comes before itself", name)
		}
	}
	return p, nil
}

// add notes that name may import each of left.
func (p policy) add(name string, left []string) {
	if p.below[name] == nil {
		p.below[name] = map[string]bool{}
	}
	for _, l := range left {
		p.below[name][l] = true
	}
}

// expandAll replaces ALL by the packages outside cmd.
func (p policy) expandAll() {
	if _, used := p.below["ALL"]; !used {
		return
	}
	delete(p.below, "ALL")
	var all []string
	for name := range p.below {
		if !strings.HasPrefix(name, "cmd/") {
			all = append(all, name)
		}
	}
	for name, below := range p.below {
		if below["ALL"] {
			delete(below, "ALL")
			p.add(name, all)
		}
	}
}

// close makes the policy transitive: if a may import b, and b may import c, then a may
// import c.
func (p policy) close() {
	for changed := true; changed; {
		changed = false
		for name, below := range p.below {
			for b := range maps.Clone(below) {
				for c := range p.below[b] {
					changed = changed || !below[c]
					p.below[name][c] = true
				}
			}
		}
	}
}

// name returns the name by which the policy knows a package.
func (p policy) name(pkg string) (string, bool) {
	if _, ok := p.below[pkg]; ok {
		return pkg, true
	}
	for _, name := range slices.Sorted(maps.Keys(p.below)) {
		if ok, _ := path.Match(name, pkg); ok {
			return name, true
		}
	}
	return "", false
}

// An edge is one import.
type edge struct {
	from  string // a package of the module, by its path from the root
	to    string // an import path
	where string
	test  bool // from a test file
}

// imports returns the packages of the module, and every import in them.
func (t *tree) imports() (packages []string, edges []edge) {
	t.sources(func(f *folder, s *source) {
		if !slices.Contains(packages, f.path) {
			packages = append(packages, f.path)
		}
		for _, spec := range s.syntax.Imports {
			to, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				panic(err) // unreachable: the parser accepted it
			}
			edges = append(edges, edge{f.path, to, t.at(ast.Node(spec)), s.isTest()})
		}
	})
	return packages, edges
}

// checkImports finds packages that the policy does not name, and imports that it
// does not allow. A policy has no cycles, so imports that obey it have none.
func checkImports(p policy, packages []string, edges []edge) []finding {
	var found []finding
	for _, pkg := range packages {
		if _, ok := p.name(pkg); !ok {
			found = append(found, finding{pkg, "the import rules do not have this package",
				"add it to `order` in imports_test.go, or move its files to a package there"})
		}
	}
	for _, e := range edges {
		if fix := p.objection(e); fix != "" {
			found = append(found, finding{e.where, fmt.Sprintf("%s must not import %s", e.from, e.to), fix})
		}
	}
	return found
}

// objection returns what to do about an import, or "" if it is allowed.
func (p policy) objection(e edge) string {
	from, known := p.name(e.from)
	to, ours := strings.CutPrefix(e.to, modulePath+"/")
	switch {
	case !known, isStandard(e.to), ours && e.test:
		return ""
	case ours:
		if name, ok := p.name(to); !ok || !p.below[from][name] {
			return "see `order` in imports_test.go: move the code that needs it to a package further right"
		}
		return ""
	case within(e.to, outside[from]), e.test && within(e.to, outsideTests):
		return ""
	case e.test:
		return "use the standard library, or a module of `outsideTests` in imports_test.go"
	}
	return "use the standard library: what our packages import, all their users download (`outside` in imports_test.go)"
}

// isStandard reports whether an import path is of the standard library: it then has
// no dot in its first element.
func isStandard(p string) bool {
	first, _, _ := strings.Cut(p, "/")
	return !strings.Contains(first, ".")
}

// within reports whether an import path is of one of the modules.
func within(p string, modules []string) bool {
	return slices.ContainsFunc(modules, func(m string) bool {
		return p == m || strings.HasPrefix(p, m+"/")
	})
}

func TestImports(t *testing.T) {
	p, err := parsePolicy(order)
	if err != nil {
		t.Fatal(err)
	}
	for name := range outside {
		if p.below[name] == nil {
			t.Errorf("`outside` has a row for %s, which `order` does not name", name)
		}
	}
	packages, edges := loadModule(t).imports()
	if len(packages) == 0 || len(edges) == 0 {
		t.Fatalf("found %d packages and %d imports: the walk is broken", len(packages), len(edges))
	}
	report(t, checkImports(p, packages, edges))
}

// TestImportsCanary feeds the checker a module with one fault of each sort, and
// next to each the same import where it is allowed.
func TestImportsCanary(t *testing.T) {
	p, err := parsePolicy("leaf, lone < mid < high\n high < high/*\n ALL < cmd/tool")
	if err != nil {
		t.Fatal(err)
	}
	our := func(pkg string) string { return strconv.Quote(modulePath + "/" + pkg) }
	packages, edges := mustLoad(t, fstest.MapFS{
		"leaf/a.go":        file("package leaf", `import "fmt"`, "import "+our("mid"), "import "+our("lone")),
		"lone/a.go":        file("package lone", `import "go.uber.org/goleak"`, `import "pgregory.net/rapid/x"`),
		"lone/a_test.go":   file("package lone_test", `import "go.uber.org/goleak"`, `import "example.com/x"`, "import "+our("high")),
		"mid/a.go":         file("package mid", "import "+our("leaf"), "import "+our("high/x")),
		"high/a.go":        file("package high", "import "+our("leaf"), "import "+our("stray")),
		"high/x/a.go":      file("package x", "import "+our("high"), "import "+our("high/y")),
		"high/y/a.go":      file("package y", "import "+our("leaf")),
		"cmd/tool/a.go":    file("package main", "import "+our("leaf"), "import "+our("high/x")),
		"stray/a.go":       file("package stray", "import "+our("leaf")),
		"high/x/deep/a.go": file("package deep"),
	}).imports()
	caught(t, checkImports(p, packages, edges),
		"high/x/deep", "stray", // the policy does not name these packages
		"high/a.go:3",                // imports stray
		"high/x/a.go:3",              // imports a package that the same star stands for
		"leaf/a.go:3", "leaf/a.go:4", // imports mid, on its right, and lone, next to it
		"lone/a.go:2", "lone/a.go:3", // imports modules that are not in its list
		"lone/a_test.go:3", // a test imports a module that is in no list
		"mid/a.go:3",       // imports high/x, on its right
	)
}

// TestPolicyCanary checks that parsePolicy refuses texts with cycles or missing names.
func TestPolicyCanary(t *testing.T) {
	for _, text := range []string{"a < b < a", "a < b\n b < c\n c < a", "a < a", "a < , b", "a <"} {
		if _, err := parsePolicy(text); err == nil {
			t.Errorf("parsePolicy(%q) found nothing wrong", text)
		}
	}
}

// file makes a file of a planted tree from its lines.
func file(lines ...string) *fstest.MapFile {
	return &fstest.MapFile{Data: []byte(strings.Join(lines, "\n") + "\n")}
}
