package tool

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/starter"
)

// TestCompiles: a property that would not compile is known before it is written.
func TestCompiles(t *testing.T) {
	dir, err := filepath.Abs("../internal/changed")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ body, want string }{{"", ""}, {"nothing()", "undefined: nothing"}, {"var n int", "declared and not used: n"}} {
		text := "package changed\n\nfunc orders() { " + c.body + " }\n"
		err := compiles(t.Context(), &starter.Package{Dir: dir}, filepath.Join(dir, "orders_test.go"), []byte(text))
		if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, want %q", c.body, err, c.want)
		}
	}
}
