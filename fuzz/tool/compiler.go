package tool

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/pulse/goroutine/overlay"
)

// A compiler is a go command and the overlay with which it compiles tests that run under control.
type compiler struct {
	command string
	goroot  string
	env     []string // the environment variables that the command needs
	overlay string   // the file for -overlay
	flags   []string // the flags of go build
}

// notUnix are the systems whose part of the standard library the edits of the overlay do not fit.
var notUnix = []string{"js", "plan9", "wasip1", "windows"}

// newCompiler returns the compiler for the current folder. own is an overlay of the user's that is
// included, or "".
//
// An overlay may replace no files below the module cache, where the go command keeps the Go versions
// that it has downloaded. Such a version is used through a symbolic link.
func newCompiler(ctx context.Context, own string) (*compiler, error) {
	out, err := (&binary.Options{}).Go(ctx, "env", "GOOS", "GOROOT", "GOMODCACHE", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	settings := strings.Split(string(out), "\n")
	system, goroot, modules := settings[0], settings[1], settings[2]
	if own, err = withFlags(own, settings[3]); err != nil {
		return nil, err
	}
	if slices.Contains(notUnix, system) {
		return nil, fmt.Errorf("goroutines cannot be controlled on %s: the changes to the standard library are for Unix systems", system)
	}
	root, err := sources(ctx)
	if err != nil {
		return nil, err
	}
	dir := env.Cache(".")
	if dir == "" {
		dir = os.TempDir()
	}
	c := &compiler{command: "go", goroot: goroot}
	if below, err := filepath.Rel(modules, goroot); err == nil && filepath.IsLocal(below) {
		link := filepath.Join(dir, "go", filepath.Base(goroot))
		if err := linkTo(goroot, link); err != nil {
			return nil, err
		}
		c.command, c.goroot = filepath.Join(link, "bin", "go"), link
		c.env = []string{"GOROOT=" + link, "GOTOOLCHAIN=local", "PATH=" + filepath.Join(link, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")}
	}
	if c.overlay, err = overlay.Write(overlay.Options{Goroot: c.goroot, Jostle: root, Own: own, Dir: filepath.Join(dir, "overlay")}); err != nil {
		return nil, err
	}
	c.flags, err = overlay.Flags(c.overlay, c.goroot)
	return c, err
}

// withFlags returns the overlay of the user's, which may be in GOFLAGS too. The flag with jostle's overlay would
// replace the one in GOFLAGS.
func withFlags(own, goflags string) (string, error) {
	for _, flag := range strings.Fields(goflags) {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, `-'"`), "=")
		switch {
		case name != "overlay":
		case own != "":
			return "", errors.New("-overlay is given twice: GOFLAGS has it too")
		case strings.ContainsAny(flag, `'"`):
			return "", errors.New("-overlay is quoted in GOFLAGS: give it to jostle test")
		default:
			own = value
		}
	}
	return own, nil
}

// linkTo makes a symbolic link to a folder. It replaces another link.
func linkTo(folder, link string) error {
	if to, err := os.Readlink(link); err == nil && to == folder {
		return nil
	}
	fresh := fmt.Sprintf("%s.%d", link, os.Getpid())
	if err := errors.Join(os.MkdirAll(filepath.Dir(link), 0o777), os.Symlink(folder, fresh)); err != nil {
		return err
	}
	return os.Rename(fresh, link)
}

const libraryModule = "github.com/jostle-go/jostle"

// sources returns the folder with the sources of the library that this command was built
// with.
func sources(ctx context.Context) (string, error) {
	_, here, _, _ := runtime.Caller(0)
	if root := filepath.Dir(filepath.Dir(filepath.Dir(here))); isSources(root) {
		return root, nil
	}
	info, _ := debug.ReadBuildInfo()
	if info != nil {
		for _, m := range append(info.Deps, &info.Main) {
			if m.Path != libraryModule {
				continue
			}
			dir, err := (&binary.Options{}).Go(ctx, "list", "-m", "-f", "{{.Dir}}", m.Path+"@"+m.Version)
			if root := strings.TrimSpace(string(dir)); err == nil && isSources(root) {
				return root, nil
			}
		}
	}
	return "", errors.New("the sources of jostle are not on this machine: install it by go install, and keep the module cache")
}

func isSources(root string) bool {
	info, err := os.Stat(filepath.Join(root, "fuzz", "existing"))
	return err == nil && info.IsDir()
}
