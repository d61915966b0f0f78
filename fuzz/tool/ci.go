package tool

import (
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/starter"
)

// command is the import path of the command jostle.
const command = "github.com/jostle-go/jostle/cmd/jostle"

// initCI writes GitHub workflows for the module of the current folder.
func initCI(call *Call) error {
	var o binary.Options
	out, err := o.Go(call.Context, "env", "GOMOD")
	if err != nil {
		return err
	}
	mod := strings.TrimSpace(string(out))
	if mod == "" || mod == os.DevNull {
		return errors.New("there is no module here: create one with `go mod init example.com/name`")
	}
	root := repository(filepath.Dir(mod))
	dir, err := filepath.Rel(root, filepath.Dir(mod))
	if err != nil {
		return err
	}
	if dir = filepath.ToSlash(dir); dir == "." {
		dir = ""
	}
	files, err := starter.Workflows(starter.CI{Dir: dir, Command: command, Library: path.Dir(path.Dir(command))})
	if err != nil {
		return err
	}
	folder := filepath.Join(root, ".github", "workflows")
	for _, f := range files {
		if _, err := os.Lstat(filepath.Join(folder, f.Name)); err == nil {
			return fmt.Errorf("%s exists and is not overwritten: remove it first", env.Shown(filepath.Join(folder, f.Name)))
		}
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	for _, f := range files {
		if err := writeNew(filepath.Join(folder, f.Name), f.Text); err != nil {
			return err
		}
		fmt.Fprintf(call.Out, "wrote %s\n", env.Shown(filepath.Join(folder, f.Name)))
	}
	fmt.Fprintln(call.Out, "next: review, commit and push them; the first runs nightly and on demand, the second for pull requests")
	return nil
}

// repository returns the root of the Git repository that contains dir, or dir if there is none.
func repository(dir string) string { return enclosing(dir, ".git") }

// enclosing returns the nearest folder at or above dir that has a file or folder with the given
// name, or dir if there is none.
func enclosing(dir, name string) string {
	for above := dir; ; above = filepath.Dir(above) {
		if _, err := os.Stat(filepath.Join(above, name)); err == nil {
			return above
		}
		if above == filepath.Dir(above) {
			return dir
		}
	}
}
