//go:build !linux && !darwin

package campaign_test

import "errors"

// fill makes the disk full, as far as that can be done: not at all.
func fill() error { return errors.New("no disk can be filled here") }

// alive reports whether there is a process, as far as that can be told: never.
func alive(int) bool { return false }
