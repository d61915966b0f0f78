package trace

import (
	"reflect"
	"slices"
	"testing"
	"unsafe"
)

// TestSizes limits the size of a step and of a send in memory, because a run has millions of them.
func TestSizes(t *testing.T) {
	if size := unsafe.Sizeof(Send{}); size > 64 {
		t.Errorf("a Send has %d bytes, expected at most 64", size)
	}
	if size := unsafe.Sizeof(Step{}); size > 40 {
		t.Errorf("a Step has %d bytes, expected at most 40", size)
	}
}

func TestResetAndClone(t *testing.T) {
	trace, want := storyTrace(), storyTrace()
	trace.Hash, want.Hash = 7, 7
	clone := trace.Clone()
	trace.Reset()
	if len(trace.Actors)+len(trace.Sends)+len(trace.Steps)+len(trace.Notes)+len(trace.Rests)+len(trace.Strikes) != 0 || trace.Hash != 0 {
		t.Errorf("after Reset: %+v", trace)
	}
	if cap(trace.Steps) == 0 || cap(trace.Sends) == 0 {
		t.Error("Reset gave memory back")
	}
	trace.Steps = append(trace.Steps, Step{ID: 99})
	trace.Rests = append(trace.Rests, 99)
	if !reflect.DeepEqual(clone, want) {
		t.Errorf("the clone changed to %+v", clone)
	}
}

func TestKindNames(t *testing.T) {
	var got []string
	for k := Receive; k <= Delay+1; k++ {
		got = append(got, k.String())
	}
	for k := Message; k <= Poll+1; k++ {
		got = append(got, k.String())
	}
	for f := Pending; f <= Dropped+1; f++ {
		got = append(got, f.String())
	}
	want := []string{
		"receive", "crash", "restart", "partition", "heal", "cut", "loss", "delay", "trace.StepKind(8)",
		"message", "start", "timer", "periodic", "down", "kill", "reply", "copy", "poll", "trace.SendKind(9)",
		"pending", "delivered", "orphaned", "dropped", "trace.Fate(4)",
	}
	if !slices.Equal(got, want) {
		t.Errorf("names\n%q, expected\n%q", got, want)
	}
}
