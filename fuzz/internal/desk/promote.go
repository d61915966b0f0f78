package desk

import (
	"context"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"net/url"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"unicode"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
)

// promoted is a file with a test that replays one run. Its operands are the package, the imports, the end of
// the test's name, the ID of the run, the name of the property, the case, and the property as an expression.
const promoted = `package %s

import (
	"testing"

	%s
)

// TestRun%s replays the run %s of %s.
func TestRun%[3]s(t *testing.T) {
	c, err := corpus.Decode(%[4]q, []byte(%[6]s))
	if err != nil {
		t.Fatal(err)
	}
	r := props.NewRunner(%[5]q, %[7]s)
	defer r.Close()
	p := finding.Replay(r, &c)
	switch {
	case p.Result.Failure != nil:
		t.Error(p.Finding(r, finding.Origin{}, &c).Text(p.How))
	case !p.Exact && !p.Mended:
		t.Skip("the program has changed, and no longer makes this run: " + p.How)
	}
}
`

// Promote returns a file with a Go test that replays a run. The test has the run as text, so it needs no
// other file. It belongs to the package of the property's test.
func (d *Desk) Promote(ctx context.Context, id string) (source string, err error) {
	run, c, of, err := d.caseOf(ctx, id)
	if err != nil {
		return "", err
	}
	if of.Property.Name == of.Property.Test {
		return "", fmt.Errorf("the property of %s has no name by which a test could call it: declare it as a function func(*props.T)", of.Property.Test)
	}
	text, err := corpus.Encode(c)
	if err != nil {
		return "", err
	}
	quoted := "`" + string(text) + "`"
	if strings.ContainsAny(string(text), "`\r") {
		quoted = strconv.Quote(string(text))
	}
	in, property := inPackage(of.Property.Func)
	name, err := packageOf(of.Binary.Dir, in != of.Binary.Package)
	if err != nil {
		return "", err
	}
	imports, call := fmt.Sprintf("%q\n%q\n%q", reflect.TypeFor[corpus.Case]().PkgPath(), reflect.TypeFor[finding.Replayed]().PkgPath(), reflect.TypeFor[props.T]().PkgPath()), property
	if strings.TrimSuffix(in, "_test") != of.Binary.Package {
		imports, call = imports+fmt.Sprintf("\n\ntested %q", in), "tested."+property
	}
	out, err := format.Source(fmt.Appendf(nil, promoted, name, imports, strings.Map(letters, run.ID), run.ID, property, quoted, call))
	return string(out), err
}

// letters removes the characters that a Go identifier cannot have.
func letters(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}

// inPackage splits the name of a function, as the runtime gives it, into the path of its package and
// the name in it.
func inPackage(function string) (path, name string) {
	slash := strings.LastIndexByte(function, '/')
	last, name, _ := strings.Cut(function[slash+1:], ".")
	if plain, err := url.PathUnescape(last); err == nil {
		last = plain
	}
	return function[:slash+1] + last, name
}

// packageOf returns the name of the package in a folder, or of its external test package.
func packageOf(dir string, external bool) (name string, err error) {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go"))
	if len(files) == 0 {
		return "", fmt.Errorf("there are no tests in %s", dir)
	}
	f, err := parser.ParseFile(token.NewFileSet(), files[0], nil, parser.PackageClauseOnly)
	if err != nil {
		return "", err
	}
	if name = strings.TrimSuffix(f.Name.Name, "_test"); external {
		name += "_test"
	}
	return name, nil
}
