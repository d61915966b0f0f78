package stack

import "strings"

// nameOf returns the name of a function for reports and signatures. function is the name
// given by package runtime.
//
// A declared function or method keeps its name, with the last element of its package's
// path: pkg.F, pkg.(*T).M. A function literal is named after the declared function that
// contains it: "func in F", "func in M". The body of a loop over an iterator function,
// which is also compiled to a literal, is "loop in F".
//
// The name of a literal has no package, receiver or number, because they change when code
// is inlined. For example, if function F of package a is inlined into a literal of function
// G of package b, a literal in F is called b.G.func2.F.func3, but a.F.func1 without
// inlining. Declared functions keep their names when inlined.
func nameOf(function string) string {
	function = strings.TrimSuffix(function, "-fm") // the runtime adds -fm to the name of a method value
	pkg := packageOf(function)
	declared := function[strings.LastIndexByte(pkg, '/')+1:]
	if !endsInDigit(function) || len(pkg) == len(function) {
		return unescaped(declared)
	}
	parts := split(function[len(pkg)+1:])
	last := len(parts) - 1
	if !isLiteral(parts) {
		if last > 0 && parts[last-1] == "init" { // the init functions of a package are named pkg.init.0, pkg.init.1 and so on
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
	name, _, _ := strings.Cut(loopOf(parts[i]), "[") // drop type arguments
	if name == "" || name == "glob" {
		name = "init" // the function literal is in the declaration of a package-level variable
	}
	return what + name
}

// packageOf returns the path of a function's package in the form used by package runtime.
func packageOf(function string) string {
	plain := function
	if i := strings.IndexAny(plain, "[("); i >= 0 { // type arguments have packages too
		plain = plain[:i]
	}
	slash := strings.LastIndexByte(plain, '/') + 1
	if dot := strings.IndexByte(plain[slash:], '.'); dot >= 0 {
		return plain[:slash+dot]
	}
	return function
}

// unescaped replaces %2e, which stands for a dot in the path of a package, by a dot.
func unescaped(name string) string {
	if !strings.Contains(name, "%2e") {
		return name
	}
	return strings.ReplaceAll(name, "%2e", ".")
}

// endsInDigit reports whether a name ends in a digit. The names of all function literals
// end in a digit.
func endsInDigit(name string) bool {
	return name != "" && '0' <= name[len(name)-1] && name[len(name)-1] <= '9'
}

// split splits a function's name, without its package, at the dots outside of parentheses
// and brackets.
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

// isLiteral reports whether parts, the split name of a function, is the name of a function
// literal or of a loop body.
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
	if strings.HasPrefix(before, "(") { // a method named func1 is no literal
		return false
	}
	return before != "init" || name[0] < '0' || name[0] > '9' // pkg.init.0 is an init function, not a literal
}

// loopOf returns part without the suffixes of loop bodies. For example, it returns F for
// F-range1 and for F-range1-range2.
func loopOf(part string) string {
	for {
		i := strings.LastIndex(part, "-range")
		if i < 0 || !isDigits(part[i+len("-range"):]) {
			return part
		}
		part = part[:i]
	}
}

// isNumbered reports whether part is a numbered name, such as func1. The compiler gives
// such names to function literals and to the calls of go and defer statements.
func isNumbered(part string) bool {
	for _, prefix := range []string{"func", "gowrap", "deferwrap"} {
		if number, ok := strings.CutPrefix(part, prefix); ok {
			return isDigits(number)
		}
	}
	return isDigits(part)
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }
