package trace

import "testing"

func TestNames(t *testing.T) {
	tests := []struct {
		labels []string // after the test's
		want   []string
	}{
		{nil, nil},
		{[]string{"writer"}, []string{"writer"}},
		{[]string{"action", "writer", "action", "action"}, []string{"action.1", "writer", "action.2", "action.3"}},
		{[]string{"", "actor"}, []string{"actor.1", "actor.2"}},
		{[]string{"test"}, []string{"test.1"}},
		{[]string{"a\nb", "a b", "naïve"}, []string{`a\nb`, "a b", "naïve"}},
	}
	for _, test := range tests {
		b := newBuilder()
		for _, label := range test.labels {
			b.spawn(None, label)
		}
		names := b.Names()
		for i, want := range append([]string{"test"}, test.want...) {
			if got := b.Name(int32(i)); got != want {
				t.Errorf("%q: Name(%d) is %q, expected %q", test.labels, i, got, want)
			}
			if got := names.Of(int32(i)); got != want {
				t.Errorf("%q: Names.Of(%d) is %q, expected %q", test.labels, i, got, want)
			}
		}
		for _, nobody := range []int32{None, int32(len(b.Actors))} {
			if b.Name(nobody) != "nobody" || names.Of(nobody) != "nobody" {
				t.Errorf("actor %d is %q and %q", nobody, b.Name(nobody), names.Of(nobody))
			}
		}
	}
}

func TestTestIsCalledTest(t *testing.T) {
	b := newBuilder()
	b.Actors[Test].Label = "writer"
	b.spawn(None, "writer")
	if b.Name(Test) != "test" || b.Name(1) != "writer" || b.Names().Of(1) != "writer" {
		t.Errorf("names %q, %q, %q", b.Name(Test), b.Name(1), b.Names())
	}
}
