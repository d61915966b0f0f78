// Package native supports go test -fuzz. It has drafts, which are cases as bytes that
// Go's engine edits, the strategy that plays a draft, and the bridge that shows receive
// pairs to the engine.
package native
