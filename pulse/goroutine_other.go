//go:build !amd64 && !arm64

package pulse

// goroutine cannot tell goroutines apart here: all are one.
func goroutine() uintptr { return 1 }
