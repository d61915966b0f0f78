// Package strategy has the strategies that make the decisions of a run: which
// message is received next, and the answers to questions about time and faults.
//
//	sys := pulse.New(pulse.Options{Strategy: strategy.POS(), Seed: 1})
//
// Package fuzz chooses strategies by itself. Use this package to run systems
// directly or to measure strategies.
//
// # Which one
//
// The depth d of a bug is, as in the papers, the number of messages that must come
// in a certain order to trigger it, whatever the order of the others. The depth
// that a failure prints is another one: the number of messages that must move
// from plain order.
//
//   - Plain delivers the oldest message first. It is the reference for all others.
//   - Random picks each message with equal probability. It guarantees the least, but
//     is fast, has no settings, and finds most shallow bugs.
//   - PCT finds a bug whose depth d is its Depth with probability at least
//     1/(n·k^(d-1)) in a run of k steps over n channels.
//   - PCTCP finds it with probability at least 1/(w²·m^(d-1)) in a run of m messages
//     of which at most w are pairwise unordered. It suits programs in which one
//     activity passes through many actors.
//   - POS samples partial orders instead of orders. With probability 1/(k+1) a
//     message comes after k others that it does not race with, where Random needs
//     2^k runs. It is a good first choice.
//   - URW gives every order the same probability, as far as it has learned the
//     program in its first run. It suits programs that do the same in each run.
//   - Ordered follows a choice.Schedule, and reports where a run has left it.
//   - Replay repeats a record of decisions.
//
// Without a Depth, a quarter of the runs of PCT and PCTCP each have depth 3, 6,
// 12 and 24. A bug then has a quarter of the probability for the first of these
// that is at least its depth. There is no bound for bugs deeper than 24.
//
// ByName returns a strategy by its name.
//
// # Rules
//
// A strategy is used by one system at a time. PCT, PCTCP and URW use
// in a run what they learned from the run before. A new value with the same
// seeds and programs in the same order gives the same answers.
//
// # Writing one
//
// A strategy is a pulse.Strategy. Begin starts a run with a seed, Pick chooses
// the next message, and Choose answers all other questions. After Begin it must
// give the same answers to the same questions. The Example shows a complete
// one. A strategy also has a method Needs if it reads identities or the trace,
// or must be asked even for a single deliverable message.
package strategy
