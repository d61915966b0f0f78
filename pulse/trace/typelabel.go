package trace

import (
	"reflect"
	"strings"
)

// typeLabel returns the name of a type without packages. For a pointer type it
// returns the name of the target type.
func typeLabel(t reflect.Type) string {
	for t.Kind() == reflect.Pointer && t.Name() == "" {
		t = t.Elem()
	}
	switch {
	case t.Name() != "":
		return unqualified(t.Name())
	case t.Kind() == reflect.Struct:
		return "struct"
	}
	return unqualified(t.String())
}

// unqualified removes the packages from a type name, for example from
// pair[int,example.com/a.b], which becomes pair[int,b].
func unqualified(name string) string {
	var b strings.Builder
	for {
		i := strings.IndexAny(name, "[](){}*,; ")
		if i < 0 {
			b.WriteString(base(name))
			return b.String()
		}
		b.WriteString(base(name[:i]))
		b.WriteByte(name[i])
		name = name[i+1:]
	}
}

// base returns a name without its package path. It also removes the suffix that
// the compiler adds to types declared inside functions.
func base(name string) string {
	variadic := strings.HasPrefix(name, "...")
	name = name[strings.LastIndexByte(name, '/')+1:]
	name = name[strings.LastIndexByte(name, '.')+1:]
	name, _, _ = strings.Cut(name, "·")
	if variadic {
		return "..." + name
	}
	return name
}

// TypeLabel returns the name of a message's type, without the package.
func TypeLabel(body any) string {
	if body == nil {
		return "nil"
	}
	return typeLabel(reflect.TypeOf(body))
}
