package stack

import (
	"runtime"
	"strings"
	"testing"
)

const dump = `goroutine 7 [running]:
example.com/a.(*T).M(0xc000012345, {0x1, 0x2})
	/src/a/a.go:12 +0x1d
panic({0x1, 0x2})
	/usr/go/src/runtime/panic.go:1 +0x1
example.com/a.Map[...](...)
	/src/a/b c.go:13
created by testing.(*T).Run in goroutine 1
	/usr/go/src/testing/testing.go:1 +0x1

goroutine 8 [sync.Mutex.Lock, 3 minutes, locked to thread]:
example.com/a.F.func1()
	/src/a/a.go:14 +0x1d
...additional frames elided...

noise

goroutine 9 gp=0xc0 m=nil [coroutine]:
`

func TestParse(t *testing.T) {
	list := parse(dump)
	if len(list) != 3 {
		t.Fatalf("%d goroutines: %+v", len(list), list)
	}
	g := list[0]
	if g.ID != 7 || g.Creator != 1 || g.State != "running" || len(g.Calls) != 3 || g.Parked() {
		t.Errorf("the first is %+v", g)
	}
	if c := g.Calls[0]; c.Function != "example.com/a.(*T).M" || c.File != "/src/a/a.go" || c.Line != 12 {
		t.Errorf("its first call is %+v", c)
	}
	if c := g.Calls[2]; c.Function != "example.com/a.Map[...]" || c.File != "/src/a/b c.go" || c.Line != 13 {
		t.Errorf("its last call is %+v", c)
	}
	if g := list[1]; g.ID != 8 || g.State != "sync.Mutex.Lock" || len(g.Calls) != 1 {
		t.Errorf("the second is %+v", g)
	}
	if !list[2].Parked() {
		t.Errorf("the third is %+v", list[2])
	}
	cut := NewTrimmer("example.com/none").Cut(g.Calls)
	if len(cut) != 1 || cut[0].Line != 13 {
		t.Errorf("what a panic runs is left out; cut to %+v", cut)
	}
}

// The result of Goroutines has a waiting goroutine and its creator.
func TestGoroutines(t *testing.T) {
	made, end := make(chan uint64), make(chan bool)
	go func() {
		made <- Current()
		<-end
	}()
	id := <-made
	defer close(end)
	for range 1000 {
		for _, g := range Goroutines() {
			if g.ID == id && g.State == "chan receive" {
				if g.Creator != Current() || !strings.HasSuffix(g.Calls[0].Function, "TestGoroutines.func1") {
					t.Errorf("it is %+v", g)
				}
				return
			}
		}
		runtime.Gosched()
	}
	t.Errorf("goroutine %d is not found", id)
}

func FuzzParse(f *testing.F) {
	f.Add(dump)
	f.Add("goroutine 1 [x]:\n(\n\t:")
	f.Fuzz(func(_ *testing.T, text string) { parse(text) })
}
