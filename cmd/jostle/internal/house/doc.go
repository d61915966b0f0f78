// Package house holds the rules of this repository as tests: which package may
// import which, how code is laid out and documented, and that the README and
// .ci/run name the same commands. It has only tests.
//
// Each rule is a function over a tree of files. Each has a canary: a small tree
// with planted faults, which the rule must find.
package house
