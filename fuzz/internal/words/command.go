package words

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command returns the shell command that runs a test, for use at the root of the module. Tool is "go
// test" or a command with the same flags. Its argument pkg names the test's package: see PackageIn
// and TestedPackage.
func Command(tool, test, pkg string) string {
	return fmt.Sprintf("%s -run %s %s", tool, Quoted(Pattern(test)), Argument(pkg))
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

// TestedPackage returns the argument with which go test, run at the root of the module, tests the
// package in the folder dir. The parameter info is that of its test binary, or nil. The argument is an
// import path if the package belongs to another module, which the module at hand requires.
func TestedPackage(info *debug.BuildInfo, dir string) string {
	if info == nil || info.Main.Version == "" || info.Main.Version == "(devel)" {
		return PackageIn(dir)
	}
	return strings.TrimSuffix(info.Path, ".test")
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

// Nearest returns the name that a mistyped word most likely means, "" if no name is similar. Up to
// a third of the characters may differ, and a prefix of a single name means that name.
func Nearest(word string, names []string) string {
	best, least := "", len([]rune(word))/3+1
	for _, name := range names {
		if n := edits([]rune(word), []rune(name)); n < least {
			best, least = name, n
		}
	}
	if best == "" && len(word) > 1 {
		best = onlyWith(word, names)
	}
	return best
}

// onlyWith returns the name that begins with prefix, "" if there are none or several.
func onlyWith(prefix string, names []string) (found string) {
	for _, name := range names {
		if strings.HasPrefix(name, prefix) {
			if found != "" && found != name {
				return ""
			}
			found = name
		}
	}
	return found
}

// DidYouMean returns ": did you mean NAME?" with the name that word most likely means, "" if no
// name is similar. Before is put before the name.
func DidYouMean(word, before string, names []string) string {
	if name := Nearest(word, names); name != "" {
		return ": did you mean " + before + name + "?"
	}
	return ""
}

// edits returns the least number of characters that must be inserted, removed, replaced, or swapped
// with the next one, to turn a into b.
func edits(a, b []rune) int {
	before, last, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range a {
		before, last, row = last, row, before
		row[0] = i + 1
		for j := range b {
			row[j+1] = min(last[j+1], row[j]) + 1
			if a[i] == b[j] {
				row[j+1] = min(row[j+1], last[j])
			} else {
				row[j+1] = min(row[j+1], last[j]+1)
			}
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
	}
	return row[len(b)]
}
