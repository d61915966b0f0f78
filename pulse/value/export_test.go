package value

import "slices"

// Ops returns how many steps the program of a value has.
func (w *Walker) Ops(v any) int {
	w.Begin(false)
	w.Value(v)
	return len(w.shapeOf(v).ops)
}

// LoseOp removes a step from the program of a value: a fault that a test must find.
func (w *Walker) LoseOp(v any, n int) {
	sh := w.shapeOf(v)
	sh.ops = slices.Delete(sh.ops, n, n+1)
}
