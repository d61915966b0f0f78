package pulse

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

// judge looks at a run that is at rest: who is stuck, what is orphaned, and
// whether the strategy is content.
func (s *System) judge() {
	if f := s.stuck(); f != nil {
		s.fail(f)
		return
	}
	if s.options.Orphans && len(s.orphans) > 0 {
		s.fail(s.orphaned())
		return
	}
	if j, ok := s.strategy.(Judge); ok {
		if err := j.Err(); err != nil {
			s.fail(&Failure{Kind: KindNondeterminism, Text: err.Error(), Step: int(s.steps)})
		}
	}
}

// waits says whether an actor that is alive waits for what, in this
// environment, cannot come.
func (s *System) isStuck(a *actor) bool {
	if a.life != alive || a.ctx.actor == trace.Test {
		return false
	}
	return s.options.Environment == EnvironmentClosed || a.accept != anything && !s.asleep(a)
}

// asleep says that only the end of time keeps a process waiting: a timer that
// is due beyond the horizon would have ended its wait.
func (s *System) asleep(a *actor) bool {
	return a.await != 0 && slices.ContainsFunc(s.timers.heap, func(e entry) bool {
		return e.effect == fire && e.at < forever && e.actor == a.ctx.actor && s.sends[e.send].Ask == a.await
	})
}

// stuck reports every actor that cannot go on: where it waits, what is in its
// mailbox, and the cycle if there is one.
func (s *System) stuck() *Failure {
	var list []*actor
	for _, a := range s.actors {
		if s.isStuck(a) {
			list = append(list, a)
		}
	}
	if len(list) == 0 {
		return nil
	}
	f := &Failure{Kind: KindStuck, Step: -1, Text: s.stuckText(len(list))}
	var b strings.Builder
	for _, a := range list {
		s.describeStuck(&b, a, f)
	}
	if c := s.cycle(list); c != "" {
		fmt.Fprintf(&b, "    cycle: %s\n", c)
	}
	f.Detail = strings.TrimSuffix(b.String(), "\n")
	return f
}

func (s *System) stuckText(n int) string {
	living := 0
	for _, a := range s.actors[1:] {
		if a.life == alive {
			living++
		}
	}
	text := fmt.Sprintf("stuck: %d of %d actors cannot go on, nothing is deliverable", n, living)
	if s.options.Environment == EnvironmentClosed {
		text += " and the environment is closed"
	}
	return text
}

func (s *System) describeStuck(b *strings.Builder, a *actor, f *Failure) {
	where := s.whereWaits(a)
	fmt.Fprintf(b, "    %s waits %s", s.nameOf(a.ctx.actor), where.text)
	if where.frame.Func != "" {
		fmt.Fprintf(b, " at %s:%d (%s)", where.frame.File, where.frame.Line, where.frame.Func)
	}
	if f.Site == "" {
		f.Site = where.frame.Func
		if f.Site == "" {
			f.Site = s.trace.Actors[a.ctx.actor].Label
		}
	}
	list := s.mailbox(a)
	if len(list) == 0 {
		b.WriteString("; its mailbox is empty\n")
		return
	}
	b.WriteString("; in its mailbox:\n")
	for _, line := range list {
		fmt.Fprintf(b, "        %s\n", line)
	}
}

// place is where an actor waits.
type place struct {
	text  string
	frame Frame
}

func (s *System) whereWaits(a *actor) place {
	w := a.waits
	switch {
	case w.text != "":
		return place{text: w.text}
	case a.process == nil:
		return place{text: "for any message"}
	case a.accept == starting:
		return place{text: "for its start"}
	}
	p := place{text: "in " + w.verb}
	if w.on >= 0 {
		p.text += " of " + s.nameOf(w.on)
		if s.actors[w.on].life != alive {
			p.text += ", which has ended,"
		}
	}
	if calls, _ := trimmer.Inner(a.process.stack()); len(calls) > 0 {
		p.frame = stack.FrameOf(calls[0])
	}
	return p
}

// mailbox lists what waits for an actor, in the order of arrival.
func (s *System) mailbox(a *actor) []string {
	var waiting []int32
	if s.unordered {
		for _, m := range s.faults.held {
			if s.sends[m].To == a.ctx.actor {
				waiting = append(waiting, m)
			}
		}
	} else {
		for i := a.inward; i >= 0; i = s.channels[i].sibling {
			for m := s.channels[i].head; m >= 0; m = s.sends[m].Next {
				waiting = append(waiting, m)
			}
		}
	}
	slices.SortFunc(waiting, func(x, y int32) int { return int(s.sends[x].Seq - s.sends[y].Seq) })
	list := make([]string, len(waiting))
	for i, m := range waiting {
		list[i] = label(&s.sends[m]) + " from " + s.nameOf(s.sends[m].From)
	}
	return list
}

// cycle finds processes that ask each other in a circle.
func (s *System) cycle(list []*actor) string {
	for _, first := range list {
		names := []string{s.nameOf(first.ctx.actor)}
		a := first
		for range list {
			if a.accept != replying {
				break
			}
			a = s.actors[a.waits.on]
			names = append(names, s.nameOf(a.ctx.actor))
			if a == first {
				return strings.Join(names, " → ")
			}
		}
	}
	return ""
}

// orphaned reports the messages that were sent to actors that had ended.
func (s *System) orphaned() *Failure {
	d := &s.sends[s.orphans[0]]
	n := len(s.orphans) + s.lost
	f := &Failure{Kind: KindOrphans, Step: -1, Site: s.trace.Actors[d.To].Label,
		Text: fmt.Sprintf("%d %s sent to actors that had ended", n, plural(n, "message was", "messages were"))}
	f.Detail = strings.Join(s.Warnings(), "\n")
	return f
}

func plural(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return many
}

// Warnings says what was odd about the run although it did not fail: each
// message that was sent to an actor that had ended, up to 64 of them.
func (s *System) Warnings() []string {
	var list []string
	for _, m := range s.orphans {
		d := &s.sends[m]
		list = append(list, fmt.Sprintf("    %s from %s to %s, which had ended", label(d), s.nameOf(d.From), s.nameOf(d.To)))
	}
	if s.lost > 0 {
		list = append(list, fmt.Sprintf("    and %d more", s.lost))
	}
	return list
}
