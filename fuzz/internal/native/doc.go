// Package native supports go test -fuzz. A draft is a case encoded as bytes, which Go's
// fuzzing engine can mutate. Play runs a draft. A bridge makes the receive pairs of the
// run visible to the engine.
package native
