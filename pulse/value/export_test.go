package value

import "slices"

// Ops returns the number of ops in the hash program of a value.
func (w *Walker) Ops(v any) int {
	w.Begin(false)
	w.Value(v)
	return len(w.shapeOf(v).ops)
}

// LoseOp removes an op from the hash program of a value. Tests must find this fault.
func (w *Walker) LoseOp(v any, n int) {
	sh := w.shapeOf(v)
	sh.ops = slices.Delete(sh.ops, n, n+1)
}
