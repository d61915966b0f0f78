//go:build !linux && !darwin

package campaign_test

import "errors"

// fill returns an error: this system cannot limit the size of files.
func fill() error { return errors.New("no disk can be filled here") }

// alive returns false: on this system the test cannot ask for processes.
func alive(int) bool { return false }
