package pulse

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The isolation check keeps a fingerprint of each message on its way and
// compares it after each step. Actors share nothing but messages; a sender
// that kept a pointer into one, or sent one value to two receivers that change
// it, breaks that.

// A guard is what a message looked like when it was sent.
type guard struct {
	send  int32
	print uint64
	text  string
}

// guard starts to watch a message, unless it holds nothing that can be changed.
func (s *traffic) guard(m int32) {
	body := s.mail.sends[m].Body
	if !s.rec.types.of(body).flat {
		s.guards = append(s.guards, guard{m, Fingerprint(body), trace.Label(body)})
	}
}

// checkIsolation compares all messages on their way with what they were.
func (s *traffic) checkIsolation() {
	kept := s.guards[:0]
	for _, g := range s.guards {
		d := &s.mail.sends[g.send]
		if d.Fate != trace.Pending {
			continue
		}
		kept = append(kept, g)
		if Fingerprint(d.Body) != g.print {
			f := s.isolationFailure(d, g)
			s.fails.fail(f)
			panic(f)
		}
	}
	s.guards = kept
}

func (s *traffic) isolationFailure(d *trace.Send, g guard) *Failure {
	t := s.view()
	sender := "the test"
	if d.Step >= 0 {
		sender = fmt.Sprintf("step %d (%s)", d.Step, t.StepLabel(int(d.Step)))
	}
	changer := "the test"
	if s.rec.cur != trace.Test {
		changer = fmt.Sprintf("step %d (%s)", s.rec.step, s.where())
	}
	if changer == sender {
		changer = "it after sending"
	}
	f := &Failure{Kind: KindIsolation, Step: int(s.rec.step), Site: trace.TypeLabel(d.Body),
		Text: fmt.Sprintf("a message from %s to %s was changed on its way: sent as %s, now %s",
			s.rec.nameOf(d.From), s.rec.nameOf(d.To), g.text, trace.Label(d.Body))}
	f.Detail = "    sent by " + sender + ", changed by " + changer +
		"\n    actors share nothing but messages: send a copy, or do not keep what was sent"
	return f
}

// isFlat says that a value of a type holds nothing that others can change.
func isFlat(t reflect.Type) bool {
	if t == reflect.TypeFor[Ref]() {
		return true
	}
	switch t.Kind() {
	case reflect.Array:
		return isFlat(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if !isFlat(t.Field(i).Type) {
				return false
			}
		}
		return true
	case reflect.Pointer, reflect.Map, reflect.Slice, reflect.Interface, reflect.Chan,
		reflect.Func, reflect.UnsafePointer:
		return false
	}
	return true
}

// Fingerprint hashes a value and all that it points to. Equal values have
// equal fingerprints; maps count as sets of entries. Functions, channels and
// what belongs to the machinery of tests and locks count by address only, so
// a fingerprint means nothing outside of the process that made it.
func Fingerprint(v any) uint64 {
	if v == nil {
		return 0
	}
	p := printer{}
	return p.value(reflect.ValueOf(v))
}

// A printer remembers which pointers it has been at, so that it goes behind
// each once: values may have circles, and many ways to one place.
type printer struct {
	inside map[pointer]int    // those that it is behind now, and how many are around them
	known  map[pointer]uint64 // what is behind those that lead to nothing around them
	looped map[pointer]int    // the places in loops of those that do
	loops  []loop
	low    int // the outermost of inside to which anything led
}

// A loop is a pointer that leads back to something around it.
type loop struct {
	at  pointer
	low int // how many pointers are around that
}

type pointer struct {
	addr uintptr
	typ  reflect.Type
	len  int // of a slice
}

// opaque are packages whose values are machinery, not data.
var opaque = map[string]bool{
	"sync": true, "sync/atomic": true, "testing": true, "context": true, "log": true, "log/slog": true,
	"time": true, "github.com/jostle-go/jostle/pulse": true, "github.com/jostle-go/jostle/props": true,
}

func (p *printer) value(v reflect.Value) uint64 {
	h := uint64(v.Kind())
	switch v.Kind() {
	case reflect.Bool:
		if v.Bool() {
			return hash.Fold(h, 1)
		}
		return hash.Fold(h, 0)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return hash.Fold(h, uint64(v.Int()))
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return hash.Fold(h, v.Uint())
	case reflect.Float32, reflect.Float64:
		return hash.Fold(h, hash.String(fmt.Sprint(v.Float())))
	case reflect.Complex64, reflect.Complex128:
		return hash.Fold(h, hash.String(fmt.Sprint(v.Complex())))
	case reflect.String:
		return hash.Fold(h, hash.String(v.String()))
	case reflect.Chan, reflect.Func, reflect.UnsafePointer:
		return hash.Fold(h, uint64(v.Pointer()))
	case reflect.Interface, reflect.Pointer:
		return p.pointed(v, h)
	case reflect.Struct:
		return p.fields(v, h)
	case reflect.Array, reflect.Slice:
		return p.elements(v, h)
	}
	return p.entries(v, h)
}

func (p *printer) pointed(v reflect.Value, h uint64) uint64 {
	if v.IsNil() {
		return h
	}
	if v.Kind() == reflect.Interface {
		return hash.Fold(hash.Fold(h, hash.String(typeName(v.Elem().Type()))), p.value(v.Elem()))
	}
	if opaque[v.Type().Elem().PkgPath()] {
		return hash.Fold(h, uint64(v.Pointer()))
	}
	return p.within(pointer{v.Pointer(), v.Type(), 0}, h, func() uint64 { return p.value(v.Elem()) })
}

// within hashes what is behind a pointer; for one that closes a circle, how far
// up or back it leads. This is Tarjan's way to find what hangs together.
func (p *printer) within(at pointer, h uint64, f func() uint64) uint64 {
	if sum, ok := p.known[at]; ok {
		return hash.Fold(h, sum)
	}
	if around, ok := p.inside[at]; ok {
		p.low = min(p.low, around)
		return hash.Fold(h, uint64(len(p.inside)-around))
	}
	if i, ok := p.looped[at]; ok {
		p.low = min(p.low, p.loops[i].low)
		return hash.Fold(h^copySalt, uint64(len(p.loops)-i))
	}
	if p.inside == nil {
		p.inside, p.known, p.looped = map[pointer]int{}, map[pointer]uint64{}, map[pointer]int{}
	}
	around, low, loops := len(p.inside), p.low, len(p.loops)
	p.inside[at], p.low = around, around
	sum := f()
	delete(p.inside, at)
	if p.low < around {
		p.looped[at] = len(p.loops)
		p.loops = append(p.loops, loop{at, p.low})
		p.low = min(p.low, low)
		return hash.Fold(h, sum)
	}
	for _, l := range p.loops[loops:] {
		delete(p.looped, l.at)
	}
	p.loops, p.low, p.known[at] = p.loops[:loops], low, sum
	return hash.Fold(h, sum)
}

func (p *printer) fields(v reflect.Value, h uint64) uint64 {
	if v.Type() == reflect.TypeFor[Ref]() {
		return hash.Fold(h, uint64(v.FieldByName("actor").Int()))
	}
	if opaque[v.Type().PkgPath()] && v.Type().PkgPath() != "time" {
		return h
	}
	for i := range v.NumField() {
		h = hash.Fold(h, p.value(v.Field(i)))
	}
	return h
}

func (p *printer) elements(v reflect.Value, h uint64) uint64 {
	all := func() uint64 {
		sum := uint64(v.Len())
		for i := range v.Len() {
			sum = hash.Fold(sum, p.value(v.Index(i)))
		}
		return sum
	}
	if v.Kind() == reflect.Slice && v.Len() > 0 {
		return p.within(pointer{v.Pointer(), v.Type(), v.Len()}, h, all)
	}
	return hash.Fold(h, all())
}

func (p *printer) entries(v reflect.Value, h uint64) uint64 {
	return p.within(pointer{v.Pointer(), v.Type(), 0}, h, func() uint64 {
		sum := uint64(v.Len())
		for _, e := range sorted(v) {
			sum += hash.Fold(e.print, p.value(e.value))
		}
		return sum
	})
}

// A mapped is an entry of a map with the fingerprint of its key.
type mapped struct {
	print uint64
	value reflect.Value
}

// sorted lists the entries of a map in an order that is the same in maps that
// are equal: what closes a circle counts by the order in which it is met.
func sorted(v reflect.Value) []mapped {
	list := make([]mapped, 0, v.Len())
	for it := v.MapRange(); it.Next(); {
		list = append(list, mapped{new(printer).value(it.Key()), it.Value()})
	}
	slices.SortFunc(list, func(a, b mapped) int {
		if order := cmp.Compare(a.print, b.print); order != 0 {
			return order
		}
		return cmp.Compare(new(printer).value(a.value), new(printer).value(b.value))
	})
	return list
}
