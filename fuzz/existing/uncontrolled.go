package existing

import (
	"encoding/json"
	"os"
	"runtime/debug"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// An Uncontrolled is a test that is not controlled.
type Uncontrolled struct {
	Package string // as an argument of jostle test
	Test    string
	Because string // one line
}

// UncontrolledVariable is the environment variable with the name of a file. Test binaries append an
// [Uncontrolled] to the file for each test that is not controlled: go test prints what a test logs only with -v,
// or if the test fails.
const UncontrolledVariable = "JOSTLE_UNCONTROLLED"

// uncontrolled says that the test is not controlled, in its log and to jostle test.
func (e *existing) uncontrolled(why string) {
	e.Logf("not controlled, because %s", why)
	// The name of the file differs in each call of jostle test. Go test sees that the test has read the variable,
	// so it runs the package again instead of repeating the result.
	name := os.Getenv(UncontrolledVariable)
	if name == "" {
		return
	}
	f, err := os.OpenFile(name, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return // the log of the test has said it
	}
	defer f.Close()
	info, _ := debug.ReadBuildInfo()
	line, _, _ := strings.Cut(why, "\n")
	_ = json.NewEncoder(f).Encode(Uncontrolled{
		Package: words.PackageFrom(os.Getenv(env.Folder), info, folder),
		Test:    e.Name(),
		Because: strings.TrimSuffix(line, ":"),
	})
}

// ReadUncontrolled returns the tests in the file of UncontrolledVariable, each once.
func ReadUncontrolled(name string) (list []Uncontrolled) {
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	known := map[Uncontrolled]bool{}
	for d := json.NewDecoder(f); ; {
		var u Uncontrolled
		if d.Decode(&u) != nil {
			return list
		}
		if test := (Uncontrolled{Package: u.Package, Test: u.Test}); !known[test] {
			known[test] = true
			list = append(list, u)
		}
	}
}
