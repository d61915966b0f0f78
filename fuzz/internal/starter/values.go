package starter

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/types"
	"slices"
	"strings"
)

// deepest limits the depth of nested values.
const deepest = 2

// value returns an expression that draws a value of a type. The value comes from a small set, so
// that equal values occur. If value cannot make such an expression, it returns "".
func (w *writer) value(t types.Type, label string, depth int) string {
	rapid := w.use(w.paths.Rapid, "rapid")
	draw := func(format string, args ...any) string {
		return fmt.Sprintf(format, args...) + fmt.Sprintf(".Draw(%s, %q)", w.rapid, label)
	}
	as := func(want types.Type, expr string) string {
		if types.Identical(t, want) {
			return expr
		}
		return w.name(t) + "(" + expr + ")"
	}
	if depth > deepest || !w.reachable(t) {
		return ""
	}
	if isNamed(t, w.paths.Pulse, "Ref") {
		w.clients = true
		return w.client
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		switch info := u.Info(); {
		case info&types.IsInteger != 0 && u.Kind() != types.UnsafePointer:
			return as(types.Typ[types.Int], draw("%s.IntRange(0, 9)", rapid))
		case info&types.IsFloat != 0:
			return as(types.Typ[types.Float64], draw("%s.Float64Range(0, 9)", rapid))
		case info&types.IsString != 0:
			return as(types.Typ[types.String], draw("%s.SampledFrom([]string{\"a\", \"b\", \"c\"})", rapid))
		case info&types.IsBoolean != 0:
			return as(types.Typ[types.Bool], draw("%s.Bool()", rapid))
		}
	case *types.Struct:
		if s := w.structure(t, u, depth); depth == 0 || !strings.HasSuffix(s, "{}") {
			return s
		}
	case *types.Pointer:
		if s, ok := u.Elem().Underlying().(*types.Struct); ok && types.Identical(t, u) && depth < deepest {
			return "&" + w.structure(u.Elem(), s, depth)
		}
	case *types.Slice:
		if elem := w.value(u.Elem(), label, depth+1); elem != "" {
			return w.name(t) + "{" + elem + "}"
		}
		return w.name(t) + "{}"
	case *types.Map:
		return w.name(t) + "{}"
	case *types.Signature:
		if w.reachable(u) {
			return as(u, w.function(u))
		}
	case *types.Interface:
		if u.Empty() {
			return draw("%s.IntRange(0, 9)", rapid)
		}
		if list := w.implementers(u); len(list) > 0 && w.types.Scope().Lookup(nameOf(t)) != nil {
			return w.value(list[0].typ, label, depth+1)
		}
	}
	return ""
}

// function returns a function literal that returns zero values.
func (w *writer) function(s *types.Signature) string {
	var in, out, zero []string
	for v := range s.Params().Variables() {
		in = append(in, w.name(v.Type()))
	}
	if n := len(in) - 1; s.Variadic() {
		in[n] = "..." + strings.TrimPrefix(in[n], "[]")
	}
	body := "{}"
	for v := range s.Results().Variables() {
		out, zero = append(out, w.name(v.Type())), append(zero, "*new("+w.name(v.Type())+")")
		body = "{ return " + strings.Join(zero, ", ") + " }"
	}
	return "func(" + strings.Join(in, ", ") + ") (" + strings.Join(out, ", ") + ") " + body
}

// nameOf returns the name of a type, "" if it has none.
func nameOf(t types.Type) string {
	if n, ok := types.Unalias(t).(*types.Named); ok {
		return n.Obj().Name()
	}
	return ""
}

// settable reports whether a composite literal in the package can set a field.
func (w *writer) settable(f *types.Var) bool {
	return f.Name() != "_" && (f.Exported() || f.Pkg() == w.types)
}

// structure returns a composite literal of a struct type, or "" if the type is not reachable. The
// literal sets the fields for which the method value returns an expression.
func (w *writer) structure(t types.Type, s *types.Struct, depth int) string {
	if !w.reachable(t) {
		return ""
	}
	var fields []string
	for f := range s.Fields() {
		if !w.settable(f) {
			continue
		}
		if v := w.value(f.Type(), f.Name(), depth+1); v != "" {
			fields = append(fields, f.Name()+": "+v)
		}
	}
	return w.name(t) + "{" + strings.Join(fields, ", ") + "}"
}

// message returns an expression for a message of the kind s.
func (w *writer) message(s sight) string {
	switch e := s.constant.(type) {
	case *ast.Ident:
		return e.Name
	case *ast.BasicLit:
		return e.Value
	}
	if v := w.value(s.typ, cmp.Or(nameOf(s.typ), "value"), 0); v != "" {
		return v
	}
	return "*new(" + w.name(s.typ) + ")"
}

// made returns an expression that creates an actor. The expression calls the function NewName or
// New if the generated file can supply the arguments. Otherwise it is a composite literal that
// initializes the maps of the actor. The result address is true if the expression is not a pointer.
// Then its address must be taken.
func (w *writer) made(a *Actor) (expr string, address bool) {
	for _, name := range w.types.Scope().Names() {
		f, ok := w.types.Scope().Lookup(name).(*types.Func)
		if !ok || !slices.Contains([]string{"new" + strings.ToLower(a.Name), "new"}, strings.ToLower(name)) {
			continue
		}
		s := f.Signature()
		if s.TypeParams().Len() > 0 || s.Results().Len() != 1 {
			continue
		}
		pointer, isPointer := s.Results().At(0).Type().(*types.Pointer)
		if isPointer && !types.Identical(pointer.Elem(), a.named) || !isPointer && !types.Identical(s.Results().At(0).Type(), a.named) {
			continue
		}
		if args, ok := w.arguments(s); ok {
			return name + "(" + strings.Join(args, ", ") + ")", !isPointer
		}
	}
	switch u := a.named.Underlying().(type) {
	case *types.Struct:
		var fields []string
		for f := range u.Fields() {
			if !w.settable(f) {
				continue
			}
			if _, isMap := f.Type().Underlying().(*types.Map); isMap && w.reachable(f.Type()) {
				fields = append(fields, f.Name()+": "+w.name(f.Type())+"{}")
			} else if isNamed(f.Type(), w.paths.Pulse, "Ref") {
				w.clients = true
				fields = append(fields, f.Name()+": "+w.client)
			}
		}
		return "&" + a.Name + "{" + strings.Join(fields, ", ") + "}", false
	case *types.Map:
		return "&" + a.Name + "{}", false
	}
	return "new(" + a.Name + ")", false
}

// arguments returns arguments for a function, and whether all its parameters have simple types.
func (w *writer) arguments(s *types.Signature) (args []string, ok bool) {
	clients := w.clients
	for i := range s.Params().Len() {
		t := s.Params().At(i).Type()
		if s.Variadic() && i == s.Params().Len()-1 {
			break
		}
		switch u := t.Underlying().(type) {
		case *types.Basic:
			switch info := u.Info(); {
			case info&types.IsNumeric != 0:
				args = append(args, "1")
			case info&types.IsString != 0:
				args = append(args, `"a"`)
			case info&types.IsBoolean != 0:
				args = append(args, "true")
			default:
				return nil, false
			}
		case *types.Slice:
			args = append(args, "nil")
		default:
			if !isNamed(t, w.paths.Pulse, "Ref") {
				return nil, false
			}
			clients = true
			args = append(args, w.client)
		}
	}
	w.clients = clients
	return args, true
}
