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
	labelRunes = 80 // maximum length of a label in runes
	labelDepth = 5  // maximum depth of nested structs, slices and maps
	labelPath  = 20 // maximum number of nested pointers and maps
	cut        = "…"
)

// An Operation is a message by which a hosted actor takes its next step. Its text, and not its
// type, says what the actor does. Its String method must return at once, and must not panic.
type Operation interface {
	fmt.Stringer
	IsOperation()
}

// Label returns a message as one line, such as flush, write(1) or set(key: "a",
// value: 3).
//
// A struct is printed as its type's name without the package, with its fields. If
// it has several fields, they have names. A pointer is printed as its target. A
// value with an Error or String method is printed as the method's result. If the
// method fails, the fields and the reason are printed. Maps are sorted and
// addresses are omitted, so a message has the same label in every run.
func Label(body any) string {
	p := printer{left: labelRunes}
	p.value(reflect.ValueOf(body), true)
	return p.text.String()
}

// stateRunes is the maximum length of the text of an actor's state.
const stateRunes = 400

// StateLabel returns the state of an actor as one line. The line can be longer
// than a Label and always has field names, as in server(value: 3, waiting:
// [client]). Types for which hidden returns true are printed by name only.
func StateLabel(state any, hidden func(reflect.Type) bool) string {
	p := printer{left: stateRunes, hidden: hidden}
	p.value(reflect.ValueOf(state), true)
	return p.text.String()
}

// A Field is one field of an actor's state as text. Name is empty for text that
// belongs to no field.
type Field struct{ Name, Text string }

// StateFields returns the fields of an actor's state, each formatted as
// StateLabel does. It returns nil unless the state is, or points to, a struct
// without an Error or String method.
func StateFields(state any, hidden func(reflect.Type) bool) (list []Field) {
	v := reflect.ValueOf(state)
	var path []place
	for range labelPath {
		if isNil(v) || hidden(v.Type()) {
			return nil
		}
		if text, fault := methodText(v); text != "" || fault != "" {
			return nil
		}
		if v.Kind() != reflect.Pointer && v.Kind() != reflect.Interface {
			break
		}
		if v.Kind() == reflect.Pointer {
			path = append(path, place{v.UnsafePointer(), v.Type()})
		}
		v = v.Elem()
	}
	if v.Kind() != reflect.Struct {
		return nil
	}
	v = addressable(v)
	for i := range v.NumField() {
		if of := v.Type().Field(i); of.Name != "_" {
			p := printer{left: stateRunes, hidden: hidden, depth: 1, path: path[:len(path):len(path)]}
			p.value(fieldOf(v, i), false)
			list = append(list, Field{of.Name, p.text.String()})
		}
	}
	return list
}

// fieldOf returns field i of an addressable struct. It reads the field by
// address, so that reflect allows method calls on the value of an unexported
// field.
func fieldOf(v reflect.Value, i int) reflect.Value {
	return reflect.NewAt(v.Type().Field(i).Type, unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
}

// A printer writes one label.
//
// Invariant: no value that it formats has reflect's read-only flag for unexported
// fields, so it may call the methods of all values.
type printer struct {
	text  strings.Builder
	left  int     // the number of runes that may still be written
	full  bool    // set if the label was cut
	depth int     // the number of structs, slices and maps around the current value
	path  []place // the pointers and maps around the current value
	keep  bool    // set if the printer records parts, and cuts only before them
	parts []Part
	place string // the place of the innermost part around the current value: see Part
	count int    // the number of parts of that part so far

	hidden func(reflect.Type) bool // reports whether a type is printed by name only; nil when the printer writes a message
}

// A place identifies a value by address and type. The type distinguishes a struct
// from its first field, which has the same address.
type place struct {
	address unsafe.Pointer
	of      reflect.Type
}

func (p *printer) write(s string) {
	if p.keep {
		p.left -= utf8.RuneCountInString(s)
		p.text.WriteString(s)
		return
	}
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

// value writes v. If typed is set, it also writes the name of v's type. typed is
// set if the surrounding text does not contain the type.
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
	if p.hidden != nil && p.hidden(v.Type()) {
		p.write(typeLabel(v.Type()))
		return
	}
	text, fault := methodText(v)
	if text != "" {
		p.whole(oneLine(first(text, max(p.left, labelRunes)+1))) // cut first, because escaping a long text is slow
		return
	}
	p.bare(v, typed)
	if fault != "" {
		p.write(" (" + fault + ")")
	}
}

// bare writes v without calling its methods.
func (p *printer) bare(v reflect.Value, typed bool) {
	switch v.Kind() {
	case reflect.Pointer:
		p.around(v, func() { p.value(v.Elem(), typed) })
	case reflect.Struct:
		p.nested(func() { p.fields(v) })
	default:
		p.named(v, typed)
	}
}

// named writes a value that is not a struct. If typed is set and the type has a
// name, it writes name(value).
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
		p.whole(plain(v))
	}
}

// nested calls show one level deeper. At the maximum depth it writes "…" instead.
func (p *printer) nested(show func()) {
	if p.depth == labelDepth {
		p.write(cut)
		return
	}
	p.depth++
	show()
	p.depth--
}

// around calls show, which writes the target of the pointer or map v. If v
// contains itself or is nested too deeply, it writes "…" instead.
func (p *printer) around(v reflect.Value, show func()) {
	at := place{v.UnsafePointer(), v.Type()}
	if len(p.path) == labelPath || slices.Contains(p.path, at) {
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
	before, named := "(", shownFields(v.Type()) > 1
	for i := range v.NumField() {
		of := v.Type().Field(i)
		if of.Name == "_" || p.full {
			continue
		}
		p.write(before)
		before = ", "
		p.part(func() {
			if (named || p.hidden != nil) && !of.Anonymous {
				p.write(of.Name + ": ")
			}
			p.value(fieldOf(v, i), false)
		})
	}
	if before != "(" {
		p.write(")")
	}
}

// shownFields returns the number of fields of t that are not named _.
func shownFields(t reflect.Type) (n int) {
	for i := range t.NumField() {
		if t.Field(i).Name != "_" {
			n++
		}
	}
	return n
}

func (p *printer) list(v reflect.Value) {
	if text, ok := textBytes(v); ok {
		p.whole(quoted(text))
		return
	}
	p.write("[")
	for i := range v.Len() {
		if p.full {
			break
		}
		if i > 0 {
			p.write(" ")
		}
		p.part(func() { p.value(v.Index(i), false) })
	}
	p.write("]")
}

func (p *printer) entries(v reflect.Value) {
	p.write("map[")
	for i, e := range p.sorted(v) {
		if p.full {
			break
		}
		if i > 0 {
			p.write(" ")
		}
		p.part(func() {
			p.write(e.key)
			p.write(":")
			p.value(e.value, false)
		})
	}
	p.write("]")
}

// An entry is a map entry, with its key as text.
type entry struct {
	key   string
	value reflect.Value
}

// sorted returns the entries of a map, sorted by the texts of their keys and then
// of their values.
func (p *printer) sorted(v reflect.Value) []entry {
	var all []entry
	for i := v.MapRange(); i.Next(); {
		all = append(all, entry{p.textOf(i.Key()), i.Value()})
	}
	slices.SortFunc(all, func(a, b entry) int {
		if order := cmp.Compare(a.key, b.key); order != 0 {
			return order
		}
		return cmp.Compare(p.textOf(a.value), p.textOf(b.value))
	})
	return all
}

// textOf returns the text of a value that is nested in the current value.
func (p *printer) textOf(v reflect.Value) string {
	q := printer{left: labelRunes, depth: p.depth, path: slices.Clone(p.path), hidden: p.hidden}
	q.value(v, false)
	return q.text.String()
}

// methodText returns the result of v's Error or String method, or "" if v has
// none. If the method failed, fault says why.
func methodText(v reflect.Value) (text, fault string) {
	if !v.CanInterface() {
		return "", ""
	}
	switch own := v.Interface().(type) {
	case Operation:
		return own.String(), ""
	case error:
		return Said(own, "Error", own.Error)
	case fmt.Stringer:
		return Said(own, "String", own.String)
	}
	return "", ""
}

// Thrown returns a panic value as text: the result of its Error or String method,
// else its Label. It prints no addresses.
func Thrown(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case error:
		if text, fault := Said(v, "Error", v.Error); fault == "" {
			return text
		}
	case fmt.Stringer:
		if text, fault := Said(v, "String", v.String); fault == "" {
			return text
		}
	}
	return Label(v)
}

// plain returns the text of a value that contains no other values.
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

// onlyType reports whether values of kind k are printed by type only, because
// they may be addresses.
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

// addressable returns v if it is addressable, or an addressable copy.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// textBytes returns v as text, and whether v is a non-empty slice of bytes that
// is printable text.
func textBytes(v reflect.Value) (string, bool) {
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint8 || v.Len() == 0 {
		return "", false
	}
	text := string(v.Bytes())
	return text, utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0
}

// quoted returns s as a Go string literal. It cuts s first, because a label is
// short.
func quoted(s string) string {
	const most = (labelRunes + 1) * utf8.UTFMax
	return strconv.Quote(s[:min(len(s), most)])
}

// first returns the first n runes of s.
func first(s string, n int) string {
	for i := range s {
		if n == 0 {
			return s[:i]
		}
		n--
	}
	return s
}

// oneLine returns s with every rune escaped that is unprintable or ends a line.
func oneLine(s string) string { return escaped(s, hidden) }

// Visible returns a text with unprintable runes escaped, except line ends and
// tabs. Program output then cannot move the cursor of a terminal.
func Visible(text string) string {
	return escaped(text, func(r rune) bool { return hidden(r) && r != '\n' && r != '\t' })
}

// escaped returns s with every rune escaped for which bad returns true.
func escaped(s string, bad func(rune) bool) string {
	if utf8.ValidString(s) && strings.IndexFunc(s, bad) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if bad(r) {
			b.WriteString(strings.Trim(strconv.QuoteRune(r), "'"))
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

func hidden(r rune) bool { return !unicode.IsPrint(r) }
