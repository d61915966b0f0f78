package stack_test

import (
	"runtime"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/stack"
)

func named(calls []runtime.Frame) string {
	var list []string
	for _, f := range stack.Frames(calls) {
		list = append(list, f.Func)
	}
	return strings.Join(list, ", ")
}

// TestInnerEnds checks that the result of Trimmer.Inner ends at the first call
// of a removed package. Calls of that package at the innermost end of the stack
// do not count.
func TestInnerEnds(t *testing.T) {
	const ours = "github.com/jostle-go/jostle/pulse"
	trimmer := stack.NewTrimmer(ours)
	var pcs [64]uintptr
	n := 0
	sys := pulse.New(pulse.Options{})
	defer sys.Close()
	sys.Send(sys.Spawn("actor", pulse.Func(func(*pulse.Ctx, any) { n = runtime.Callers(1, pcs[:]) })), "go")
	sys.Run()
	if calls, caller := trimmer.Inner(pcs[:n]); named(calls) != "func in TestInnerEnds" || caller != ours+".Func.Receive" {
		t.Errorf("the inner calls are %s, made by %q", named(calls), caller)
	}
	if got := named(trimmer.All(pcs[:n])); got != "func in TestInnerEnds, stack_test.TestInnerEnds" {
		t.Errorf("all calls are %s", got)
	}
	func() {
		defer func() {
			f, ok := recover().(*pulse.Failure)
			if !ok || len(f.Stack) != 2 || f.Stack[0].Func != "func in TestInnerEnds" {
				t.Errorf("a call that pulse refuses has the stack %v", f)
			}
		}()
		sys.Observe(nil) // panics, because observers need a recorded run
	}()
}
