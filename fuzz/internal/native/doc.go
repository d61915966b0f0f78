// Package native is what go test -fuzz needs of us: drafts, which are cases as
// the bytes that Go's engine edits, the strategy that plays a draft, and the
// bridge that shows the engine which receive orders a run had.
package native
