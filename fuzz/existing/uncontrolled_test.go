package existing

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/env"
)

// TestUncontrolled: jostle test learns of each test that is not controlled once, and why in one line. It learns
// nothing without the variable, or if the file is gone.
func TestUncontrolled(t *testing.T) {
	name := filepath.Join(t.TempDir(), "uncontrolled")
	e := &existing{T: t}
	e.uncontrolled("it is not written")
	t.Setenv(env.Folder, filepath.Dir(folder))
	t.Setenv(UncontrolledVariable, filepath.Join(name, "is no folder"))
	e.uncontrolled("it is not written")
	t.Setenv(UncontrolledVariable, name)
	e.uncontrolled("it fails in every order, so go test decides:\na_test.go:1: fails")
	e.uncontrolled("it is said again")
	want := []Uncontrolled{{"./existing", t.Name(), "it fails in every order, so go test decides"}}
	t.Run("sub", func(t *testing.T) { (&existing{T: t}).uncontrolled("it depends on C code") })
	want = append(want, Uncontrolled{"./existing", t.Name() + "/sub", "it depends on C code"})
	if got := ReadUncontrolled(name); !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if got := ReadUncontrolled(name + "x"); got != nil {
		t.Errorf("of no file: %v", got)
	}
}
