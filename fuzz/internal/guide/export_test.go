package guide

import "github.com/jostle-go/jostle/pulse/trace"

// ID returns the identity of step i.
func (b *Base) ID(i int) uint64 { return b.steps[i].id }

// NewCarelessBase returns a base that knows only the first line of the Bitá paper's definition 5: a
// step comes after the step that sent its message.
func NewCarelessBase(t *trace.Trace) *Base {
	b := NewBase(t)
	clear(b.must)
	for i := range b.steps {
		must := b.must[i*b.words : (i+1)*b.words]
		if send := t.Steps[i].Send; send != trace.None && t.Sends[send].Step != trace.None {
			cause := int(t.Sends[send].Step)
			set(must, cause)
			add(must, b.must[cause*b.words:(cause+1)*b.words])
		}
	}
	return b
}
