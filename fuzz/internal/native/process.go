package native

import (
	"slices"
	"strings"
)

// IsFuzzing reports whether the process with the arguments args was started with -fuzz.
func IsFuzzing(args []string) bool {
	for _, arg := range args {
		name, pattern, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name == "test.fuzz" && pattern != "" {
			return true
		}
	}
	return IsWorker(args)
}

// IsWorker reports whether the process with the arguments args is a worker of go test
// -fuzz. A worker runs inputs for a parent process. The parent has already replayed the
// saved cases.
func IsWorker(args []string) bool {
	return slices.ContainsFunc(args, func(arg string) bool { return strings.TrimLeft(arg, "-") == "test.fuzzworker" })
}
