package pulse

import (
	"cmp"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// stuck returns a failure that says where each stuck actor waits, what is in
// its mailbox, and which cycle of Asks there is. It returns nil if no actor is
// stuck. closed is set for EnvironmentClosed, in which every living actor is
// stuck.
func (c *cast) stuck(closed bool) *Failure {
	if !closed && c.mail.waitsAtCut() {
		return nil // some message waits at a cut link, and the test may still call Heal and run again
	}
	living, list := 0, []*actor(nil)
	for _, a := range c.actors[1:] {
		if a.life != alive {
			continue
		}
		living++
		if closed || a.accept != acceptAll && !c.asleep(a) {
			list = append(list, a)
		}
	}
	if c.actors[trace.Test].await != 0 {
		return c.unanswered(list)
	}
	if list == nil {
		return nil
	}
	text := fmt.Sprintf("stuck: %d of %d actors cannot go on, nothing is deliverable", len(list), living)
	if closed {
		text += " and the environment is closed"
	}
	r := &stuckReport{cast: c, list: list}
	f := r.failure(text)
	f.Advice = r.advice()
	return f
}

// A stuckReport builds the description of stuck actors.
type stuckReport struct {
	cast  *cast
	list  []*actor // the stuck actors
	waits []stack.Wait
	site  string
}

func (r *stuckReport) failure(text string) *Failure {
	detail := r.detail()
	return &Failure{Kind: KindStuck, Step: -1, Text: text, Detail: detail, Site: r.site, Waits: r.waits}
}

// detail returns a description of all stuck actors, and sets r.waits, and r.site, the
// function that the signature of the failure names.
func (r *stuckReport) detail() string {
	asks := map[string]string{}
	for _, a := range r.list {
		r.describe(a)
		if a.accept == acceptReply {
			asks[r.nameOf(a.actor)] = r.nameOf(a.waits.on)
		}
	}
	return stack.Report(r.waits, asks)
}

// advice names a process that waits in an Ask for an actor that has ended, and what would end
// the wait. It returns "" if there is none.
func (r *stuckReport) advice() string {
	for _, a := range r.list {
		if w := a.waits; w.on >= 0 && a.process != nil && w.text == "" && r.cast.actors[w.on].life != alive {
			return fmt.Sprintf("%s has ended and never answers %s: AskTimeout ends the wait", r.nameOf(w.on), r.nameOf(a.actor))
		}
	}
	return ""
}

// asleep reports whether a process waits for a timer that did not fire in the
// run, because the timer is due after the horizon.
func (c *cast) asleep(a *actor) bool {
	return a.await != 0 && slices.ContainsFunc(c.clock.heap, func(e entry) bool {
		return e.effect == fire && e.at < forever && e.actor == a.actor && c.mail.sends[e.send].Ask == a.await
	})
}

// describe adds to r.waits where an actor waits and what is in its mailbox. The site of
// the failure is the function in which the first stuck actor waits. But if the
// first stuck actor was spawned in a step, the order of the actors may vary.
// The site is then the alphabetically first of all functions in which stuck
// actors wait.
func (r *stuckReport) describe(a *actor) {
	w := r.whereWaits(a)
	if site := cmp.Or(w.At.Func, r.cast.rec.trace.Actors[a.actor].Label); r.site == "" {
		r.site = site
	} else if r.cast.rec.trace.Actors[r.list[0].actor].Step >= 0 {
		r.site = min(r.site, site)
	}
	list := r.cast.mail.waiting(&a.mailbox)
	for _, m := range list {
		d := &r.cast.mail.sends[m]
		text := trace.Label(d.Body) + " from " + r.nameOf(d.From)
		if r.cast.mail.links.isCut(sourceOf(d), d.To) {
			text += ", blocked by a cut link"
		}
		w.Mail = append(w.Mail, text)
	}
	w.Empty = len(list) == 0 && a.waiter() == nil
	r.waits = append(r.waits, w)
}

func (r *stuckReport) nameOf(actor int32) string { return r.cast.rec.nameOf(actor) }

// whereWaits says what an actor waits for, and at which line of code, if there is one.
func (r *stuckReport) whereWaits(a *actor) (out stack.Wait) {
	w := a.waits
	out.Actor = r.nameOf(a.actor)
	var pcs []uintptr
	switch {
	case w.text != "":
		out.What = w.text
		return out
	case a.waiter() != nil:
		out = a.waiter().Waits()
		out.Actor = r.nameOf(a.actor)
		return out
	case a.actor == trace.Test && a.await != 0:
		pcs = make([]uintptr, 64)
		pcs = pcs[:runtime.Callers(1, pcs)]
	case a.accept == acceptStart:
		out.What = "for its start"
		return out
	case a.process == nil:
		out.What = "for any message"
		return out
	default:
		pcs = a.process.stack()
	}
	out.What = "in " + w.verb + r.asked(w)
	if calls, _ := trimmer.Inner(pcs); len(calls) > 0 {
		out.At = stack.FrameOf(calls[0])
	}
	return out
}

// A Waiter is a hosted actor that can say where its code waits. The result of
// Waits may lack the name of the actor.
type Waiter interface {
	Waits() stack.Wait
}

func (a *actor) waiter() Waiter {
	w, _ := a.handler.(Waiter)
	return w
}

// asked describes the actor that an Ask asks. It returns "" if the wait is not
// an Ask.
func (r *stuckReport) asked(w wait) string {
	switch {
	case w.on < 0:
		return ""
	case r.cast.actors[w.on].life != alive:
		return " of " + r.nameOf(w.on) + ", which has ended,"
	}
	return " of " + r.nameOf(w.on)
}

// orphaned returns the failure that reports the orphans, which are messages to
// actors that had ended.
func (t *traffic) orphaned() *Failure {
	site := t.rec.trace.Actors[t.mail.sends[t.mail.orphans.kept[0]].To].Label
	for _, m := range t.mail.orphans.kept { // the site is the smallest label, because the order of orphans varies between equivalent runs
		site = min(site, t.rec.trace.Actors[t.mail.sends[m].To].Label)
	}
	n := t.mail.orphans.count()
	text := fmt.Sprintf("%d messages were sent to actors that had ended", n)
	if n == 1 {
		text = "1 message was sent to actors that had ended"
	}
	return &Failure{Kind: KindOrphans, Step: -1, Site: site, Text: text,
		Detail: strings.Join(t.warnings(), "\n")}
}

// warnings returns a line for each stored orphan, and a line with the number
// of further orphans.
func (t *traffic) warnings() []string {
	var list []string
	for _, m := range t.mail.orphans.kept {
		d := &t.mail.sends[m]
		list = append(list, fmt.Sprintf("    %s from %s to %s, which had ended",
			trace.Label(d.Body), t.rec.nameOf(d.From), t.rec.nameOf(d.To)))
	}
	if t.mail.orphans.lost > 0 {
		list = append(list, fmt.Sprintf("    and %d more", t.mail.orphans.lost))
	}
	return list
}

// stateOf describes the state of an actor: the text of its handler, or the
// place where its process waits. The content of its disk follows.
func (c *cast) stateOf(a *actor, hidden func(reflect.Type) bool) string {
	text := ""
	switch {
	case a.life == ended:
	case a.process != nil:
		w := (&stuckReport{cast: c}).whereWaits(a)
		text = "waits " + w.What
		if w.At.Func != "" {
			text += " at " + w.At.Place()
		}
	case a.spec.Process == nil && reflect.TypeOf(a.behind()).Kind() == reflect.Func:
		if text = "a function"; stack.MethodOf(a.behind()) != "" {
			text = "the method " + stack.MethodOf(a.behind())
		}
		text += ": its variables cannot be read"
	}
	if text == "" && a.spec.Process == nil {
		text = trace.StateLabel(a.behind(), hidden)
	}
	if disk := a.disk.text(hidden); disk != "" && text != "" {
		text += "; " + disk
	} else {
		text += disk
	}
	switch {
	case a.life == ended && text == "":
		return "has ended"
	case a.life == ended:
		return text + " (has ended)"
	case a.life == down:
		return text + " (is down)"
	}
	return text
}

// fieldsOf returns the fields of an actor's handler, and its disk. If the
// handler has no fields or the actor is not alive, it returns the text of
// stateOf as one field.
func (c *cast) fieldsOf(a *actor, hidden func(reflect.Type) bool) (list []trace.Field) {
	if a.life != ended && a.life != down && a.process == nil && a.spec.Process == nil {
		list = trace.StateFields(a.behind(), hidden)
	}
	if len(list) == 0 {
		return []trace.Field{{Text: c.stateOf(a, hidden)}}
	}
	if disk := a.disk.text(hidden); disk != "" {
		list = append(list, trace.Field{Text: disk})
	}
	return list
}
