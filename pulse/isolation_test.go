package pulse_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/value"
)

type (
	parcel struct{ items []string }
	pack   struct{}
)

// guarded turns on the isolation check, which reports messages that change
// after they were sent.
var guarded = pulse.Options{Isolation: true}

// A displayed message changes when it is first formatted, as protobuf messages
// do.
type displayed struct{ text string }

func (s *displayed) String() string {
	s.text = "displayed"
	return s.text
}

// isolationScripts are programs that change a message in flight, each in
// another way.
var isolationScripts = []script{
	{name: "the sender keeps a pointer and changes it in a later step", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		to := s.Spawn("till", pulse.Func(idle))
		kept := &parcel{items: []string{"cup"}}
		from := s.Spawn("shop", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg.(type) {
			case blast:
				ctx.Send(to, kept)
			case pack:
				kept.items[0] = "pan"
			}
		}))
		s.Send(from, blast{})
		s.Send(from, pack{})
		s.Run()
		return s.Failure()
	}},
	{name: "the sender changes it in the same step", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		to := s.Spawn("till", pulse.Func(idle))
		return one(pulse.Func(func(ctx *pulse.Ctx, _ any) {
			kept := &parcel{items: []string{"cup"}}
			ctx.Send(to, kept)
			kept.items = append(kept.items, "pan")
		}), blast{})(s)
	}},
	{name: "one slice goes to two, of which the first changes it", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		change := pulse.Func(func(_ *pulse.Ctx, msg any) { msg.([]int)[1]++ })
		first, second := s.Spawn("shop", change), s.Spawn("shop", change)
		same := []int{1, 2, 3}
		s.Send(first, same)
		s.Send(second, same)
		s.Run()
		return s.Failure()
	}},
	{name: "a map", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		add := pulse.Func(func(_ *pulse.Ctx, msg any) { msg.(map[string]int)["pan"] = 1 })
		prices := map[string]int{"cup": 3}
		s.Send(s.Spawn("shop", add), prices)
		s.Send(s.Spawn("till", pulse.Func(idle)), prices)
		s.Run()
		return s.Failure()
	}},
	{name: "the test changes it before the run", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		kept := []int{1}
		s.Send(s.Spawn("shop", pulse.Func(idle)), kept)
		kept[0] = 2
		s.Run()
		return s.Failure()
	}},
	{name: "the test changes between runs what an actor has sent", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		kept := []int{1}
		to := s.Go("clerk", sleeping)
		s.Send(s.Spawn("shop", pulse.Func(func(ctx *pulse.Ctx, _ any) { ctx.Send(to, kept) })), blast{})
		s.RunFor(0)
		kept[0] = 2
		s.Run()
		return s.Failure()
	}},
	{name: "a process changes it after a wait", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		to := s.Go("till", sleeping)
		return process(func(p *pulse.Process) {
			kept := []int{1}
			p.Send(to, kept)
			p.Receive()
			kept[0] = 2
		}, blast{})(s)
	}},
	{name: "in a step that panics and is supervised", o: guarded, do: func(s *pulse.System) *pulse.Failure {
		kept := []int{1}
		r := s.SpawnSpec(pulse.Spec{Name: "shop", OnPanic: pulse.OnPanicRestart,
			Actor: pulse.Func(func(_ *pulse.Ctx, msg any) {
				kept[0] = 2
				panic(msg)
			})})
		s.Send(r, blast{})
		s.Send(s.Spawn("till", pulse.Func(idle)), kept)
		s.Run()
		return s.Failure()
	}},
	{name: "nothing is said when nobody asks", do: func(s *pulse.System) *pulse.Failure {
		kept := []int{1}
		s.Send(s.Spawn("shop", pulse.Func(idle)), kept)
		kept[0] = 2
		s.Run()
		return s.Failure()
	}},
}

// A node is part of a message that has circles.
type node struct {
	name  string
	next  *node
	prev  *node
	links []*node
	named map[string]*node
}

// ring links nodes in a circle, in both directions.
func ring(n int) *node {
	first := &node{name: "0"}
	last := first
	for i := 1; i < n; i++ {
		last.next = &node{name: fmt.Sprint(i), prev: last}
		last = last.next
	}
	last.next, first.prev = first, last
	return first
}

// mesh returns a node of a graph of n nodes in which each node refers to every
// node.
func mesh(n int) *node {
	all := make([]*node, n)
	for i := range all {
		all[i] = &node{name: fmt.Sprint(i), named: map[string]*node{}}
	}
	for _, x := range all {
		for _, y := range all {
			x.links = append(x.links, y)
			x.named[y.name] = y
		}
	}
	return all[0]
}

// named returns a node of a graph like mesh, but the nodes refer to each other
// only through maps.
func named(n int) *node {
	first := mesh(n)
	for _, x := range first.links {
		defer func() { x.links = nil }()
	}
	return first
}

// ladder returns a ladder of nodes with two ways from each to the next, so it has 2ⁿ paths.
func ladder(n int) *node {
	x := &node{name: "end"}
	for range n {
		x = &node{next: x, prev: x}
	}
	return x
}

// locked has a lock, and fields that only its methods may use.
type locked struct {
	mu sync.Mutex
	n  int
}

// messages returns messages of many types. No program changes them.
func messages(r pulse.Ref) []any {
	inner := map[string]any{}
	inner["itself"] = inner
	list := []any{1, nil}
	list[1] = list
	return []any{
		nil, 1, "text", 2.5, 1i, true, [3]int{1, 2, 3}, struct{}{}, &struct{}{},
		r, &r, []pulse.Ref{r}, map[pulse.Ref]int{r: 1},
		func() {}, make(chan int), struct{ f func() }{func() {}},
		time.Unix(1, 2), time.Unix(1, 2).In(time.FixedZone("there", 3600)), time.Second, []time.Time{time.Unix(5, 6)},
		&locked{n: 1}, &sync.Mutex{}, &sync.WaitGroup{}, context.Background(), errors.New("error"),
		bytes.NewBufferString("text"), reflect.TypeFor[int](),
		&displayed{}, (*node)(nil), ring(3), mesh(30), named(9), ladder(60), inner, list,
		[]int(nil), map[string]int(nil), map[any]any{nil: nil, 1: "x", "y": 2.0, [1]int{1}: true},
	}
}

// TestNoFalseAlarm: unchanged messages are not reported as changed.
func TestNoFalseAlarm(t *testing.T) {
	s := pulse.New(pulse.Options{Isolation: true})
	defer s.Close()
	r := s.Spawn("shop", pulse.Func(idle))
	all := messages(r)
	forward := s.Spawn("till", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		ctx.Send(r, msg)
		if m, ok := msg.(*locked); ok { // a change of a lock is not reported
			m.mu.TryLock()
		}
	}))
	for range 3 {
		for _, m := range all {
			s.Send(forward, m)
		}
	}
	s.Run()
	if f := s.Failure(); f != nil || s.Steps() != 6*len(all) {
		t.Errorf("%d steps and %v", s.Steps(), f)
	}
}

// TestFingerprintsOfCircles: a circle has the fingerprint of its copy, and a
// different one after any change.
func TestFingerprintsOfCircles(t *testing.T) {
	for name, make := range map[string]func() *node{
		"ring":   func() *node { return ring(5) },
		"mesh":   func() *node { return mesh(30) },
		"ladder": func() *node { return ladder(50) },
		"named":  func() *node { return named(9) },
	} {
		x, y := make(), make()
		before := (&value.Walker{}).Fingerprint(x)
		if before != (&value.Walker{}).Fingerprint(y) {
			t.Errorf("%s: two that are equal have two fingerprints", name)
		}
		end := y
		for end.next != nil && end.next != y {
			end = end.next
		}
		if len(y.links) > 0 {
			end = y.links[len(y.links)-1]
		}
		if y.named["1"] != nil {
			end = y.named["1"]
		}
		end.name = "changed"
		if before == (&value.Walker{}).Fingerprint(y) {
			t.Errorf("%s: a change is not seen", name)
		}
	}
	if (&value.Walker{}).Fingerprint(ring(3)) == (&value.Walker{}).Fingerprint(ring(4)) {
		t.Error("rings of 3 and of 4 have one fingerprint")
	}
}
