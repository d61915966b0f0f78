package native

import "strings"

// IsFuzzing reports whether a process with these arguments was started with -fuzz.
func IsFuzzing(args []string) bool {
	for _, arg := range args {
		name, pattern, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if name == "test.fuzz" && pattern != "" || name == "test.fuzzworker" {
			return true
		}
	}
	return false
}

// IsWorker reports whether a process with these arguments runs inputs for another,
// which has replayed what is saved.
func IsWorker(args []string) bool {
	for _, arg := range args {
		if strings.TrimLeft(arg, "-") == "test.fuzzworker" {
			return true
		}
	}
	return false
}
