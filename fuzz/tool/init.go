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
	"github.com/jostle-go/jostle/fuzz/internal/starter"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// newInit returns the command that writes what somebody begins with.
func newInit() *Command {
	var actor string
	var ci bool
	cmd := &Command{
		Use:   "init [package]",
		Short: "Write a first property, or the workflows of a CI",
		Long: `Init writes a first property into a package, as a test of its own file. It is for an
actor of the package: a type with a method Receive as package pulse has it, or else one
called Receive, Handle, HandleMessage, OnMessage or Step that takes a message, and maybe
a context.Context before it. The messages that it draws are those that the method is seen
to take. Where there is no actor, it writes an example that runs.

With --ci it writes, in place of that, two workflows of GitHub: ` + starter.Nightly + `
searches every night and opens an issue when it finds something, and ` + starter.Change + `
says what a pull request adds to what was seen.

It writes over no file, and changes no go.mod: it says which command does.`,
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
				return errors.New("--ci writes workflows for the module here, and no property: give it alone")
			case ci:
				return initCI(call)
			}
			return initProperty(call, pattern, actor)
		},
	}
	cmd.Flags().StringVar(&actor, "actor", "", "the type that the property is for; else the first that is found")
	cmd.Flags().BoolVar(&ci, "ci", false, "write the workflows of a CI, and no property")
	return cmd
}

// paths returns the import paths of what a property uses.
func paths() starter.Paths {
	return starter.Paths{Fuzz: reflect.TypeFor[fuzz.Config]().PkgPath(), Props: reflect.TypeFor[props.T]().PkgPath(),
		Pulse: reflect.TypeFor[pulse.Ctx]().PkgPath(), Rapid: reflect.TypeOf(props.Draw[int]).In(1).Elem().PkgPath()}
}

// initProperty writes a property into a package.
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
		return fmt.Errorf("there is a file %s, and it is not written over: remove it, or choose another actor by --actor", shown(path))
	} else if ready {
		if err := compiles(ctx, p, path, f.Text); err != nil {
			return fmt.Errorf("nothing was written, since it would not compile: %w", err)
		}
	}
	if err := writeNew(path, f.Text); err != nil {
		return err
	}
	tellProperty(call.Out, p, f, a, others, pattern, ready)
	return nil
}

// choose returns the actor of a name, or the first, and the names of the others.
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
	return nil, nil, fmt.Errorf("there is no actor %q: there is %s", name, strings.Join(others, ", "))
}

// requires reports whether the module of a package requires all that a property imports.
func requires(ctx context.Context, p *starter.Package) bool {
	all := paths()
	o := binary.Options{Dir: p.Dir}
	_, err := o.Go(ctx, "list", "-deps", "-f", "", all.Fuzz, all.Props, all.Pulse, all.Rapid)
	return err == nil
}

// compiles returns an error unless the tests of a package compile with a file that is not
// there yet.
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
	_, err = o.Go(ctx, "list", "-test", "-export", "-overlay", overlay, ".") // compiles, and links nothing
	return err
}

// writeNew writes a file that is not there yet, whole or not at all.
func writeNew(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if errors.Is(err, fs.ErrExist) {
		return fmt.Errorf("there is a file %s, and it is not written over", shown(path))
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

// tellProperty says what was written and what to do next.
func tellProperty(w io.Writer, p *starter.Package, f *starter.File, a *starter.Actor, others []string, pattern string, ready bool) {
	path := shown(filepath.Join(p.Dir, f.Name))
	switch uncalled := p.Uncalled(); {
	case a != nil:
		fmt.Fprintf(w, "wrote %s: %s sends %s messages in many orders\n", path, f.Property, a.Name)
	case len(uncalled) > 0:
		fmt.Fprintf(w, "wrote %s: init cannot tell how to call %s, so it is an example that runs: put a call into it\n", path, strings.Join(uncalled, ", "))
	default:
		fmt.Fprintf(w, "wrote %s: no type of %s takes messages, so it is an example that runs\n", path, p.Path)
	}
	if len(others) > 0 {
		slices.Sort(others)
		fmt.Fprintf(w, "others take messages, too: %s (choose one by --actor)\n", strings.Join(others, ", "))
	}
	fmt.Fprintln(w, "next:")
	if !ready {
		fmt.Fprintf(w, "  go get %s    # the module does not require it, or all of it, yet\n", paths().Fuzz)
	}
	fmt.Fprintf(w, "  jostle check %s\n", words.Argument(pattern))
	if a != nil {
		fmt.Fprintf(w, "then say in %s what must hold: until then only panics, deadlocks and endless runs fail\n", f.Property)
	}
}
