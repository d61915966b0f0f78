package native

import (
	"fmt"
	"path/filepath"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
)

// An Engine holds the inputs that go test -fuzz had saved for a fuzz target before the
// current process began.
type Engine struct {
	folder string    // the folder of the package
	inside string    // the folder of the inputs, relative to the field folder
	before []GoInput // the inputs that were saved when the Engine was made
}

// EngineOf returns the Engine of a fuzz target, after reading the saved inputs in the
// folder of its package.
func EngineOf(packageFolder, target string) *Engine {
	e := &Engine{folder: packageFolder, inside: filepath.Join("testdata", "fuzz", target)}
	e.before, _ = Import(filepath.Join(packageFolder, e.inside))
	return e
}

// Shrink replaces the inputs that the engine has saved since EngineOf and that fail with
// the signature of case c. It overwrites each of them with the bytes of c if the bytes of
// c are better (see replace). Shrink returns lines to print.
func (e *Engine) Shrink(h *Harness, c *corpus.Case) (said []string) {
	now, _ := Import(filepath.Join(e.folder, e.inside))
	for _, in := range now {
		if slices.ContainsFunc(e.before, func(old GoInput) bool { return old.Path == in.Path }) {
			continue
		}
		name := filepath.Join(e.inside, filepath.Base(in.Path))
		switch was, is, err := h.replace(in, c); {
		case err != nil:
			said = append(said, fmt.Sprintf("not shrunk: %s: %v", name, err))
		case is > 0:
			said = append(said, fmt.Sprintf("shrunk: %s, from %d steps to %d", name, was, is))
		}
	}
	return said
}

// replace overwrites the file of an input with the bytes of a case if both fail with the
// same signature and the bytes of the case are better. The bytes are better if their run
// has fewer steps, or the same number of steps with fewer bytes. The file keeps the name
// that the engine printed. replace returns the number of steps before and after, or zeros
// if it does not overwrite the file.
//
// The input is run in this process. If the run kills the process, the file is unchanged.
func (h *Harness) replace(in GoInput, c *corpus.Case) (was, is int, err error) {
	signature, was := outcome(h.Run(in.Data))
	if signature == "" || signature != c.Signature {
		return 0, 0, nil
	}
	data := h.BytesOf(c)
	small, is := outcome(h.Run(data))
	if small != signature || is > was {
		return 0, 0, nil
	}
	data = h.trim(data, func(res props.Result) bool {
		s, n := outcome(res)
		return s == signature && n == is
	})
	if is == was && len(data) >= len(in.Data) {
		return 0, 0, nil
	}
	return was, is, overwrite(in.Path, goText(data))
}

// outcome returns the failure signature of a run ("" if it passed) and the number of its
// steps.
func outcome(res props.Result) (signature string, steps int) {
	if res.Failure != nil {
		signature = res.Failure.Lasting()
	}
	if res.System != nil {
		steps = res.System.Steps()
	}
	return signature, steps
}

// trim removes the parts of a draft that make no difference. It tries to remove the seed,
// and then the ends of the priorities, answers and words. The function same must report
// whether a run is still as before.
func (h *Harness) trim(data []byte, same func(props.Result) bool) []byte {
	try := func(change func(*Draft)) bool {
		var d Draft
		d.FromBytes(data)
		change(&d)
		if shorter := d.Bytes(); same(h.Run(shorter)) {
			data = shorter
			return true
		}
		return false
	}
	try(func(d *Draft) { d.Seed = 0 })
	var d Draft
	d.FromBytes(data)
	ends(len(d.Priorities), func(n int) bool { return try(func(d *Draft) { d.Priorities = d.Priorities[:n] }) })
	ends(len(d.Answers), func(n int) bool { return try(func(d *Draft) { d.Answers = d.Answers[:n] }) })
	ends(len(d.Words), func(n int) bool { return try(func(d *Draft) { d.Words = d.Words[:n] }) })
	return data
}

// ends shortens a list of length n as long as try succeeds with the shorter length. The
// number of removed elements is halved after each failure.
func ends(n int, try func(int) bool) {
	for step := n; step > 0; {
		if step <= n && try(n-step) {
			n -= step
		} else {
			step /= 2
		}
	}
}
