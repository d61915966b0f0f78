package trace

import (
	"fmt"
	"strconv"
	"time"
)

// A Difference is the first difference between two traces, usually of two runs
// that should be equal.
type Difference struct {
	Step int    // the first step that differs; None if all steps agree
	Only string // "contents", "time", "handlers" or "start-up" if only that differs in the step; else ""
	A, B string // what happened in the first and in the second run
}

// String returns the difference as one line, such as "step 7: writer#2 ← flush in
// the first run, writer#2 ← write(1) in the second" or "step 7, contents only:
// …".
func (d Difference) String() string {
	where := "at the end"
	if d.Step != int(None) {
		where = fmt.Sprintf("step %d", d.Step)
	}
	if d.Only != "" {
		where += ", " + d.Only + " only"
	}
	return fmt.Sprintf("%s: %s in the first run, %s in the second", where, d.A, d.B)
}

// Diff returns the first step in which a and b differ, and false if the traces
// agree. It compares each step and what the step sent, spawned or noted. Messages
// are compared by ID and Label. A message from the test is compared at the step
// that received it. Other actions of the test and undelivered messages are
// compared at the end.
func Diff(a, b *Trace) (Difference, bool) {
	c := comparison{newSide(a), newSide(b)}
	for i := range min(len(a.Steps), len(b.Steps)) {
		if d, differ := c.step(i); differ {
			return d, true
		}
	}
	if n := min(len(a.Steps), len(b.Steps)); n < max(len(a.Steps), len(b.Steps)) {
		return Difference{Step: n, A: c.a.stepOrEnd(n), B: c.b.stepOrEnd(n)}, true
	}
	return c.ends()
}

// A comparison holds the two runs that Diff compares.
type comparison struct {
	a, b side
}

// A side is one of the two runs that Diff compares. It has the trace and the
// actions of each step.
type side struct {
	*reading
	sends, spawns, notes, strikes groups
}

func newSide(t *Trace) side {
	n := len(t.Steps)
	return side{
		reading: newReading(t),
		sends:   groupByStep(n, len(t.Sends), func(i int) int32 { return t.Sends[i].Step }),
		// The test, Actors[0], is omitted, because no step spawned it.
		spawns:  groupByStep(n, max(len(t.Actors)-1, 0), func(i int) int32 { return t.Actors[i+1].Step }),
		notes:   groupByStep(n, len(t.Notes), func(i int) int32 { return t.Notes[i].Step }),
		strikes: groupByStep(n, len(t.Strikes), func(i int) int32 { return t.Strikes[i].Step }),
	}
}

func (c *comparison) step(i int) (Difference, bool) {
	if d, differ := c.identities(i); differ {
		return d, true
	}
	if d, differ := c.circumstances(i); differ {
		return d, true
	}
	return c.deeds(int32(i))
}

// identities compares step i by ID, kind and contents. It does not compare names,
// because the name of an actor changes if the run later spawns another actor with
// the same label.
func (c *comparison) identities(i int) (Difference, bool) {
	x, y := &c.a.Steps[i], &c.b.Steps[i]
	same := x.ID == y.ID && x.Kind == y.Kind
	if same && c.a.contents(x) == c.b.contents(y) {
		return Difference{}, false
	}
	a, b := c.a.step(i), c.b.step(i)
	if same {
		return Difference{Step: i, Only: "contents", A: a, B: b}, true
	}
	if a == b {
		a, b = a+c.a.origin(x), b+c.b.origin(y)
	}
	if a == b {
		a, b = a+identity(x.ID), b+identity(y.ID)
	}
	return Difference{Step: i, A: a, B: b}, true
}

func (s *side) contents(step *Step) string {
	if step.Send == None {
		return ""
	}
	return s.Sends[step.Send].Label()
}

func identity(id uint64) string { return fmt.Sprintf(" (identity %016x)", id) }

// origin returns text that names the sender of a step's message. It distinguishes
// steps with equal labels.
func (s *side) origin(step *Step) string {
	if step.Send == None {
		return ""
	}
	send := &s.Sends[step.Send]
	return fmt.Sprintf(" from %s, %s", s.from(send), origin(send))
}

// circumstances compares the time and the flags of step i in the two runs.
func (c *comparison) circumstances(i int) (Difference, bool) {
	x, y := &c.a.Steps[i], &c.b.Steps[i]
	differ := func(only string, said func(*Step) string) (Difference, bool) {
		return Difference{Step: i, Only: only, A: c.a.step(i) + said(x), B: c.b.step(i) + said(y)}, true
	}
	switch {
	case x.Time != y.Time:
		return differ("time", at)
	case x.Changed != y.Changed:
		return differ("handlers", changed)
	case x.Settled != y.Settled:
		return differ("start-up", settled)
	}
	return Difference{}, false
}

func at(s *Step) string { return fmt.Sprintf(" at %v", time.Duration(s.Time)) }

func changed(s *Step) string {
	if s.Changed {
		return " changes handlers"
	}
	return " keeps its handlers"
}

func settled(s *Step) string {
	if s.Settled {
		return " in start-up"
	}
	return " after start-up"
}

// deeds compares the actions of a step, or of the test if step is None.
func (c *comparison) deeds(step int32) (Difference, bool) {
	if d, differ := c.list(step, "sends", side.sendsOf); differ {
		return d, true
	}
	if d, differ := c.list(step, "spawns", side.spawnsOf); differ {
		return d, true
	}
	if d, differ := c.list(step, "causes", side.strikesOf); differ {
		return d, true
	}
	return c.list(step, "notes", side.notesOf)
}

// A deed is one action of a step: a sent message, a spawn, a fault or a note.
type deed struct {
	id       uint64 // the ID of the action; zero if it has none
	contents string // a text that is compared in addition to id
	text     string // the text to print
}

func (d deed) is(other deed) bool { return d.id == other.id && d.contents == other.contents }

func (c *comparison) list(step int32, verb string, of func(side, int32) []deed) (Difference, bool) {
	a, b := of(c.a, step), of(c.b, step)
	for i := range max(len(a), len(b)) {
		if i < len(a) && i < len(b) && a[i].is(b[i]) {
			continue
		}
		d := Difference{Step: int(step), A: c.a.did(step, verb, a, i), B: c.b.did(step, verb, b, i)}
		if i < len(a) && i < len(b) {
			d.distinguish(a[i], b[i])
		}
		return d, true
	}
	return Difference{}, false
}

// distinguish makes the texts d.A and d.B differ. a and b are the two actions
// that they describe.
func (d *Difference) distinguish(a, b deed) {
	if a.id == b.id && a.id != 0 {
		d.Only = "contents"
	} else if d.A == d.B {
		d.A, d.B = d.A+identity(a.id), d.B+identity(b.id)
	}
}

// did describes action i of a step, or says that the step has no action i. verb
// says what the actions do, such as "sends".
func (s *side) did(step int32, verb string, deeds []deed, i int) string {
	who := testName
	if step != None {
		who = s.step(int(step))
	}
	if i >= len(deeds) {
		return who + " " + verb + " no more"
	}
	return who + " " + verb + " " + deeds[i].text
}

func (s side) sendsOf(step int32) []deed {
	var deeds []deed
	for _, i := range s.sends.of(step) {
		send := &s.Sends[i]
		if send.Kind == Periodic {
			// The messages of a periodic timer belong to the step that set the timer, but
			// their number depends on later steps.
			continue
		}
		id := send.ID ^ s.Actors[send.To].ID // the ID of a message does not depend on its receiver
		deeds = append(deeds, deed{id, send.Label(), send.Label() + " to " + s.names.Of(send.To)})
	}
	return deeds
}

func (s side) spawnsOf(step int32) []deed {
	var deeds []deed
	for _, i := range s.spawns.of(step) {
		deeds = append(deeds, deed{s.Actors[i+1].ID, s.label(int(i + 1)), s.names[i+1]})
	}
	return deeds
}

func (s side) strikesOf(step int32) []deed {
	var deeds []deed
	for _, i := range s.strikes.of(step) {
		text := s.strikeLabel(&s.Strikes[i])
		deeds = append(deeds, deed{contents: text, text: text})
	}
	return deeds
}

func (s side) notesOf(step int32) []deed {
	var deeds []deed
	for _, i := range s.notes.of(step) {
		text := s.Notes[i].Text
		deeds = append(deeds, deed{contents: text, text: strconv.Quote(text)})
	}
	return deeds
}

// stepOrEnd returns the label of step i, or "the end" if i is the number of
// steps.
func (s *side) stepOrEnd(i int) string {
	if i == len(s.Steps) {
		return "the end"
	}
	return s.step(i)
}

// ends compares what belongs to no step: the test's actions, the quiescent points
// and the undelivered messages.
func (c *comparison) ends() (Difference, bool) {
	if d, differ := c.deeds(None); differ {
		return d, true
	}
	if d, differ := differAt("rest", c.a.restTexts(), c.b.restTexts()); differ {
		return d, true
	}
	return differAt("message left", c.a.leftTexts(), c.b.leftTexts())
}

// differAt returns the first difference between two lists. what names an element
// in the texts, for example "rest".
func differAt(what string, a, b []string) (Difference, bool) {
	text := func(list []string, i int) string {
		if i < len(list) {
			return list[i]
		}
		return "no more " + what
	}
	for i := range max(len(a), len(b)) {
		if x, y := text(a, i), text(b, i); x != y {
			return Difference{Step: int(None), A: x, B: y}, true
		}
	}
	return Difference{}, false
}

func (s *side) restTexts() []string {
	var texts []string
	for _, taken := range s.Rests {
		texts = append(texts, fmt.Sprintf("at rest after %d steps", taken))
	}
	return texts
}

// leftTexts lists the undelivered messages, sorted by the step that sent them.
// Whether the test sent a message before or after a step does not matter.
func (s *side) leftTexts() []string {
	var texts []string
	for _, i := range s.sends.items {
		if send := &s.Sends[i]; send.Fate != Delivered {
			texts = append(texts, s.arrow(send)+" "+send.fateLabel())
		}
	}
	return texts
}
