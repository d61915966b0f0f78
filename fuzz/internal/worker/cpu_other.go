//go:build !unix

package worker

import "time"

// cpuTime returns 0: the processor time is unknown.
func cpuTime() time.Duration { return 0 }
