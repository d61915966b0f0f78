// Package overlay writes the files by which go build makes a program whose
// goroutines jostle can schedule. They replace files of the standard library
// for one build. Nothing in GOROOT is changed.
package overlay

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

//go:embed std
var std embed.FS

// supported are the Go versions whose standard library the edits fit.
var supported = []string{"1.26", "1.27"}

// An edit replaces a text in a file of the standard library.
type edit struct {
	file string // below GOROOT/src; in edits.txt also a pattern, such as "syscall/zsyscall_linux_*.go"
	only string // the Go version whose file is edited, such as "1.26", or "" for all
	why  string
	old  string
	each int // if not 0, old is a regular expression that must match this many times
	new  string
}

// Options are the arguments of Write.
type Options struct {
	Goroot string // the folder of the Go installation, as in GOROOT
	// Jostle is the folder of jostle's sources. They become a part of the standard
	// library, so that package testing can use them.
	Jostle string
	Own    string // the JSON file of another overlay, whose replacements are included, or ""
	Dir    string // the folder to which Write writes the files
}

// Write writes the files of an overlay, and returns the name of the JSON file for go
// build -overlay. The name depends on the contents, so builds are cached.
func Write(o Options) (string, error) {
	version, err := versionOf(o.Goroot)
	if err != nil {
		return "", err
	}
	files, err := generate(o.Goroot, version)
	if err != nil {
		return "", err
	}
	if err := library(o.Jostle, files); err != nil {
		return "", err
	}
	own, err := readOwn(o.Own)
	if err != nil {
		return "", err
	}
	return save(&o, files, own)
}

// Flags returns the flags of go build for an overlay with this name. Outside of the standard
// library, the compiler must not replace calls of functions of sync/atomic by instructions,
// because no other goroutine could run before them.
//
// The flags name each folder of the standard library. The pattern std would be shorter, but with
// Go 1.27 go test does not apply it to packages that only tests import.
func Flags(name, goroot string) ([]string, error) {
	flags := []string{"-overlay=" + name, "-gcflags=all=-d=ssa/intrinsics/off", keep(ours), keep("vendor/golang.org")}
	list, err := os.ReadDir(filepath.Join(goroot, "src"))
	for _, entry := range list {
		if entry.IsDir() {
			flags = append(flags, keep(entry.Name()))
		}
	}
	return flags, err
}

// keep returns the flag by which packages of a folder keep the usual flags of the compiler.
func keep(folder string) string { return "-gcflags=" + folder + "/...=" }

// readOwn returns the replacements of the user's overlay.
func readOwn(name string) (map[string]string, error) {
	if name == "" {
		return nil, nil
	}
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var own struct{ Replace map[string]string }
	if err := json.Unmarshal(text, &own); err != nil {
		return nil, fmt.Errorf("%s is no overlay: %w", name, err)
	}
	return own.Replace, nil
}

// versionOf returns the Go version of goroot, such as "1.26", and an error if it is not supported.
func versionOf(goroot string) (string, error) {
	text, err := os.ReadFile(filepath.Join(goroot, "VERSION"))
	if err != nil {
		return "", fmt.Errorf("cannot read the Go version of %s: %w", goroot, err)
	}
	line, _, _ := strings.Cut(string(text), "\n")
	if found := release.FindStringSubmatch(line); found != nil && slices.Contains(supported, found[1]) {
		return found[1], nil
	}
	return "", fmt.Errorf("this Go version is not supported: %s is %s; supported are Go %s", goroot, line, strings.Join(supported, " and "))
}

var release = regexp.MustCompile(`^go(1\.\d+)`)

// generate returns the contents of all changed and added files, by their names
// below GOROOT/src.
func generate(goroot, version string) (map[string][]byte, error) {
	list, err := edits(goroot, version)
	if err != nil {
		return nil, err
	}
	files := map[string][]byte{}
	for _, e := range list {
		if files[e.file] == nil {
			source, err := os.ReadFile(filepath.Join(goroot, "src", e.file))
			if err != nil {
				return nil, err
			}
			files[e.file] = source
		}
		changed, err := e.apply(string(files[e.file]))
		if err != nil {
			return nil, fmt.Errorf("%s cannot be changed: %w. Was this Go installation patched?", filepath.Join(goroot, "src", e.file), err)
		}
		files[e.file] = []byte(changed)
	}
	return files, addTo(goroot, files)
}

// edits returns the edits for a Go version. An edit of a pattern becomes one for each file of goroot that matches.
func edits(goroot, version string) ([]edit, error) {
	text, err := std.ReadFile("std/edits.txt")
	if err != nil {
		return nil, err
	}
	all, err := parse(string(text))
	if err != nil {
		return nil, err
	}
	var list []edit
	for _, e := range all {
		if e.only != "" && e.only != version {
			continue
		}
		names, err := fs.Glob(os.DirFS(filepath.Join(goroot, "src")), e.file)
		if err != nil || len(names) == 0 { // then the pattern is the name of a file that cannot be read
			names = []string{e.file}
		}
		for _, name := range names {
			e.file = name
			list = append(list, e)
		}
	}
	return list, nil
}

// addTo adds files to the standard library that GOROOT does not have.
func addTo(goroot string, files map[string][]byte) error {
	for name, from := range map[string]string{
		"runtime/jostle.go":                   "control.go.txt",
		"runtime/jostle_network.go":           "network.go.txt",
		"internal/poll/jostle.go":             "poll.go.txt",
		"net/jostle.go":                       "net.go.txt",
		"net/http/jostle.go":                  "http.go.txt",
		"net/http/httptest/jostle.go":         "httptest.go.txt",
		"crypto/internal/sysrand/jostle.go":   "sysrand.go.txt",
		"os/jostle.go":                        "os.go.txt",
		"context/jostle.go":                   "context.go.txt",
		"sync/jostle.go":                      "sync.go.txt",
		"sync/atomic/jostle.go":               "atomic.go.txt",
		"internal/jostle/atomic/funcs.go":     "plain.go.txt",
		ownFlags + "/flag.go":                 "flag.go.txt",
		"os/signal/jostle.go":                 "signal.go.txt",
		"syscall/jostle.go":                   "syscall.go.txt",
		"testing/jostle.go":                   "testing.go.txt",
		ours + "/fuzz/existing/hook.go":       "existing.go.txt",
		ours + "/pulse/internal/self/self.go": "self.go.txt",
	} {
		text, err := std.ReadFile("std/" + from)
		if err != nil {
			return err
		}
		files[name] = text
	}
	plain, err := os.ReadFile(filepath.Join(goroot, "src/sync/atomic/type.go"))
	files["internal/jostle/atomic/type.go"] = plain
	return err
}

const module = "github.com/jostle-go/jostle"

// ours is the folder of jostle's packages below GOROOT/src. Package testing cannot
// import packages of a module, so these become packages of the standard library,
// with other paths.
const ours = "jostle"

// ownFlags is the package that takes the place of package flag in jostle's packages.
const ownFlags = "internal/jostle/flag"

// pathOf returns the path that a package has in the standard library.
func pathOf(p string) string {
	if p == "flag" {
		return ownFlags
	}
	if rest, ok := strings.CutPrefix(p, module+"/"); ok {
		return ours + "/" + rest
	}
	return ours + "/" + p
}

// moved returns the source of a package of jostle with the new paths of the packages
// that it imports.
func moved(name string, source []byte, others map[string]bool) ([]byte, error) {
	if !strings.HasSuffix(name, ".go") {
		return source, nil
	}
	files := token.NewFileSet()
	tree, err := parser.ParseFile(files, name, source, parser.ImportsOnly)
	if err != nil {
		return nil, err
	}
	var out []byte
	last := 0
	for _, spec := range tree.Imports {
		imported, err := strconv.Unquote(spec.Path.Value)
		if err != nil || !others[imported] {
			continue
		}
		from, to := files.Position(spec.Path.Pos()).Offset, files.Position(spec.Path.End()).Offset
		out = append(append(out, source[last:from]...), strconv.Quote(pathOf(imported))...)
		last = to
	}
	return append(out, source[last:]...), nil
}

// library adds jostle's packages and the packages that they need.
func library(root string, files map[string][]byte) error {
	run := exec.Command("go", "list", "-deps", "-json=ImportPath,Dir,Standard,GoFiles,SFiles", module+"/fuzz/existing")
	run.Dir = root
	run.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off")
	out, err := run.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return fmt.Errorf("go list finds no sources of jostle in %s: %s", root, bytes.TrimSpace(exit.Stderr))
	} else if err != nil {
		return err
	}
	var list []listed
	others := map[string]bool{"flag": true}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p listed
		if err := d.Decode(&p); err != nil {
			return err
		}
		if !p.Standard {
			list = append(list, p)
			others[p.ImportPath] = true
		}
	}
	for _, p := range list {
		if len(p.SFiles) > 0 {
			continue // skip a package with assembly, because the assembler needs the package's folder, which does not exist (see addTo)
		}
		for _, name := range p.GoFiles {
			text, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err == nil {
				text, err = moved(name, text, others)
			}
			if err != nil {
				return err
			}
			files[pathOf(p.ImportPath)+"/"+name] = text
		}
	}
	return nil
}

// A listed package is one that go list has named.
type listed struct {
	ImportPath, Dir string
	Standard        bool
	GoFiles, SFiles []string
}

// apply returns the result of the edit on a source text.
func (e *edit) apply(source string) (string, error) {
	if e.each > 0 {
		pattern := regexp.MustCompile("(?m)" + e.old)
		if n := len(pattern.FindAllStringIndex(source, -1)); n != e.each {
			return "", fmt.Errorf("%q matches %d times, not %d times", e.old, n, e.each)
		}
		return pattern.ReplaceAllString(source, strings.ReplaceAll(e.new, "$0", "${0}")), nil
	}
	if n := strings.Count(source, e.old); n != 1 {
		return "", fmt.Errorf("the text %q occurs %d times, not once", first(e.old), n)
	}
	return strings.Replace(source, e.old, e.new, 1), nil
}

func first(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// parse reads edits. The form of the text is described at its beginning.
func parse(text string) ([]edit, error) {
	var list []edit
	for _, part := range strings.Split(text, "\n=== ")[1:] {
		head, rest, ok := strings.Cut(part, "\n--- ")
		file, why, ok2 := strings.Cut(head, "\nwhy: ")
		kind, rest, ok3 := strings.Cut(rest, "\n")
		old, changed, ok4 := strings.Cut(rest, "\n--- new\n")
		if !ok || !ok2 || !ok3 || !ok4 {
			return nil, fmt.Errorf("bad edit %q", first(part))
		}
		file, only, _ := strings.Cut(file, "\ngo: ")
		e := edit{file: file, only: only, why: why, old: old, new: strings.TrimRight(changed, "\n")}
		if n, isEach := strings.CutPrefix(kind, "each "); isEach {
			each, err := strconv.Atoi(n)
			if err != nil {
				return nil, err
			}
			e.each = each
		}
		list = append(list, e)
	}
	return list, nil
}

// save writes the files and the JSON file. It changes no file that is right already,
// because a build may be reading it.
func save(o *Options, files map[string][]byte, own map[string]string) (string, error) {
	text, err := json.Marshal(files)
	if err != nil {
		return "", err
	}
	folder := filepath.Join(o.Dir, fmt.Sprintf("%x", sha256.Sum256(text))[:16])
	replace := maps.Clone(own)
	if replace == nil {
		replace = map[string]string{}
	}
	for name, text := range files {
		of, to := filepath.Join(o.Goroot, "src", name), filepath.Join(folder, name)
		if replace[of] != "" {
			return "", fmt.Errorf("%s replaces %s, which jostle must replace too", o.Own, of)
		}
		replace[of] = to
		if err := write(to, text); err != nil {
			return "", err
		}
	}
	text, err = json.MarshalIndent(map[string]any{"Replace": replace}, "", "\t")
	if err != nil {
		return "", err
	}
	name := filepath.Join(folder, fmt.Sprintf("overlay-%.8x.json", sha256.Sum256(text)))
	return name, write(name, text)
}

// write writes a file atomically. It does nothing if the file already has this
// content.
func write(name string, text []byte) error {
	if old, err := os.ReadFile(name); err == nil && bytes.Equal(old, text) {
		return nil
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(name), ".new")
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err == nil {
		err = os.Rename(f.Name(), name)
	}
	if err != nil {
		os.Remove(f.Name())
	}
	return err
}
