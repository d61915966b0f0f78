// Package strategy contains strategies. A strategy makes the decisions of a run:
// which message is received next, and the decisions about time and faults.
//
//	sys := pulse.New(pulse.Options{Strategy: strategy.POS(), Seed: 1})
//
// Package fuzz chooses strategies itself. Use this package to run systems directly
// or to compare strategies.
//
// # Which one
//
// The depth d of a bug is the number of messages that must come in a certain order
// to trigger the bug, as in the papers. The order of all other messages does not
// matter. The depth that a failure prints is a different number. It is the number of
// messages that must move if the run otherwise delivers the oldest message first.
//
//   - Plain delivers the oldest message first, as a reference for other strategies.
//   - Random picks each message with equal probability. It has the weakest
//     guarantee, but is fast, has no settings, and finds most shallow bugs.
//   - PCT finds a bug whose depth d is its Depth with probability at least
//     1/(n·k^(d-1)) in a run of k steps over n channels.
//   - PCTCP finds such a bug with probability at least 1/(w²·m^(d-1)) in a run of m
//     messages of which at most w are pairwise unordered. It suits programs in
//     which one activity passes through many actors.
//   - POS samples partial orders instead of orders. The probability that a
//     message comes after k messages that it does not race with is 1/(k+1). With
//     Random it is 1/2^k. POS is a good first choice.
//   - URW tries to give every order the same probability, using what it learned in
//     its first run. It suits programs that do the same in each run.
//   - Slow keeps a few messages away for up to 256 steps, as a slow link would. The
//     probability that a message comes after 16 others is at least 1/30. It suits
//     bugs that need a stale message.
//   - Ordered follows a choice.Schedule and reports where a run deviates from it.
//   - Replay repeats the decisions of a recorded run.
//
// If Depth is zero, PCT and PCTCP use depth 3, 6, 12 and 24 in a quarter of the
// runs each. The probability bound for the first depth that is at least d, divided
// by four, then holds for a bug of depth d. There is no bound for bugs deeper than
// 24.
//
// ByName returns a strategy by name.
//
// # Rules
//
// Only one system may use a strategy at a time. PCT, PCTCP and URW use what
// they learned in the previous run. A new strategy makes the same
// decisions if it gets the same seeds and programs in the same order.
//
// # Writing one
//
// A strategy implements pulse.Strategy. Begin starts a run with a seed, Pick
// chooses the next message, and Choose makes all other decisions. After Begin with
// the same seed, a strategy must give the same answers to the same calls. The
// Example shows a complete strategy. A strategy needs a method Needs if it reads
// identities or the trace, or if Pick must be called even for a single deliverable
// message.
package strategy
