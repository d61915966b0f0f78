// Package house holds the rules of this repository, as tests: what may import
// what, how code is laid out and documented, and that the README and .ci/run
// name the same commands. It has no code of its own.
//
// Every rule is a function over a tree of files, so that each also has a canary:
// a small tree with planted faults, which the rule must find.
package house
