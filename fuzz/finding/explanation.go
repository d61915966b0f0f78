package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/shrink"
)

// An explanation says in which orders of a program a failure occurs.
type explanation struct {
	// Orders is how many distinct orders were run, and Failing is in how many of them
	// a run failed with the same signature. Complete reports that there are no others.
	// Skipped runs do not count; Skipped reports that there were some.
	Orders, Failing   int
	Complete, Skipped bool
	// Cut reports that the context ended before all allowed runs were made. Long
	// reports that the run has too many steps to run its orders.
	Cut, Long bool
	// Mixed reports that runs of one order both failed and passed: something else
	// matters too, such as answers, faults, or which of two actors came first. Failing
	// then counts the orders that can fail.
	Mixed bool
	// Reduced reports that only one of several equivalent orders was run, although
	// the property may distinguish them: it reads several actors at once, or there
	// are timers.
	Reduced bool
	// If Exact is set, Condition holds in exactly the orders that failed.
	Condition shrink.Condition
	Exact     bool
	// Before are the constraints of the case: with them, plain order fails; without
	// any one of them, it does not. Given are the kinds of its nonzero answers, such
	// as faults.
	Before []choice.Constraint
	Given  []choice.Kind
	// Sampled is what random orders show, nil if all were run or there was no time.
	Sampled *sampling

	// refuted reports that only random runs have shown Mixed.
	refuted bool

	steps map[uint64]stepName
	kinds map[uint64]string // the result of kindOf for messages, by the number of their name
	// bare has the constraints of the condition whose second message never comes before
	// the first, or without it: they hold wherever the first is received.
	bare map[choice.Constraint]bool
}

// nameUnsent keeps the names of messages that the case does not send, and that matter in
// random orders.
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

// String describes e in one line, or in a line per term if there are several.
func (e *explanation) String() string {
	return record.Why(e.data(func(id uint64) corpus.Message {
		return corpus.Message{Text: e.message(id), At: e.steps[id].receiver, Send: -1}
	}))
}

// asLate says when a message comes that a constraint delays until after one that only other
// runs send.
const asLate = " as late as it can come"

// mostNamedBefore is how many constraints of a case are named. A case has more only if there
// was no time to shrink it, such as an endless run. Naming all would take time quadratic in
// the run's steps, and nobody would read it.
const mostNamedBefore = 50

// named returns the constraints of the case, none if there are too many to name.
func (e *explanation) named() []choice.Constraint {
	if len(e.Before) > mostNamedBefore {
		return nil
	}
	return e.Before
}

// data returns e in the form of cases. message returns the message of a step.
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

// message names the message of a step. It adds the sender if its receiver gets others that
// look alike, and a number if the sender sends several.
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
	text := name.message
	if alike {
		text += " from " + name.sender
	}
	if same {
		text += fmt.Sprintf(" (number %d)", name.before+1)
	}
	return text
}

// condition returns in which orders a program fails, in a form that only computers compare:
// corpus.Case.Condition. It has no counts and names messages in full, so that it does not
// depend on the other messages. It is "" if, as far as known, the order does not matter:
// then only the draws distinguish this failure from others with its signature.
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

// inFull returns constraints as text, sorted.
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
