package native

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/jostle-go/jostle/corpus"
)

// goVersion is the first line of the input files of go test -fuzz.
const goVersion = "go test fuzz v1"

// goText returns the text of an input file of go test -fuzz.
func goText(data []byte) []byte { return fmt.Appendf(nil, "%s\n[]byte(%q)\n", goVersion, data) }

// fromGoText returns the input that an input file of go test -fuzz contains. Errors have
// the path and line, the text found there and the expected text.
func fromGoText(path string, text []byte) ([]byte, error) {
	failf := func(line int, format string, args ...any) ([]byte, error) {
		return nil, fmt.Errorf("%s:%d: %s: inputs must have one []byte", path, line, fmt.Sprintf(format, args...))
	}
	lines := strings.Split(string(text), "\n")
	if first := strings.TrimSuffix(lines[0], "\r"); first != goVersion {
		return failf(1, "%.40q, expected %q", first, goVersion)
	}
	var data []byte
	found := false
	for i, line := range lines[1:] {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		literal, ok := strings.CutPrefix(line, "[]byte(")
		literal, closed := strings.CutSuffix(literal, ")")
		value, err := strconv.Unquote(strings.TrimSpace(literal))
		switch {
		case !ok || !closed || err != nil || strings.HasPrefix(strings.TrimSpace(literal), "'"):
			return failf(i+2, "%.40q, expected []byte(\"…\")", line)
		case found:
			return failf(i+2, "a second value, expected one")
		}
		data, found = []byte(value), true
	}
	if !found {
		return failf(len(lines), "no value, expected []byte(\"…\")")
	}
	return data, nil
}

// A GoInput is one input of Go's fuzzing engine.
type GoInput struct {
	Path string
	Data []byte // the input in the form that Harness.Run takes
}

// Import reads the inputs in a folder of go test -fuzz, sorted by name. The folder is
// testdata/fuzz/FuzzName or the folder for FuzzName in Go's cache. Import returns a
// problem for each file that it cannot read. If the folder does not exist, Import returns
// no inputs.
func Import(dir string) (inputs []GoInput, problems []error) {
	files, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, []error{fmt.Errorf("cannot read the inputs of %s: %w", dir, err)}
	}
	for _, file := range files {
		if strings.HasPrefix(file.Name(), ".") {
			continue
		}
		path := filepath.Join(dir, file.Name())
		data, err := readGoInput(path)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		inputs = append(inputs, GoInput{path, data})
	}
	return inputs, problems
}

// largestInput is the maximum size of an input file. Most files have a few dozen bytes.
const largestInput = 64 << 20

func readGoInput(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, fmt.Errorf("cannot read an input: %w", err)
	case !info.Mode().IsRegular(): // opening a named pipe would block
		return nil, fmt.Errorf("cannot read an input: %s is not a file (%v)", path, info.Mode().Type())
	case info.Size() > largestInput:
		return nil, fmt.Errorf("%s:1: the file has %d MB, expected at most %d", path, info.Size()>>20, largestInput>>20)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read an input: %w", err)
	}
	return fromGoText(path, text)
}

// Export writes an input to a folder of go test -fuzz, under the name that the engine
// would give it, and returns the path of the file. It creates the folder if needed. An
// input may lack parts of the case from which it was made, so run the input to see whether
// it still fails.
func Export(dir string, data []byte) (path string, err error) {
	text := goText(data)
	path = filepath.Join(dir, fmt.Sprintf("%x", sha256.Sum256(text))[:16])
	if there, err := os.ReadFile(path); err == nil && string(there) == string(text) {
		return path, nil
	}
	if err = os.MkdirAll(dir, 0o777); err != nil {
		return "", unexported(dir, err)
	}
	return path, overwrite(path, text)
}

// overwrite replaces an input file of go test -fuzz atomically.
func overwrite(path string, text []byte) error {
	if err := corpus.Replace(path, text); err != nil {
		return unexported(filepath.Dir(path), err)
	}
	return nil
}

func unexported(dir string, err error) error {
	return fmt.Errorf("cannot write the input to %s: %w", dir, err)
}
