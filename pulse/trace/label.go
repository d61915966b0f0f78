package trace

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
	"unsafe"
)

const (
	labelRunes = 80 // a label is cut after so many
	labelDepth = 5  // structs, slices and maps are shown down to this depth
	cut        = "…"
)

// Label shows a message on one line: flush, write(1), set("a", 3).
//
// A struct is its type's name without the package and its fields; a pointer
// is what it points to; whatever has an Error or String method is what that
// says. Nothing is shown by address and maps are sorted, so that the same
// message has the same label in every run.
func Label(body any) string {
	p := printer{left: labelRunes}
	p.value(reflect.ValueOf(body), true)
	return p.text.String()
}

// TypeLabel shows only the type of a message: the name without the package.
func TypeLabel(body any) string {
	if body == nil {
		return "nil"
	}
	return typeLabel(reflect.TypeOf(body))
}

// A printer writes one label.
//
// Invariant: every value that it comes to was reached without the read-only
// mark that reflect puts on unexported fields, so its methods may be called.
type printer struct {
	text  strings.Builder
	left  int     // runes that may still be written
	full  bool    // more was written than fits
	depth int     // structs, slices and maps around the current value
	path  []place // pointers and maps around the current value
}

// A place is where a value is. The type belongs to it because a struct and its
// first field have one address.
type place struct {
	address unsafe.Pointer
	of      reflect.Type
}

func (p *printer) write(s string) {
	for _, r := range s {
		if p.full {
			return
		}
		if p.left == 0 {
			p.full = true
			p.text.WriteString(cut)
			return
		}
		p.left--
		p.text.WriteRune(r)
	}
}

// value writes v. The name of v's type is written too when typed is set: when
// nothing around v says what type it has.
func (p *printer) value(v reflect.Value, typed bool) {
	if p.full {
		return
	}
	if isNil(v) {
		p.write("nil")
		return
	}
	if v.Kind() == reflect.Interface {
		p.value(v.Elem(), true)
		return
	}
	if text := ownText(v); text != "" {
		p.write(oneLine(text))
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		p.around(v, func() { p.value(v.Elem(), typed) })
	case reflect.Struct:
		p.nested(func() { p.fields(v) })
	default:
		p.named(v, typed)
	}
}

// named writes a value that is not a struct, inside name() if its type has a
// name of its own and typed is set.
func (p *printer) named(v reflect.Value, typed bool) {
	if !typed || v.Type().PkgPath() == "" || onlyType(v.Kind()) {
		p.content(v)
		return
	}
	p.write(typeLabel(v.Type()) + "(")
	p.content(v)
	p.write(")")
}

func (p *printer) content(v reflect.Value) {
	switch v.Kind() {
	case reflect.Slice, reflect.Array:
		p.nested(func() { p.list(v) })
	case reflect.Map:
		p.nested(func() { p.around(v, func() { p.entries(v) }) })
	default:
		p.write(plain(v))
	}
}

// nested runs show one level deeper, or cuts.
func (p *printer) nested(show func()) {
	if p.depth == labelDepth {
		p.write(cut)
		return
	}
	p.depth++
	show()
	p.depth--
}

// around runs show inside the pointer or map v, or cuts when v is already
// around: a cycle.
func (p *printer) around(v reflect.Value, show func()) {
	at := place{v.UnsafePointer(), v.Type()}
	if slices.Contains(p.path, at) {
		p.write(cut)
		return
	}
	p.path = append(p.path, at)
	show()
	p.path = p.path[:len(p.path)-1]
}

func (p *printer) fields(v reflect.Value) {
	v = addressable(v)
	p.write(typeLabel(v.Type()))
	before := "("
	for i := range v.NumField() {
		if v.Type().Field(i).Name == "_" {
			continue
		}
		p.write(before)
		before = ", "
		field := v.Field(i)
		// Made anew from its address, an unexported field may be read like
		// an exported one.
		p.value(reflect.NewAt(field.Type(), unsafe.Pointer(field.UnsafeAddr())).Elem(), false)
	}
	if before != "(" {
		p.write(")")
	}
}

func (p *printer) list(v reflect.Value) {
	if text, ok := textBytes(v); ok {
		p.write(quoted(text))
		return
	}
	p.write("[")
	for i := range v.Len() {
		if p.full {
			return
		}
		if i > 0 {
			p.write(" ")
		}
		p.value(v.Index(i), false)
	}
	p.write("]")
}

func (p *printer) entries(v reflect.Value) {
	p.write("map[")
	for i, e := range p.sorted(v) {
		if p.full {
			return
		}
		if i > 0 {
			p.write(" ")
		}
		p.write(e.key)
		p.write(":")
		p.value(e.value, false)
	}
	p.write("]")
}

// An entry is one entry of a map, its key as text.
type entry struct {
	key   string
	value reflect.Value
}

// sorted returns a map's entries by the text of their keys, and of their
// values where keys look alike.
func (p *printer) sorted(v reflect.Value) []entry {
	var all []entry
	for i := v.MapRange(); i.Next(); {
		all = append(all, entry{p.apart(i.Key()), i.Value()})
	}
	slices.SortFunc(all, func(a, b entry) int {
		if order := cmp.Compare(a.key, b.key); order != 0 {
			return order
		}
		return cmp.Compare(p.apart(a.value), p.apart(b.value))
	})
	return all
}

// apart returns the text of a value inside the current one.
func (p *printer) apart(v reflect.Value) string {
	q := printer{left: labelRunes, depth: p.depth, path: slices.Clone(p.path)}
	q.value(v, false)
	return q.text.String()
}

// ownText is what v's Error or String method says: "" when it has none, or
// the method panics.
func ownText(v reflect.Value) (text string) {
	if !v.CanInterface() {
		return ""
	}
	defer func() {
		if recover() != nil {
			text = "" // the message is shown like any other
		}
	}()
	switch own := v.Interface().(type) {
	case error:
		return own.Error()
	case fmt.Stringer:
		return own.String()
	}
	return ""
}

// plain shows a value that holds no others.
func plain(v reflect.Value) string {
	switch v.Kind() {
	case reflect.String:
		return quoted(v.String())
	case reflect.Bool:
		return strconv.FormatBool(v.Bool())
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return strconv.FormatInt(v.Int(), 10)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return strconv.FormatUint(v.Uint(), 10)
	case reflect.Float32, reflect.Float64:
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	case reflect.Complex64, reflect.Complex128:
		return strconv.FormatComplex(v.Complex(), 'g', -1, v.Type().Bits())
	}
	return typeLabel(v.Type())
}

// onlyType says whether a value of kind k is shown by its type because what
// it holds is an address, or may be one.
func onlyType(k reflect.Kind) bool {
	switch k {
	case reflect.Func, reflect.Chan, reflect.UnsafePointer, reflect.Uintptr:
		return true
	}
	return false
}

func isNil(v reflect.Value) bool {
	switch v.Kind() {
	case reflect.Invalid:
		return true
	case reflect.Pointer, reflect.Interface, reflect.Func, reflect.Chan, reflect.UnsafePointer:
		return v.IsNil()
	}
	return false
}

// addressable returns v, or a copy of it, in a place that has an address.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// textBytes returns the text that a slice of bytes holds, if it is one.
func textBytes(v reflect.Value) (string, bool) {
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint8 || v.Len() == 0 {
		return "", false
	}
	text := string(v.Bytes())
	return text, utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0
}

// quoted quotes s, or as much of it as a label can hold.
func quoted(s string) string {
	const most = (labelRunes + 1) * utf8.UTFMax
	return strconv.Quote(s[:min(len(s), most)])
}

// oneLine returns s with what would not show on one line of text escaped.
func oneLine(s string) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, hidden) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if hidden(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }
