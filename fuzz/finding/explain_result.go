package finding

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// An explanation says in which orders of messages a shrunk case fails.
type explanation struct {
	// Orders is the number of distinct orders that were run, without skipped runs.
	Orders int
	// Failing counts the orders, among those in Orders, in which a run failed with the
	// signature of the case.
	Failing int
	// Complete is set if every distinct order was run.
	Complete bool
	// Skipped is set if the property skipped some of the runs.
	Skipped bool
	// Cut is set if the context ended before all allowed runs were made.
	Cut bool
	// Long is set if the orders were not run because the case has too many steps.
	Long bool
	// Mixed is set if one order had both failing and passing runs. In that case something else
	// matters too, such as answers, faults, or the order of receives by different actors.
	Mixed bool
	// Reduced is set if only one of several equivalent orders was run, although the
	// property may distinguish them: it reads several actors at once, or there are timers.
	Reduced bool
	// Condition holds in exactly the orders that failed, if Exact is set.
	Condition shrink.Condition
	Exact     bool
	// Before has the constraints that distinguish the order of the case from the order in which
	// the oldest message always comes first. The case needs each of them to fail.
	Before []choice.Constraint
	// Given lists the kinds of choices that have a nonzero answer in the case, such as faults.
	Given []choice.Kind
	// Sampled is the result of random orders, nil if none were run.
	Sampled *sampling

	// refuted is set if the runs show that the reduction is wrong. Either the case fails and all
	// explored orders pass, or only the random runs of explainer.confirm show an order that can
	// both fail and pass.
	refuted bool

	steps map[uint64]stepName // the names of messages, by ID and by number
	short map[string]string   // texts for long messages in the run of the case: see shortened
	kinds map[uint64]string   // maps the number of a message to its kindOf text
	// bare has the constraints of Condition whose second message is never received unless the
	// first one was received before. Such a constraint holds whenever its first message is
	// received.
	bare map[choice.Constraint]bool
}

// nameUnsent stores the names of messages that occur in constraints of Sampled, but are not
// sent by the case.
func (e *explanation) nameUnsent() {
	if e.Sampled == nil {
		return
	}
	for _, c := range e.Sampled.Constraints {
		if name, unsent := e.Sampled.unsent[c.Second]; unsent {
			e.steps[c.Second] = name
		}
	}
}

// String describes e in one line, or in one line per term of the condition.
func (e *explanation) String() string {
	return record.Why(e.data(func(id uint64) corpus.Message {
		return corpus.Message{Text: e.message(id), At: e.steps[id].receiver, Send: -1}
	}))
}

// asLate ends the description of a constraint whose first message is not sent in the run of the
// case. Such a constraint makes the second message wait until nothing else can be received.
const asLate = " as late as it can come"

// mostNamedBefore is the maximum number of constraints whose messages are named. A case has
// more only if there was no time to shrink it, for example after an endless run. Naming them
// would take time quadratic in the number of steps, and nobody would read so many names.
const mostNamedBefore = 50

// named returns the constraints of the case, nil if there are too many to name.
func (e *explanation) named() []choice.Constraint {
	if len(e.Before) > mostNamedBefore {
		return nil
	}
	return e.Before
}

// data converts e to the form that is saved in cases. message describes the message with a
// given ID.
func (e *explanation) data(message func(id uint64) corpus.Message) *corpus.Explanation {
	out := &corpus.Explanation{Orders: e.Orders, Failing: e.Failing, Complete: e.Complete, Exact: e.Exact, Mixed: e.Mixed,
		Reduced: e.Reduced, Skipped: e.Skipped, Cut: e.Cut, Long: e.Long, Given: e.Given, Depth: len(e.Before) + len(e.Given)}
	add := func(p corpus.Place, term int, list []choice.Constraint) []corpus.Constraint {
		for _, c := range list {
			out.Constraints = append(out.Constraints, corpus.Constraint{Place: p, Term: term, First: message(c.First), Second: message(c.Second),
				Bare: p != corpus.InOwn && e.bare[c]})
		}
		return out.Constraints[len(out.Constraints)-len(list):]
	}
	if e.Exact {
		for k, term := range e.Condition.Terms {
			add(corpus.InCondition, k, term)
		}
	}
	if add(corpus.InOwn, 0, e.named()); len(e.named()) < len(e.Before) {
		out.Unnamed = len(e.Before)
	}
	if s := e.Sampled; s != nil {
		out.Sampled = &corpus.Sampled{Free: s.Free, Under: s.Under}
		if s.Under.Of < sampled {
			out.Sampled.Few = mostSample
		}
		for i, list := 0, add(corpus.InSample, 0, s.Constraints); i < len(list); i++ {
			turned := s.Turned[i]
			list[i].Turned = &turned
		}
	}
	return out
}

// message returns the name of the message with the given ID. The name includes the sender, if it is
// another actor, if the receiver gets messages from other senders that look alike. It includes a number if the
// same sender sends several such messages.
func (e *explanation) message(id uint64) string {
	name, sent := e.steps[id]
	if !sent {
		return "a message that this run does not send"
	}
	alike, same := false, false
	for _, o := range e.steps {
		if o != name && o.message == name.message && o.receiver == name.receiver {
			alike, same = true, same || o.sender == name.sender
		}
	}
	text := cmp.Or(e.short[name.message], name.message)
	if alike && name.sender != "" {
		text += " from " + name.sender
	}
	if same {
		text += fmt.Sprintf(" (number %d)", name.before+1)
	}
	return text
}

// condition returns the text for corpus.Case.Condition, which says in which orders the case
// fails. Only programs compare it. It has no counts and names messages in full, so that it does
// not depend on other messages. It is "" if the order does not matter, as far as known.
func (e *explanation) condition() string {
	var terms []string
	switch {
	case e.Complete && e.Failing == e.Orders:
	case e.Complete && e.Exact:
		for _, term := range e.Condition.Terms {
			terms = append(terms, e.inFull(term))
		}
	case len(e.named()) > 0:
		return "plain order, but " + e.inFull(e.Before)
	}
	slices.Sort(terms)
	return strings.Join(terms, " or ")
}

// inFull returns constraints as sorted text with the full names of their messages.
func (e *explanation) inFull(list []choice.Constraint) string {
	var parts []string
	for _, c := range list {
		part := e.steps[c.Second].inFull()
		if first, sent := e.steps[c.First]; sent {
			part = first.inFull() + " before " + part
		} else {
			part += asLate
		}
		parts = append(parts, part)
	}
	slices.Sort(parts)
	return strings.Join(parts, " and ")
}
