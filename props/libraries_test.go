package props_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// A T has the methods that assertion libraries want.
var (
	_ require.TestingT = (*props.T)(nil)
	_ rapid.TB         = (*props.T)(nil)
)

// libraries are properties that use assertion libraries as their users do, each
// with the text of its failure.
var libraries = []struct {
	outcome
	detail string
}{
	{outcome{"require passes", func(t *props.T) {
		require.Equal(t, 1, 1)
		say(t, func(*pulse.Ctx) { require.NoError(t, nil) })
		assert.Len(t, "abc", 3)
	}, "held\nafter the run"}, ""},
	{outcome{"require", func(t *props.T) { require.Equal(t, 1, 2) },
		"property: property+0: Not equal: expected: 1, actual: 2"}, ""},
	{outcome{"require with a message", func(t *props.T) { require.Equalf(t, "a", "b", "result of %d", 3) },
		`property: property+0: result of 3: Not equal: expected: "a", actual: "b"`},
		"    Diff:\n    --- Expected\n    +++ Actual\n    @@ -1 +1 @@\n    -a\n    +b"},
	{outcome{"require in a handler", func(t *props.T) { say(t, func(*pulse.Ctx) { require.True(t, false); t.Log("not reached") }) },
		"property: property+0: Should be true (step 0)"}, ""},
	{outcome{"require in a process", func(t *props.T) {
		live(t, func(p *pulse.Process) {
			p.Sleep(1)
			require.Nil(t, 1)
		})
	}, "property: property+3: Expected nil, but got: 1 (step 1)"}, ""},
	{outcome{"assert goes on", func(t *props.T) {
		say(t, nothing)
		if !assert.Contains(t, []int{1}, 2) {
			t.Log("went on")
		}
	}, "property: property+2: []int{1} does not contain 2\nafter the run\nwent on"}, ""},
	{outcome{"require in a helper", func(t *props.T) {
		helped := func(n int) {
			t.Helper()
			require.Positive(t, n)
		}
		helped(1)
		helped(-1)
	}, `property: property+6: "-1" is not positive`}, ""},
	{outcome{"go-cmp", func(t *props.T) {
		say(t, nothing)
		if diff := cmp.Diff([]string{"a"}, []string{"b"}); diff != "" {
			t.Errorf("stored (-want +got):\n%s", diff)
		}
	}, "property: property+3: stored (-want +got):\nafter the run"}, ""},
}

func TestLibraries(t *testing.T) {
	for _, l := range libraries {
		t.Run(l.name, func(t *testing.T) {
			res := once(t, l.property)
			if diff := cmp.Diff(l.want, told(res, l.property)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if f := res.Failure; f != nil && l.name != "go-cmp" && f.Detail != l.detail {
				t.Errorf("detail:\n%s\nwant:\n%s", f.Detail, l.detail)
			}
		})
	}
}

// check and deeper are assertion helpers. check calls deeper.
func check(t *props.T, n int) {
	t.Helper()
	deeper(t, n)
}

func deeper(t *props.T, n int) {
	t.Helper()
	if n > 1 {
		t.Fatalf("%d is too large", n)
	}
}

// inlined is a helper small enough to be inlined: it must not hide its caller.
func inlined(t *props.T) { t.Helper() }

var helped = []outcome{
	{"helpers", func(t *props.T) {
		check(t, 1)
		say(t, nothing)
		check(t, 2)
	}, "property: property+3: 2 is too large\nafter the run"},
	{"helper in a handler", func(t *props.T) {
		say(t, func(*pulse.Ctx) {
			check(t, 2)
		})
	}, "property: property+2: 2 is too large (step 0)"},
	{"inlined helper", func(t *props.T) {
		inlined(t)
		t.Fatalf("one")
	}, "property: property+2: one"},
	{"nothing but helpers", func(t *props.T) {
		t.Helper()
		t.Fatalf("one")
	}, "property: property+2: one"},
	{"helper that says Helper late", func(t *props.T) {
		late := func(last bool) {
			if last {
				t.Helper()
				t.Fatalf("one")
			}
		}
		late(false)
		late(true)
	}, "property: property+8: one"},
}

func TestHelpers(t *testing.T) {
	for _, o := range helped {
		t.Run(o.name, func(t *testing.T) {
			if diff := cmp.Diff(o.want, told(once(t, o.property), o.property)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
