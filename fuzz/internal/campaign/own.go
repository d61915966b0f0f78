package campaign

import (
	"context"
	"os"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
)

// Own returns the properties that some tests of this process pass to package fuzz. This process must
// be a test binary. Tests of packages that need workers use processes of their own binary. The
// variables in env tell such a process that it is a worker.
func Own(ctx context.Context, pkg string, env []string, tests ...string) (list []Subject, err error) {
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	b := &binary.Binary{Package: pkg, Dir: here, Path: self, Tests: tests}
	c := b.Command("")
	c.Env = append(c.Env, env...)
	properties, err := b.Properties(ctx, c)
	for _, p := range properties {
		list = append(list, Subject{Binary: b, Property: p})
	}
	return list, err
}
