package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
)

// Text returns in which orders a program fails, in a form that only computers compare:
// corpus.Case.Condition. It has no counts and names messages in full, so that it does not
// depend on the other messages. It is "" if, as far as known, the order does not matter:
// then only the draws distinguish this failure from others with its signature.
func (e *Explanation) Text() string {
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
func (e *Explanation) inFull(list []choice.Constraint) string {
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

// inFull names a message so that no other message of a run has the name.
func (n stepName) inFull() string {
	text := fmt.Sprintf("%s from %s at %s", n.message, n.sender, n.receiver)
	if n.before > 0 {
		text += fmt.Sprintf(" (number %d)", n.before+1)
	}
	return text
}
