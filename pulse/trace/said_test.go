package trace

import (
	"reflect"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A looped value is part of a circle. Its String methods call Label for the next value.
type looped struct{ next, also *looped }

func (l *looped) String() string { return "of " + Label(l.next) + Label(l.also) }

// The String method of a restless value formats the value itself again, on a
// new goroutine. So it never ends by itself.
type restless struct{ n int }

func (r restless) String() string {
	text := make(chan string)
	go func() { text <- Label(r) }()
	return "r" + <-text
}

// A locked value has a String that does not return before it is unlocked.
type locked struct {
	unlocked chan struct{}
	n        int
}

func (l locked) String() string {
	<-l.unlocked
	return "unlocked"
}

type wordy struct{ n int }

func (w wordy) Error() string { return strings.Repeat("\x00é", w.n) }

// deepen calls f with n frames of its own on the stack.
//
//go:noinline
func deepen(n int, f func() string) string {
	if n == 0 {
		return f()
	}
	return deepen(n-1, f) + ""
}

// TestMethodsThatLeadToThemselves checks that methods that call each other
// through labels stop after a few nested calls, even if each method calls
// several. Later calls of methods work as before.
func TestMethodsThatLeadToThemselves(t *testing.T) {
	all := func(reflect.Type) bool { return false }
	one, two := &looped{}, &looped{}
	one.next, two.next = two, one
	const deepest = "looped(next: looped(next: … (String was not called: too deep), also: nil) …"
	if got, want := StateLabel(one, all), "of of of "+deepest+"nil"; !strings.HasPrefix(got, want) {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	one.also, two.also = one, two
	if got := Label(one); !strings.HasPrefix(got, "of of of looped(") {
		t.Error(got)
	}
	if got, want := Label(restless{7}), strings.Repeat("r", labelRunes)+cut; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got, want := deepen(longestStack, func() string { return Label(level(1)) }), "level(1) (String was not called: too deep)"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := Label(level(1)); got != "high" || speaking.Load() != 0 {
		t.Errorf("afterwards: %s, %d methods run", got, speaking.Load())
	}
}

// TestDepthIsSeen checks that the nesting depth of methods is determined on
// stacks of any length. If it were not, every method would count as outermost.
func TestDepthIsSeen(t *testing.T) {
	for _, frames := range []int{0, shortStack - 10, shortStack, shortStack + 10, 1000} {
		depth := -1
		look := func() string {
			return deepen(frames, func() string { depth = sayings(); return "" })
		}
		if look(); depth != 0 {
			t.Errorf("%d frames: depth %d, want 0", frames, depth)
		}
		for level, begin := range levels {
			done := make(chan [2]string)
			speaking.Add(1)
			go begin("String", look, done)
			if <-done; depth != level+1 {
				t.Errorf("%d frames: depth %d, want %d", frames, depth, level+1)
			}
		}
	}
}

// TestMethodsThatDoNotReturn checks that a method that does not return is
// awaited once and never called again, and that a late return has no effect.
func TestMethodsThatDoNotReturn(t *testing.T) {
	v := locked{make(chan struct{}), 5}
	const want = "locked(unlocked: chan struct {}, n: 5) (String did not return within 2s)"
	for range 3 {
		start := time.Now()
		if got := Label(v); got != want {
			t.Errorf("got  %s\nwant %s", got, want)
		}
		if n := speaking.Load(); n != 1 {
			t.Errorf("after %v %d methods run", time.Since(start), n)
		}
	}
	close(v.unlocked)
	for speaking.Load() > 0 {
		time.Sleep(time.Millisecond)
	}
	if got := Label(v); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// A novel has an Error that is as long as a novel.
type novel struct{ text string }

func (n novel) Error() string { return n.text }

// TestLongTexts checks that only the shown part of a method's text is escaped.
func TestLongTexts(t *testing.T) {
	if got, want := Label(wordy{1}), `\x00é`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	want := strings.Repeat(`\x00é`, labelRunes/5) + cut
	if got := Label(wordy{1000}); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	long := novel{wordy{1 << 20}.Error()}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	got := Label(long)
	runtime.ReadMemStats(&after)
	if n := after.TotalAlloc - before.TotalAlloc; got != want || n > 1<<18 {
		t.Errorf("%d bytes were allocated for %s", n, got)
	}
}
