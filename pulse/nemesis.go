package pulse

import (
	"time"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Nemesis lets a program cause faults. The strategy chooses when the faults
// of Options.Faults strike; a Nemesis strikes where the program calls it.
//
// A test calls a Nemesis before Run and between runs. A handler or a process
// gets one from Ctx.Nemesis during a step. The fault then happens at once,
// within that step. The step is scheduled like any other, so a search also
// finds the worst moment for it.
//
// A Nemesis uses no decisions and no budgets: its faults follow from the
// program, and a replay has the same ones. The one exception is what a crash
// loses from a Disk, which is a decision, also between runs. Spec.Safe,
// Faults.Links and Faults.Actors do not protect anybody from a Nemesis. It can
// also lose messages from the test, and it works during Settle.
//
// Cut, Partition, Lose and Delay change a link, which connects one actor to
// another. The change lasts until another call or Heal. No link heals by
// itself, not even at the end of a run: messages at a cut keep waiting. While
// any do, no run fails with KindStuck, since the test may Heal and Run again.
// With EnvironmentClosed it does fail.
//
// A step that calls a Nemesis depends on all other steps. fuzz.Explore prunes
// fewer orders around such steps.
type Nemesis struct{ s *System }

// Nemesis returns the Nemesis of this system.
func (s *System) Nemesis() Nemesis { return Nemesis{s} }

// Nemesis returns the Nemesis of this actor's system.
func (c *Ctx) Nemesis() Nemesis {
	c.ok("Nemesis") // fails the run if it is false
	return Nemesis{c.sys}
}

// Crash crashes an actor and reports whether it was alive; otherwise nothing
// happens. Messages that wait for the actor or are sent to it are lost. Its
// timers, children and watches end, and its watchers receive a Down. Its Disk
// may lose unsynced writes. A step must not crash its own actor or an ancestor
// of it, since the step would end in the middle.
func (n Nemesis) Crash(r Ref) bool {
	if !n.ok("Nemesis.Crash", r) {
		return false
	}
	s := n.s
	if r.actor == trace.Test {
		s.misuse("Nemesis.Crash of the test: it is not an actor of the program; crash one that was spawned")
	}
	a := s.actors[r.actor]
	if s.rec.cur != trace.Test && s.descends(s.rec.cur, r.actor) {
		s.misuse("Nemesis.Crash of %s in a step of %s, which would end in the middle of its step: let another actor crash it, or call Ctx.Stop",
			s.rec.nameOf(r.actor), s.rec.nameOf(s.rec.cur))
	}
	if !n.finds(a, alive) {
		return false
	}
	n.strike(trace.Strike{Kind: trace.Crash, From: r.actor, To: none})
	s.crash(a)
	return true
}

// RestartKept restarts a crashed actor with the state it had, and reports
// whether it was down. For a process call RestartLost, since its code cannot
// continue.
func (n Nemesis) RestartKept(r Ref) bool {
	if !n.ok("Nemesis.RestartKept", r) {
		return false
	}
	a := n.s.actors[r.actor]
	if a.spec.Process != nil {
		n.s.misuse("Nemesis.RestartKept of %s: the code of a process cannot continue after a crash; call RestartLost", n.s.rec.nameOf(r.actor))
	}
	return n.restart(a, false)
}

// RestartLost restarts a crashed actor with a new state, and reports whether it
// was down. It needs Spec.New or Spec.Process. A Starter receives its start as
// a message from itself.
func (n Nemesis) RestartLost(r Ref) bool {
	if !n.ok("Nemesis.RestartLost", r) {
		return false
	}
	a := n.s.actors[r.actor]
	if a.spec.Process == nil && a.spec.New == nil {
		n.s.misuse("Nemesis.RestartLost of %s: it has no function for a new state; spawn it with Spec.New, or call RestartKept",
			n.s.rec.nameOf(r.actor))
	}
	return n.restart(a, true)
}

func (n Nemesis) restart(a *actor, lose bool) bool {
	if !n.finds(a, down) {
		return false
	}
	s := n.s
	handler := s.anew(a, lose) // may panic, so nothing has changed yet
	n.strike(trace.Strike{Kind: trace.Restart, From: a.actor, To: none, Lost: lose})
	a.life = alive
	s.renew(a, handler, a.actor)
	s.mail.reopen(&a.mailbox)
	return true
}

// Partition cuts all links between actors of different groups, in both
// directions. Actors in no group, and actors spawned later, still reach
// everyone. Earlier cuts stay: to replace one partition by another, call Heal
// first.
func (n Nemesis) Partition(groups ...[]Ref) {
	if !n.ok("Nemesis.Partition") {
		return
	}
	of := n.check(groups)
	n.strike(trace.Strike{Kind: trace.Partition, From: none, To: none, Groups: of})
	for i, group := range of {
		for _, other := range of[i+1:] {
			for _, a := range group {
				for _, b := range other {
					n.s.mail.setLink(a, b, func(x *link) { x.cut = true })
					n.s.mail.setLink(b, a, func(x *link) { x.cut = true })
				}
			}
		}
	}
}

// check returns the actors of each group, or fails the run if the groups are
// invalid.
func (n Nemesis) check(groups [][]Ref) (of [][]int32) {
	if len(groups) < 2 {
		n.s.misuse("Nemesis.Partition with fewer than two groups: name the actors of each side")
	}
	group := map[int32]int{}
	for i, refs := range groups {
		if len(refs) == 0 {
			n.s.misuse("Nemesis.Partition: group %d is empty, so it is cut off from nobody: name its actors", i)
		}
		var list []int32
		for _, r := range refs {
			n.s.check(r, "Nemesis.Partition")
			if before, had := group[r.actor]; had {
				n.s.misuse("Nemesis.Partition: %s is in groups %d and %d: name each actor once", n.s.rec.nameOf(r.actor), before, i)
			}
			group[r.actor] = i
			list = append(list, r.actor)
		}
		of = append(of, list)
	}
	return of
}

// Cut cuts the link from one actor to another: messages wait until Heal. The
// link in the other direction does not change.
func (n Nemesis) Cut(from, to Ref) {
	if n.link("Nemesis.Cut", from, to) {
		n.set(trace.Strike{Kind: trace.Cut, From: from.actor, To: to.actor}, func(x *link) { x.cut = true })
	}
}

// Heal restores all links. Messages at a cut continue, messages already delayed
// arrive when they are due, and lost messages stay lost. It does not heal the
// partitions of Options.Faults.
func (n Nemesis) Heal() {
	if n.ok("Nemesis.Heal") {
		n.strike(trace.Strike{Kind: trace.Heal, From: none, To: none})
		n.s.mail.mendLinks()
	}
}

// Lose loses the next count messages from one actor to another: all with
// math.MaxInt, none with zero. It replaces an earlier Lose of this link. A Kill
// or a Down is never lost.
func (n Nemesis) Lose(from, to Ref, count int) {
	if !n.link("Nemesis.Lose", from, to) {
		return
	}
	if count < 0 {
		n.s.misuse("Nemesis.Lose of %d messages: give it the number of messages to lose, math.MaxInt for all, or zero for none", count)
	}
	n.set(trace.Strike{Kind: trace.Loss, From: from.actor, To: to.actor, N: int64(count)}, func(x *link) { x.lose = count })
}

// Delay delays each message sent from one actor to another by d of virtual
// time; zero ends that. It replaces an earlier Delay of this link. With FIFO
// delivery a delayed message also delays those behind it in its channel. A Kill
// or a Down gets no delay of its own.
func (n Nemesis) Delay(from, to Ref, d time.Duration) {
	if !n.link("Nemesis.Delay", from, to) {
		return
	}
	if d < 0 {
		n.s.misuse("Nemesis.Delay by %v: time does not go back; zero ends a delay", d)
	}
	n.set(trace.Strike{Kind: trace.Delay, From: from.actor, To: to.actor, N: int64(d)}, func(x *link) { x.delay = int64(d) })
}

// set records a strike and changes its link.
func (n Nemesis) set(x trace.Strike, f func(*link)) {
	n.strike(x)
	n.s.mail.setLink(x.From, x.To, f)
}

// link reports whether a call about a link may proceed.
func (n Nemesis) link(what string, from, to Ref) bool {
	if !n.ok(what, from, to) {
		return false
	}
	if from.actor == to.actor {
		n.s.misuse("%s from %s to itself: there is no link; name two actors", what, n.s.rec.nameOf(to.actor))
	}
	return true
}

// ok reports whether a call that strikes actors may proceed.
func (n Nemesis) ok(what string, refs ...Ref) bool {
	s := n.s
	if s == nil {
		panic(&Failure{Kind: KindMisuse, Text: what + ": the Nemesis is the zero Nemesis; use that of System.Nemesis or Ctx.Nemesis"})
	}
	if !s.mayCall(what) {
		return false
	}
	if s.calls.running && !s.rec.inStep() {
		s.misuse("%s outside of an actor's step, as in an observer or a strategy: call it from an actor, or from the test between runs", what)
	}
	for _, r := range refs {
		s.check(r, what)
	}
	return true
}

// finds reports whether an actor's life is want. The caller learns that, so it
// is recorded.
func (n Nemesis) finds(a *actor, want life) bool {
	n.s.rec.touch(a.actor, trace.ItsLife, 0)
	n.s.learned(uint64(a.life))
	return a.life == want
}

// strike records a fault that happens now. In a step it depends on all other
// steps: it decides what they can receive, and a waiting message may never be
// received because of it. Then no later step shows that the order mattered. So
// strike touches ItsSteps, which no message can order and for which every
// reduction falls back to all orders.
func (n Nemesis) strike(x trace.Strike) {
	r := &n.s.rec
	r.touch(max(x.From, trace.Test), trace.ItsSteps, 0)
	r.look(trace.Test, trace.AllSteps)
	r.struck(x)
	if most := n.s.mail.limit; r.strikes > most {
		n.s.bound(int(most), "faults", "faults of a Nemesis", "strikes")
	}
	if x.From != none && x.To == none { // changed links are part of the state anyway
		n.s.wasStruck(n.s.actors[x.From], x)
	}
}
