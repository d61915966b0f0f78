package words

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command returns the shell command that runs the tests that a pattern selects, for use at the root of the
// module. Tool is "go test" or a command with the same flags. Its argument pkg names the package: see PackageIn
// and TestedPackage.
func Command(tool, pattern, pkg string) string {
	return fmt.Sprintf("%s -run %s %s", tool, Quoted(pattern), Argument(pkg))
}

// TestTool returns the tool that runs an existing test with some flags, which are shell text.
func TestTool(flags string) string { return strings.TrimSpace("jostle test " + flags) }

// Arguments returns arguments as shell text.
func Arguments(list []string) string {
	var texts []string
	for _, text := range list {
		texts = append(texts, Argument(text))
	}
	return strings.Join(texts, " ")
}

// Argument returns a text as an argument for a shell, in quotes if necessary.
func Argument(text string) string {
	plain := func(r rune) bool {
		return r < utf8.RuneSelf && (unicode.IsLetter(r) || unicode.IsDigit(r)) || strings.ContainsRune("_-./:=@%+,", r)
	}
	if text != "" && strings.IndexFunc(text, func(r rune) bool { return !plain(r) }) < 0 {
		return text
	}
	return Quoted(text)
}

// Quoted returns a text in quotes for a shell. Characters that cannot be printed become escapes,
// which bash, zsh and POSIX 2024 support.
func Quoted(text string) string {
	if utf8.ValidString(text) && strings.IndexFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) < 0 {
		return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'"
	}
	var b strings.Builder
	for rest := text; rest != ""; {
		r, size := utf8.DecodeRuneInString(rest)
		switch {
		case r == '\\' || r == '\'':
			b.WriteString("\\" + rest[:size])
		case unicode.IsPrint(r) && (r != utf8.RuneError || size > 1):
			b.WriteString(rest[:size])
		default:
			for _, c := range []byte(rest[:size]) {
				fmt.Fprintf(&b, `\%03o`, c)
			}
		}
		rest = rest[size:]
	}
	return "$'" + b.String() + "'"
}

// Pattern returns the pattern for go test -run that matches only this test.
func Pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexpQuote(p) + "$"
	}
	return strings.Join(parts, "/")
}

// Selection returns the pattern that selects a test, and of its subtests those that another pattern selects.
func Selection(test, pattern string) string {
	var list []string
	for _, one := range splitPattern(pattern, '|') {
		parts := splitPattern(one, '/')
		if ok, err := regexp.MatchString(parts[0], test); err == nil && ok && !strings.Contains(test, "/") {
			parts[0] = Pattern(test)
			list = append(list, strings.Join(parts, "/"))
		}
	}
	if len(list) == 0 {
		return Pattern(test)
	}
	return strings.Join(list, "|")
}

// splitPattern splits a regular expression at a character that is in no brackets, as package testing does.
func splitPattern(text string, at byte) (list []string) {
	square, round, from := 0, 0, 0
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\':
			i++
		case c == '[':
			square++
		case c == ']':
			square = max(0, square-1)
		case c == '(' && square == 0:
			round++
		case c == ')' && square == 0:
			round--
		case c == at && square == 0 && round == 0:
			list, from = append(list, text[from:i]), i+1
		}
	}
	return append(list, text[from:])
}

// regexpQuote escapes the special characters of regular expressions, as regexp.QuoteMeta does, and
// replaces invalid UTF-8.
func regexpQuote(s string) string {
	var b strings.Builder
	for _, r := range s {
		if strings.ContainsRune(`\.+*?()|[]{}^$`, r) {
			b.WriteByte('\\')
		}
		b.WriteRune(r)
	}
	return b.String()
}

// PackageFrom is like TestedPackage, for go test in the folder from.
func PackageFrom(from string, info *debug.BuildInfo, dir string) string {
	rel, err := filepath.Rel(from, dir)
	switch local := err == nil && filepath.IsLocal(rel); {
	case !isMain(info):
		return TestedPackage(info, dir)
	case local && rel == ".":
		return "."
	case local:
		return "./" + filepath.ToSlash(rel)
	case info == nil:
		return PackageIn(dir)
	}
	return strings.TrimSuffix(info.Path, ".test")
}

// TestedPackage returns the argument with which go test, run at the root of the module, tests the
// package in the folder dir. The parameter info is that of its test binary, or nil. The argument is an
// import path if the package belongs to another module, which the module at hand requires.
func TestedPackage(info *debug.BuildInfo, dir string) string {
	if isMain(info) {
		return PackageIn(dir)
	}
	return strings.TrimSuffix(info.Path, ".test")
}

// isMain reports whether a test binary is of the main module, or of one in the workspace.
func isMain(info *debug.BuildInfo) bool {
	return info == nil || info.Main.Version == "" || info.Main.Version == "(devel)"
}

// PackageIn returns the argument with which go test, run at the root of the module, tests the package
// in the folder dir of that module.
func PackageIn(dir string) string {
	for up := dir; ; up = filepath.Dir(up) {
		if _, err := os.Stat(filepath.Join(up, "go.mod")); err == nil {
			rel, _ := filepath.Rel(up, dir)
			if rel == "." {
				return "."
			}
			return "./" + filepath.ToSlash(rel)
		}
		if up == filepath.Dir(up) {
			return "."
		}
	}
}
