// Package native supports go test -fuzz. A draft is a case as bytes that Go's engine edits,
// and a strategy plays drafts. The bridge shows the engine which receive pairs a run had.
package native
