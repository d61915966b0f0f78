package stack

import (
	"path"
	"strings"
)

// Name returns the name that a function has for people and in signatures,
// given the one that the runtime has for it.
//
// A declared function or method keeps its name, with the last element of its
// package's path: pkg.F, pkg.(*T).M. A function literal is called after the
// declared function that it is written in: "func in F", "func in M". The body
// of a loop over a function is a literal to the compiler: "loop in F".
//
// The name of a literal has no package, no receiver and no number, because an
// inlined function takes its literals along. One written in F of package a,
// which is inlined into a literal of G of package b, is b.G.func2.F.func3 to
// the runtime, and a.F.func1 when nothing is inlined: numbers and package are
// those of the place where the code has got to. Functions without literals
// keep their names when they are inlined.
func Name(function string) string {
	pkg, parts := split(function)
	last := len(parts) - 1
	if last < 0 {
		return path.Base(function)
	}
	parts[last] = strings.TrimSuffix(parts[last], "-fm") // of a method value
	if !isLiteral(parts) {
		if last > 0 && parts[last-1] == "init" { // pkg.init.0 and so on are the functions init of a package
			last--
		}
		return path.Base(pkg) + "." + strings.Join(parts[:last+1], ".")
	}
	what := "func in "
	if loopOf(parts[last]) != parts[last] {
		what = "loop in "
	}
	i := last
	for i > 0 && isNumbered(loopOf(parts[i])) {
		i--
	}
	name, _, _ := strings.Cut(loopOf(parts[i]), "[") // what a generic function is made for
	if name == "" || name == "glob" {
		name = "init" // literals of package level variables
	}
	return what + name
}

// split cuts a function's name, as the runtime has it, into its package's path
// and what follows. Dots in parentheses and brackets do not separate.
func split(function string) (pkg string, parts []string) {
	slash := 0
	depth := 0
	for i, c := range function { // the slashes of type arguments are no package's
		switch {
		case strings.ContainsRune("([", c):
			depth++
		case strings.ContainsRune(")]", c):
			depth--
		case c == '/' && depth == 0:
			slash = i + 1
		}
	}
	dot := strings.IndexByte(function[slash:], '.')
	if dot < 0 {
		return function, nil
	}
	pkg, rest := function[:slash+dot], function[slash+dot+1:]
	depth = 0
	begin := 0
	for i, c := range rest {
		switch {
		case strings.ContainsRune("([", c):
			depth++
		case strings.ContainsRune(")]", c):
			depth--
		case c == '.' && depth == 0:
			parts = append(parts, rest[begin:i])
			begin = i + 1
		}
	}
	return strings.ReplaceAll(pkg, "%2e", "."), append(parts, rest[begin:])
}

// isLiteral reports whether the parts of a name are those of a literal, or of
// the body of a loop.
func isLiteral(parts []string) bool {
	last := len(parts) - 1
	name := parts[last]
	switch {
	case loopOf(name) != name:
		return true
	case last == 0 || !isNumbered(name):
		return false
	}
	before := parts[last-1]
	if strings.HasPrefix(before, "(") { // a method that someone called func1
		return false
	}
	return before != "init" || name[0] < '0' || name[0] > '9' // else it is one of the functions init
}

// loopOf returns a part without what makes it the body of a loop, or of a loop
// in such a body: F of F-range1 and of F-range1-range2.
func loopOf(part string) string {
	for {
		i := strings.LastIndex(part, "-range")
		if i < 0 || !isDigits(part[i+len("-range"):]) {
			return part
		}
		part = part[:i]
	}
}

// isNumbered reports whether a part is what the compiler calls a literal, or
// the call of a go or defer statement.
func isNumbered(part string) bool {
	for _, prefix := range []string{"func", "gowrap", "deferwrap"} {
		if number, ok := strings.CutPrefix(part, prefix); ok {
			return isDigits(number)
		}
	}
	return isDigits(part)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
