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
	labelRunes = 80 // a label is cut after so many runes
	labelDepth = 5  // structs, slices and maps are shown down to this depth
	labelPath  = 20 // what lies behind so many pointers and maps is not shown
	cut        = "…"
)

// Label returns a message as one line: flush, write(1), set(key: "a", value: 3).
//
// A struct is shown by its type's name without the package and by its fields, which have
// their names if there are several. A pointer is shown by what it points to, and a value
// with an Error or String method by the result of that method. If Said gets none, the
// fields are shown, and the label says why. No addresses are shown and maps are sorted, so
// that the same message has the same label in every run.
func Label(body any) string {
	p := printer{left: labelRunes}
	p.value(reflect.ValueOf(body), true)
	return p.text.String()
}

// stateRunes is after how many runes the text of a state is cut.
const stateRunes = 400

// StateLabel returns what an actor keeps as Label does, but longer and with the
// names of fields: server(value: 3, waiting: [client]). Of types for which hidden
// holds only the name is shown.
func StateLabel(state any, hidden func(reflect.Type) bool) string {
	p := printer{left: stateRunes, hidden: hidden}
	p.value(reflect.ValueOf(state), true)
	return p.text.String()
}

// A Field is one field of what an actor keeps, in words. Text that belongs to no field
// has no name.
type Field struct{ Name, Text string }

// StateFields returns the fields of what an actor keeps, each as StateLabel would show
// it. There are none unless that is a struct, or leads to one, which does not say by a
// method of its own what it is.
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

// fieldOf returns a field of a struct that has an address. Made from its own address, the
// value of an unexported field has no read-only mark.
func fieldOf(v reflect.Value, i int) reflect.Value {
	return reflect.NewAt(v.Type().Field(i).Type, unsafe.Pointer(v.Field(i).UnsafeAddr())).Elem()
}

// TypeLabel returns the type of a message: the name without the package.
func TypeLabel(body any) string {
	if body == nil {
		return "nil"
	}
	return typeLabel(reflect.TypeOf(body))
}

// A printer writes one label.
//
// Invariant: no value that it meets has the read-only mark that reflect puts on
// unexported fields, so the methods of all values may be called.
type printer struct {
	text  strings.Builder
	left  int     // runes that may still be written
	full  bool    // the label was cut
	depth int     // structs, slices and maps around the current value
	path  []place // pointers and maps around the current value

	hidden func(reflect.Type) bool // of a state: types of which only the name is shown; nil for a message
}

// A place is where a value is. It has the type too, because a struct and its
// first field have the same address.
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

// value writes v. With typed it also writes the name of v's type, which nothing
// around v shows then.
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
		p.write(oneLine(first(text, p.left+1))) // what is cut off need not be escaped
		return
	}
	p.bare(v, typed)
	if fault != "" {
		p.write(" (" + fault + ")")
	}
}

// bare writes v without asking its methods.
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

// named writes a value that is not a struct. If its type has a name and typed is
// set, the value is written as name(value).
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

// nested calls show one level deeper; at the deepest level it writes the cut
// mark.
func (p *printer) nested(show func()) {
	if p.depth == labelDepth {
		p.write(cut)
		return
	}
	p.depth++
	show()
	p.depth--
}

// around calls show inside the pointer or map v. If v is inside itself, or
// behind too many pointers, it writes the cut mark.
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
		if of.Name == "_" {
			continue
		}
		p.write(before)
		before = ", "
		if (named || p.hidden != nil) && !of.Anonymous {
			p.write(of.Name + ": ")
		}
		p.value(fieldOf(v, i), false)
	}
	if before != "(" {
		p.write(")")
	}
}

// shownFields returns how many fields of a struct are shown.
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

// sorted returns the entries of a map, sorted by the text of their keys, then by
// the text of their values.
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

// textOf returns the text of a value inside the current one.
func (p *printer) textOf(v reflect.Value) string {
	q := printer{left: labelRunes, depth: p.depth, path: slices.Clone(p.path), hidden: p.hidden}
	q.value(v, false)
	return q.text.String()
}

// methodText returns the result of v's Error or String method, "" when v has
// none. Fault says what the method did instead of returning.
func methodText(v reflect.Value) (text, fault string) {
	if !v.CanInterface() {
		return "", ""
	}
	switch own := v.Interface().(type) {
	case error:
		return Said(own, "Error", own.Error)
	case fmt.Stringer:
		return Said(own, "String", own.String)
	}
	return "", ""
}

// Thrown shows what was panicked with as text: what its own Error or String says, or
// its Label. It shows nothing by its address.
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

// plain returns the text of a value that holds no others.
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

// onlyType reports whether a value of kind k is shown by its type only, because
// it is or may be an address.
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

// addressable returns v if it has an address, else a copy that has one.
func addressable(v reflect.Value) reflect.Value {
	if v.CanAddr() {
		return v
	}
	c := reflect.New(v.Type()).Elem()
	c.Set(v)
	return c
}

// textBytes returns the text that v holds, if v is a slice of bytes that is
// printable text.
func textBytes(v reflect.Value) (string, bool) {
	if v.Kind() != reflect.Slice || v.Type().Elem().Kind() != reflect.Uint8 || v.Len() == 0 {
		return "", false
	}
	text := string(v.Bytes())
	return text, utf8.ValidString(text) && strings.IndexFunc(text, hidden) < 0
}

// quoted returns s in quotes, cut to what a label can hold.
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

// oneLine returns s with all runes escaped that cannot be printed on one line.
func oneLine(s string) string { return escaped(s, hidden) }

// Visible returns a text of several lines with all runes escaped that cannot be
// printed: what a program says must not move the cursor of a terminal.
func Visible(text string) string {
	return escaped(text, func(r rune) bool { return hidden(r) && r != '\n' && r != '\t' })
}

// escaped returns s with the runes escaped that are bad.
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
