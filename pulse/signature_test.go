package pulse_test

import (
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// property returns a failure of kind property, with a format and the formatted text.
func property(format, text string) *pulse.Failure {
	return &pulse.Failure{Kind: pulse.KindProperty, Site: "f", Line: "f_test.go:7", Format: format, Text: text}
}

// TestSignature checks what distinguishes two failures.
func TestSignature(t *testing.T) {
	for _, c := range []struct{ format, text, want string }{
		{"came late: %v", "came late: [ann bob]", "property at f (f_test.go:7): came late: %v"},
		{"came late: %v", "came late: []", "property at f (f_test.go:7): came late: %v"},
		{"\nno %d\nmore", "no 3", "property at f (f_test.go:7): no %d"},
		{"\n%s", "Not equal: expected: 1, actual: 2", "property at f (f_test.go:7): Not equal: expected: #, actual: #"},
		{"%-5v %[1]*.[2]*[3]f|", "lost 12", "property at f (f_test.go:7): lost #"},
		{"", "came late: [ann bob]", "property at f (f_test.go:7): came late: […]"},
		{"", "came late: []", "property at f (f_test.go:7): came late: […]"},
		{"", "map[a:[1 2] b:[]] is not map[]", "property at f (f_test.go:7): map[…] is not map[…]"},
		{"", `[]string{"a"} is []string(nil)`, "property at f (f_test.go:7): […]string{…} is […]string{…}"},
		{"", "&{ann 3} was cut off [1 2", "property at f (f_test.go:7): &{…} was cut off […"},
		{"", "took 1h2m3.5s, then 998ms and -1e+09", "property at f (f_test.go:7): took #, then # and #"},
		{"", "at 0xc000012345 and deadbeef01 by 5d0e9c3f-41b8-2a96-b37f-a5e1d8022d72", "property at f (f_test.go:7): at # and # by #"},
		{"", "'a' of \"b\" or `c d` at 2026-11-22T23:13:30Z.", "property at f (f_test.go:7): 'a' of \"\" or \"\" at #."},
		{"", "writer#1 and node12 are 3, 4, 5", "property at f (f_test.go:7): writer# and node# are #"},
	} {
		f := property(c.format, c.text)
		if got := f.Signature(); got != c.want {
			t.Errorf("%q of %q: %s, expected %s", c.text, c.format, got, c.want)
		}
		if g := property("", c.text); property("", g.Lasting()[len("property at f: "):]).Lasting() != g.Lasting() {
			t.Errorf("%q is masked otherwise the second time", c.text)
		}
	}
	panicked := &pulse.Failure{Kind: pulse.KindPanic, Site: "f", Value: "no [1 2]", Stack: []pulse.Frame{{Func: "f", File: "f.go", Line: 3}}}
	if got := panicked.Signature(); got != "panic at f (f.go:3): no […]" {
		t.Error(got)
	}
	stuck := &pulse.Failure{Kind: pulse.KindStuck, Site: "clerk", Line: "f.go:3", Text: "clerk waits"}
	if got := stuck.Signature(); got != "stuck at clerk" || stuck.Lasting() != got {
		t.Error(got)
	}
}

// TestMatches: signatures that older versions saved, with the rendered text,
// match; those of other failures do not.
func TestMatches(t *testing.T) {
	for _, c := range []struct {
		format, text, saved string
		want                bool
	}{
		{"stored %d of %d results", "stored 0 of 2 results", "property at f: stored %d of %d results", true},
		{"stored %d of %d results", "stored 0 of 2 results", "property at f: stored # of # results", true},
		{"stored %d of %d results", "stored 0 of 2 results", "property at f: lost # of # results", false},
		{"stored %d of %d results", "stored 0 of 2 results", "property at g: stored # of # results", false},
		{"stored %d of %d results", "stored 0 of 2 results", "panic at f: stored # of # results", false},
		{"came late: %v", "came late: []", "property at f: came late: [bob]", true},
		{"came late: %v", "came late: []", "property at f: came late: []", true},
		{"%q, %q came late", `"a", "b" came late`, `property at f: "" came late`, true},
		{"100%% of %d", "100% of 3", "property at f: #% of #", true},
		{"", "took 998ms [1]", "property at f: took #ms [#]", true},
		{"\n%s", "Not equal: expected: []int{1}, actual: []int(nil)", "property at f: Not equal: expected: []int{#, #}, actual: []int{}", true},
		{"", "took 998ms", "property at f: gave #ms", false},
	} {
		if got := property(c.format, c.text).Matches(c.saved); got != c.want {
			t.Errorf("%q of %q, saved as %q: %v, expected %v", c.text, c.format, c.saved, got, c.want)
		}
	}
	stuck := &pulse.Failure{Kind: pulse.KindStuck, Site: "clerk"}
	if !stuck.Matches("stuck at clerk") || stuck.Matches("stuck at clerk: no") || stuck.Matches("stuck at till") {
		t.Error("a failure that says nothing matches otherwise")
	}
}
