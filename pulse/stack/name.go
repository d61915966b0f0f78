package stack

import "strings"

// nameOf returns the name that a function has for people and in signatures,
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
func nameOf(function string) string {
	function = strings.TrimSuffix(function, "-fm") // of a method value
	pkg := packageOf(function)
	declared := function[strings.LastIndexByte(pkg, '/')+1:]
	if !endsInDigit(function) || len(pkg) == len(function) {
		return unescaped(declared)
	}
	parts := split(function[len(pkg)+1:])
	last := len(parts) - 1
	if !isLiteral(parts) {
		if last > 0 && parts[last-1] == "init" { // pkg.init.0 and so on are the functions init of a package
			declared = strings.TrimSuffix(declared, "."+parts[last])
		}
		return unescaped(declared)
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

// packageOf returns the path of a function's package as the runtime writes it.
func packageOf(function string) string {
	plain := function
	if i := strings.IndexAny(plain, "[("); i >= 0 { // type arguments have packages of their own
		plain = plain[:i]
	}
	slash := strings.LastIndexByte(plain, '/') + 1
	if dot := strings.IndexByte(plain[slash:], '.'); dot >= 0 {
		return plain[:slash+dot]
	}
	return function
}

// unescaped returns a name with the dots that its package's path has.
func unescaped(name string) string {
	if !strings.Contains(name, "%2e") {
		return name
	}
	return strings.ReplaceAll(name, "%2e", ".")
}

// endsInDigit reports whether a name ends as those of all literals do.
func endsInDigit(name string) bool {
	return name != "" && '0' <= name[len(name)-1] && name[len(name)-1] <= '9'
}

// split cuts the part of a function's name that follows its package at the
// dots, except for those in parentheses and brackets.
func split(name string) (parts []string) {
	depth, begin := 0, 0
	for i := range len(name) {
		switch name[i] {
		case '(', '[':
			depth++
		case ')', ']':
			depth--
		case '.':
			if depth == 0 {
				parts = append(parts, name[begin:i])
				begin = i + 1
			}
		}
	}
	return append(parts, name[begin:])
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
