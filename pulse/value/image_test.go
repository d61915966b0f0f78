package value_test

import (
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/value"
)

type pictured struct {
	n     int
	name  string
	list  []int
	names []string
	at    map[string]*pictured
	next  *pictured
	any   any
	two   [2]*int
	b     strings.Builder
}

// TestImage checks that Restore restores the old contents of the memory that values
// refer to, at the same addresses.
func TestImage(t *testing.T) {
	one := 1
	p := &pictured{n: 1, name: "a", list: make([]int, 2, 4), names: []string{"x", "y"}, two: [2]*int{&one, &one}}
	p.next = &pictured{n: 2, next: p, any: []any{map[int][]int{1: {2}}, time.UTC}}
	p.at = map[string]*pictured{"next": p.next, "nil": nil}
	p.any = p.list[1:]
	p.b.WriteString("text")
	show := func() string {
		return fmt.Sprint(p.n, p.name, p.list[:4], p.names, len(p.at), p.at["next"] == p.next, p.next.n, p.next.next == p, p.next.any, p.any, *p.two[0], p.two[0] == p.two[1], p.b.String())
	}
	want, at, list := show(), p.at, p.list
	w, m := &value.Walker{}, &value.Image{}
	for range 3 {
		if m.Begin(w); !m.Add(p) || !m.Add([]any{1, "text", p, nil}) {
			t.Fatal("no image")
		}
		p.n, p.name, one = 7, "b", 9
		p.list[1], p.names[0] = 5, "z"
		p.list = append(p.list, 6)
		p.list = append(p.list, 1, 2, 3)
		p.at["more"], p.at["next"] = p, nil
		p.next.next, p.next.n = nil, 8
		p.next.any.([]any)[0].(map[int][]int)[1][0] = 3
		p.any, p.two[1], p.next = nil, new(int), &pictured{}
		p.b.WriteString(" and more")
		m.Restore()
		if got := show(); got != want || unsafe.SliceData(p.list) != unsafe.SliceData(list) || reflect.ValueOf(p.at).Pointer() != reflect.ValueOf(at).Pointer() {
			t.Fatalf("restored\n%s, want\n%s", got, want)
		}
	}
}

// TestNoImage lists values that cannot be copied.
func TestNoImage(t *testing.T) {
	type tool struct{ _ *int }
	w := &value.Walker{
		Role: func(t reflect.Type) value.Role {
			if t == reflect.TypeFor[tool]() {
				return value.RoleTool
			}
			return value.RoleData
		},
	}
	var deep any
	for range 20_000 {
		deep = []any{deep}
	}
	for _, v := range []any{func() {}, make(chan int), unsafe.Pointer(&w), t, &tool{}, tool{}, struct{ t tool }{}, []any{[1]func(){func() {}}},
		map[string]any{"t": t}, &struct{ f func() }{func() {}}, struct{ p *tool }{&tool{}}, struct{ f func() }{func() {}}, deep} {
		m := &value.Image{}
		if m.Begin(w); m.Add(v) {
			t.Errorf("an image of %T", v)
		}
	}
	w = &value.Walker{Role: w.Role, Kept: func(reflect.Type) bool { return true }}
	for _, v := range []any{nil, (func())(nil), (chan int)(nil), &tool{}, struct{ f func() }{}, struct{ m map[string]int }{map[string]int{}}, &struct{}{}, []struct{}{{}}, time.Now()} {
		m := &value.Image{}
		if m.Begin(w); !m.Add(v) {
			t.Errorf("no image of %T", v)
		}
	}
}
