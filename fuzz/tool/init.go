package tool

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/starter"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// newInit returns the command that writes a first property or CI workflows.
func newInit() *Command {
	var actor string
	var ci bool
	cmd := &Command{
		Use:   "init [package]",
		Short: "Write a first property, or CI workflows",
		Long: `Init writes a first property for an actor of a package, as a test in a new file. An actor is
a type with a method Receive as in package pulse, or a method Receive, Handle,
HandleMessage, OnMessage or Step that takes a message, optionally after a context.Context.
The property draws the messages that the method's code handles. If there is no actor, init
writes an example that runs.

With --ci it writes two GitHub workflows instead: ` + starter.Nightly + ` searches every
night and opens an issue for what it finds, and ` + starter.Change + ` reports what a pull
request adds to the coverage. Both mark the lines that fail, write a summary with a row for
each bug, and keep the report and the cases.

It overwrites no file. It does not change go.mod but prints the command that does.`,
		Example: "  jostle init ./bank\n  jostle init ./bank --actor account\n  jostle init --ci",
		Args: func(args []string) error {
			if len(args) > 1 {
				return errors.New("a property belongs to one package: give one folder")
			}
			return nil
		},
		Run: func(call *Call, args []string) error {
			pattern := "."
			if len(args) > 0 {
				pattern = args[0]
			}
			switch {
			case ci && (actor != "" || len(args) > 0):
				return errors.New("--ci writes workflows and no property: omit --actor and the package")
			case ci:
				return initCI(call)
			}
			return initProperty(call, pattern, actor)
		},
	}
	cmd.Flags().StringVar(&actor, "actor", "", "the actor type of the property; by default the first one found")
	cmd.Flags().BoolVar(&ci, "ci", false, "write CI workflows instead of a property")
	return cmd
}

// paths returns the import paths of the packages that a property uses.
func paths() starter.Paths {
	return starter.Paths{Fuzz: reflect.TypeFor[fuzz.Config]().PkgPath(), Props: reflect.TypeFor[props.T]().PkgPath(),
		Pulse: reflect.TypeFor[pulse.Ctx]().PkgPath(), Rapid: reflect.TypeOf(props.Draw[int]).In(1).Elem().PkgPath()}
}

// initProperty writes a property for an actor into a new file of a package.
func initProperty(call *Call, pattern, actor string) error {
	ctx := call.Context
	var o binary.Options
	p, err := starter.Load(ctx, o.Go, paths(), pattern)
	if err != nil {
		return err
	}
	a, others, err := choose(p, actor)
	if err != nil {
		return err
	}
	f, err := p.Property(a)
	if err != nil {
		return err
	}
	path := filepath.Join(p.Dir, f.Name)
	ready := requires(ctx, p)
	if _, err := os.Lstat(path); err == nil {
		return fmt.Errorf("%s exists and is not overwritten: remove it, or choose another actor with --actor", env.Shown(path))
	} else if ready {
		if err := compiles(ctx, p, path, f.Text); err != nil {
			return fmt.Errorf("nothing was written, because the new file would not compile: %w", err)
		}
	}
	if err := writeNew(path, f.Text); err != nil {
		return err
	}
	tellProperty(call.Out, p, f, a, others, pattern, ready)
	return nil
}

// choose returns the actor with the given name, and the names of all other actors. If name is "",
// it returns the first actor.
func choose(p *starter.Package, name string) (a *starter.Actor, others []string, err error) {
	for _, candidate := range p.Actors() {
		if a == nil && (name == "" || candidate.Name == name) {
			a = candidate
		} else {
			others = append(others, candidate.Name)
		}
	}
	switch {
	case a != nil || name == "":
		return a, others, nil
	case slices.ContainsFunc(p.Uncalled(), func(handler string) bool { return strings.HasPrefix(handler, name+".") }):
		return nil, nil, fmt.Errorf("init cannot tell how to call the handler of %s: it is generic, or takes what only a framework can make", name)
	case len(others) == 0:
		return nil, nil, fmt.Errorf("there is no actor %q: no type of %s has a method that takes a message", name, p.Path)
	}
	return nil, nil, fmt.Errorf("there is no actor %q: choose from %s", name, strings.Join(others, ", "))
}

// requires reports whether the module of a package requires all packages that a property imports.
func requires(ctx context.Context, p *starter.Package) bool {
	all := paths()
	o := binary.Options{Dir: p.Dir}
	_, err := o.Go(ctx, "list", "-deps", "-f", "", all.Fuzz, all.Props, all.Pulse, all.Rapid)
	return err == nil
}

// compiles returns an error if the tests of a package do not compile after a file with the given
// text is added at path.
func compiles(ctx context.Context, p *starter.Package, path string, text []byte) error {
	temp, err := os.MkdirTemp("", builds)
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	source, overlay := filepath.Join(temp, "new.go"), filepath.Join(temp, "overlay.json")
	replace, err := json.Marshal(map[string]map[string]string{"Replace": {path: source}})
	if err != nil {
		return err
	}
	if err := errors.Join(os.WriteFile(source, text, 0o600), os.WriteFile(overlay, replace, 0o600)); err != nil {
		return err
	}
	o := binary.Options{Dir: p.Dir}
	_, err = o.Go(ctx, "list", "-test", "-export", "-overlay", overlay, ".") // this compiles the tests without linking them
	return err
}

// writeNew creates a file with the text. It overwrites nothing and leaves no incomplete file.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("%s exists and is not overwritten", env.Shown(path))
	}
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}

// tellProperty prints what was written and what to do next.
func tellProperty(w io.Writer, p *starter.Package, f *starter.File, a *starter.Actor, others []string, pattern string, ready bool) {
	path := env.Shown(filepath.Join(p.Dir, f.Name))
	switch uncalled := p.Uncalled(); {
	case a != nil:
		fmt.Fprintf(w, "wrote %s: %s sends %s messages in many orders\n", path, f.Property, a.Name)
	case len(uncalled) > 0:
		fmt.Fprintf(w, "wrote %s, a runnable example: init cannot tell how to call %s; add the call\n", path, strings.Join(uncalled, ", "))
	default:
		fmt.Fprintf(w, "wrote %s, a runnable example: no type of %s has a method that takes messages\n", path, p.Path)
	}
	if len(others) > 0 {
		slices.Sort(others)
		fmt.Fprintf(w, "other types take messages too: %s (choose one with --actor)\n", strings.Join(others, ", "))
	}
	fmt.Fprintln(w, "next:")
	if !ready {
		fmt.Fprintf(w, "  go get %s    # not yet required by the module\n", paths().Fuzz)
	}
	fmt.Fprintf(w, "  jostle check %s\n", words.Argument(pattern))
	if a != nil {
		fmt.Fprintf(w, "then say in %s what must hold: until then only panics, deadlocks and endless runs fail\n", f.Property)
	}
}
