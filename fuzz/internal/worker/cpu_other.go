//go:build !unix

package worker

import "time"

// cpuTime returns 0: how much processor time this process has used is not known.
func cpuTime() time.Duration { return 0 }
