package finding

import (
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// The following handlers are the source that TestBranch reads.

type branched struct{}

type (
	branchA        struct{}
	branchB        struct{}
	branchC        struct{ _ int }
	branchD        struct{}
	branchE        struct{}
	branchF[T any] struct{ _ T }
)

func (b *branched) Receive(ctx *pulse.Ctx, msg any) {
	switch kind := 1; kind {
	case 2: // branchA
		ctx.Log("case branchA: %v", `{`)
	}
	switch msg := msg.(type) {
	case branchA: // A
		b.help(ctx, msg)
		switch any(msg).(type) {
		case branchB:
		}
	case *branchB, // *B
		branchB, map[string]int: // B
		b.help(ctx, '}')
		b.help(ctx, interface{}(nil))
	case interface{ String() string }, branchF[int]: // F
	case pulse.Down: // Down
		len := 1
		_ = len
	default:
		if _, ok := msg.(branchC); ok { // C
			ctx.Stop()
		}
	}
}

func (*branched) help(ctx *pulse.Ctx, _ any) { ctx.Stop() }

func (b *branched) other(_ interface{ String() string }, msg any) {
	if _, ok := msg.(branchE); ok { // E
		panic("an E")
	}
}

var (
	_ pulse.Actor = (*branched)(nil)
	_             = (*branched).other
)

// TestBranch: branchOf finds the case of a message in its handler and in no other handler.
func TestBranch(t *testing.T) {
	text, err := os.ReadFile("branch_test.go")
	if err != nil {
		t.Fatal(err)
	}
	source := string(text)
	lineOf := func(end string) int {
		if end == "" {
			return 0
		}
		for i, line := range strings.Split(source, "\n") {
			if strings.HasSuffix(line, end) {
				return i + 1
			}
		}
		t.Fatalf("no line ends with %q", end)
		return 0
	}
	receive, other := lineOf("Receive(ctx *pulse.Ctx, msg any) {"), lineOf("String() string }, msg any) {")
	for _, c := range []struct {
		message any
		begin   int
		want    string
		helpers []string
	}{
		{branchA{}, receive, "// A", []string{"help"}},
		{&branchA{}, receive, "", nil},
		{branchB{}, receive, "// B", []string{"help"}},
		{&branchB{}, receive, "// *B", []string{"help"}},
		{map[string]int{}, receive, "// B", []string{"help"}},
		{branchF[int]{}, receive, "// F", nil},
		{pulse.Down{}, receive, "// Down", nil},
		{branchC{}, receive, "// C", nil},
		{branchD{}, receive, "", nil},
		{branchE{}, receive, "", nil},
		{branchE{}, other, "// E", nil},
		{[]int{}, other, "", nil},
	} {
		line, helpers := branchOf(source, c.begin, false, reflect.TypeOf(c.message))
		if line != lineOf(c.want) || !slices.Equal(helpers, c.helpers) {
			t.Errorf("%T: line %d calls %v, want line %d and %v", c.message, line, helpers, lineOf(c.want), c.helpers)
		}
	}
	if line, _ := branchOf(source, lineOf("switch msg := msg.(type) {"), true, reflect.TypeFor[branchB]()); line != lineOf("// B") {
		t.Errorf("within the function: line %d", line)
	}
	if line, _ := branchOf("func (", 1, false, reflect.TypeFor[branchB]()); line != 0 {
		t.Errorf("no source has line %d", line)
	}
	if place, _ := (sources{}).branch(pulse.Frame{File: "x.go", Line: 1}, pulse.Frame{}, branchA{}); place != (pulse.Frame{}) {
		t.Errorf("without the source: %q", place)
	}
}
