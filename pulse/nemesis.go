package pulse

import (
	"time"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Nemesis lets a program cause faults at chosen points. The strategy chooses
// when the faults of Options.Faults happen; a Nemesis causes a fault whenever
// the program calls it.
//
// A test calls a Nemesis before Run and between runs. A handler or a process
// gets one from Ctx.Nemesis during a step. The fault then happens at once,
// within that step. The step is scheduled like any other, so a search tries the
// fault at different moments.
//
// A Nemesis uses no budgets, and no decisions except one: the strategy decides
// which unsynced Disk writes a crash loses, also between runs. The program
// determines all other things, so a replay has the same faults. Spec.Safe,
// Faults.Links and Faults.Actors do not limit a Nemesis. A Nemesis can also
// lose messages from the test, and it works during Settle.
//
// Cut, Partition, Lose and Delay change links. A link connects one actor to
// another in one direction. A change lasts until another call replaces the
// change or until Heal, even beyond the end of a run. While a message waits at
// a cut, a run does not fail with KindStuck, because the test may call Heal
// and Run again. With EnvironmentClosed the run does fail.
//
// A step that calls a Nemesis depends on all other steps, so fuzz.Explore
// prunes fewer orders around such steps.
type Nemesis struct{ s *System }

// Nemesis returns a Nemesis for this system.
func (s *System) Nemesis() Nemesis { return Nemesis{s} }

// Nemesis returns a Nemesis for this actor's system.
func (c *Ctx) Nemesis() Nemesis {
	c.ok("Nemesis") // fails the run if the call is not allowed
	return Nemesis{c.sys}
}

// Crash crashes an actor and returns true, or returns false if the actor was
// not alive. Messages that wait for the actor or are sent to it are lost. Its
// timers, children and watches end, and its watchers receive a Down. Its Disk
// may lose unsynced writes. A step must not crash its own actor or an ancestor,
// because the crash would end the step in the middle.
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

// RestartKept restarts a crashed actor with the state it had and returns true,
// or returns false if the actor was not crashed. For a process call
// RestartLost, because the code of a process cannot continue.
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

// RestartLost restarts a crashed actor with a new state and returns true, or
// returns false if the actor was not crashed. The actor's Spec must have New
// or Process. The start message of a restarted Starter or process comes from
// the actor itself.
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
	handler := s.anew(a, lose) // anew may panic, so it is called before any change
	n.strike(trace.Strike{Kind: trace.Restart, From: a.actor, To: none, Lost: lose})
	a.life = alive
	s.renew(a, handler, a.actor)
	s.mail.reopen(&a.mailbox)
	return true
}

// Partition cuts all links between actors of different groups, in both
// directions. Actors in no group, and actors spawned later, keep all their
// links. Partition does not undo earlier cuts: call Heal first to replace a
// partition.
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

// check returns, for each group, the indices of its actors. If the groups are
// invalid, the run fails.
func (n Nemesis) check(groups [][]Ref) (of [][]int32) {
	if len(groups) < 2 {
		n.s.misuse("Nemesis.Partition with fewer than two groups: name the actors of each side")
	}
	group := map[int32]int{}
	for i, refs := range groups {
		if len(refs) == 0 {
			n.s.misuse("Nemesis.Partition with an empty group %d: name its actors", i)
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

// Cut cuts the link from one actor to another, so that messages on it wait
// until Heal. The link in the other direction does not change.
func (n Nemesis) Cut(from, to Ref) {
	if n.link("Nemesis.Cut", from, to) {
		n.set(trace.Strike{Kind: trace.Cut, From: from.actor, To: to.actor}, func(x *link) { x.cut = true })
	}
}

// Heal undoes all changes of links. Messages that wait at a cut can then be
// delivered. Delays that have begun do not end early, and lost messages stay
// lost. Heal does not end a partition of Options.Faults.
func (n Nemesis) Heal() {
	if n.ok("Nemesis.Heal") {
		n.strike(trace.Strike{Kind: trace.Heal, From: none, To: none})
		n.s.mail.mendLinks()
	}
}

// Lose loses the next count messages from one actor to another. With
// math.MaxInt it loses all messages, with zero none. Lose replaces an earlier
// Lose from the same actor to the same actor. A Kill, a Down and a message of
// SendAfter are never lost.
func (n Nemesis) Lose(from, to Ref, count int) {
	if !n.link("Nemesis.Lose", from, to) {
		return
	}
	if count < 0 {
		n.s.misuse("Nemesis.Lose of %d messages: give it the number of messages to lose, math.MaxInt for all, or zero for none", count)
	}
	n.set(trace.Strike{Kind: trace.Loss, From: from.actor, To: to.actor, N: int64(count)}, func(x *link) { x.lose = count })
}

// Delay delays each later message from one actor to another by d of virtual
// time. With d zero, later messages are not delayed. Delay replaces an earlier
// Delay from the same actor to the same actor. A Kill or a Down is not delayed
// itself. But with FIFO delivery a delayed message also delays all later
// messages on the link.
func (n Nemesis) Delay(from, to Ref, d time.Duration) {
	if !n.link("Nemesis.Delay", from, to) {
		return
	}
	if d < 0 {
		n.s.misuse("Nemesis.Delay by %v: the duration must not be negative; zero ends the delay", d)
	}
	n.set(trace.Strike{Kind: trace.Delay, From: from.actor, To: to.actor, N: int64(d)}, func(x *link) { x.delay = int64(d) })
}

// set records a fault of the link from x.From to x.To, and changes the link by
// f.
func (n Nemesis) set(x trace.Strike, f func(*link)) {
	n.strike(x)
	n.s.mail.setLink(x.From, x.To, f)
}

// link reports whether a method that changes the link between two actors may
// proceed. It fails the run if the call is invalid.
func (n Nemesis) link(what string, from, to Ref) bool {
	if !n.ok(what, from, to) {
		return false
	}
	if from.actor == to.actor {
		n.s.misuse("%s from %s to itself: an actor has no link to itself; name two actors", what, n.s.rec.nameOf(to.actor))
	}
	return true
}

// ok reports whether a method of the Nemesis may proceed. It fails the run if
// the call is not allowed or a Ref is invalid.
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

// finds reports whether actor a is alive, down or ended, as want says. The
// caller learns the state of the actor, so finds records a dependency of the
// running step on that state.
func (n Nemesis) finds(a *actor, want life) bool {
	n.s.rec.touch(a.actor, trace.ItsLife, 0)
	n.s.learned(uint64(a.life))
	return a.life == want
}

// strike records a fault x that happens now. If it happens in a step, that step
// conflicts with all other steps, because the fault decides what later steps
// can receive. If a message is never received because of the fault, no later
// step would reveal the conflict. So strike records a Touch of kind ItsSteps,
// for which every reduction falls back to all orders.
func (n Nemesis) strike(x trace.Strike) {
	r := &n.s.rec
	r.touch(max(x.From, trace.Test), trace.ItsSteps, 0)
	r.look(trace.Test, trace.AllSteps)
	r.struck(x)
	if most := n.s.mail.limit; r.strikes > most {
		n.s.bound(int(most), "faults", "faults of a Nemesis", "cause faults")
	}
	if x.From != none && x.To == none { // a crash or a restart; the other faults change links, which the state hash covers
		n.s.wasStruck(n.s.actors[x.From], x)
	}
}
