// Package strategy has the strategies that make the decisions of a run: which
// message is received next, and how questions about time and faults are answered.
//
//	sys := pulse.New(pulse.Options{Strategy: strategy.POS(), Seed: 1})
//
// Package fuzz chooses strategies by itself; this package is for those who run
// systems directly, or who measure strategies.
//
// # Which one
//
// The depth d of a bug is the number of messages that must come in a certain
// order for it to show, whatever the order of the others.
//
//   - Plain delivers the oldest message first. All others are compared with it.
//   - Random picks each message with equal chance. It promises the least, but it
//     is fast, has no settings, and finds most shallow bugs.
//   - PCT finds a bug of the depth d that its options name with chance at least
//     1/(n·k^(d-1)) in a run of k steps over n channels.
//   - PCTCP finds it with chance at least 1/(w²·m^(d-1)) in a run of m messages
//     of which at most w are pairwise unordered. It suits programs in which one
//     activity passes through many actors. If the options of either name no depth,
//     a quarter of the runs each has depth 3, 6, 12 and 24: a bug then has a quarter
//     of the chance for the first of these that is no less than its own depth, and
//     one that is deeper than 24 is promised nothing.
//   - POS samples partial orders instead of orders: a message comes after k others
//     that it does not race with by chance 1/(k+1), where Random needs 2^k runs.
//     It is a good first choice.
//   - URW gives every order the same chance, as far as it has learned the program
//     in its first run. It suits programs that do the same in each run.
//   - Ordered follows a schedule.Schedule, and says where a run has left it; Replay
//     follows a record of decisions.
//
// ByName returns a strategy by its name.
//
// # Rules
//
// A strategy is used by one system at a time. PCT, PCTCP and URW
// learn from one run what they use in the next. A new value that is given the
// same seeds and the same programs in the same order gives the same answers.
//
// # Writing one
//
// A strategy is a pulse.Strategy: Begin starts a run with a seed, Pick chooses
// the next message, Choose answers all other questions. After Begin it must give
// the same answers to the same questions. The Example shows a whole one. A
// strategy that reads identities or the trace, or that must be asked although
// only one message can be delivered, has a method Needs too.
package strategy
