package words

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// Command returns the command that runs a test of the package in a folder, as it is
// given at the root of the module.
func Command(test, dir string) string {
	return fmt.Sprintf("go test -run '%s' %s", Pattern(test), packagePath(dir))
}

// Pattern returns the -run pattern of a test, each of its parts anchored.
func Pattern(test string) string {
	parts := strings.Split(test, "/")
	for i, p := range parts {
		parts[i] = "^" + regexpQuote(p) + "$"
	}
	return strings.Join(parts, "/")
}

// regexpQuote quotes what a pattern would read as more than itself. Unlike
// regexp.QuoteMeta it leaves alone what a shell would then show.
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

// packagePath is the package in a folder as go test is told it from the module's root.
func packagePath(dir string) string {
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
