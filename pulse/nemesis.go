package pulse

import (
	"time"

	"github.com/jostle-go/jostle/pulse/trace"
)

// A Nemesis makes things go wrong where the program says so. The faults of
// Options.Faults strike where the strategy chooses; those of a Nemesis strike where
// they are called for.
//
// A test calls a Nemesis before Run and between runs. A handler or a process
// calls it in a step, by Ctx.Nemesis. The fault then happens at once, in the
// middle of that step. The step is scheduled like any other, so a search also finds
// the worst moment for it.
//
// A Nemesis spends no decision and no budget: its faults follow from the program,
// and a case that is played again has the same. Only what a crash takes from a Disk
// is a decision, between runs too. The faults strike whom they are told to
// strike. Spec.Safe, Faults.Links and Faults.Actors do not keep them away, what the
// test sends can be lost too, and they strike in Settle as well.
//
// Cut, Partition, Lose and Delay say what goes wrong on a link, which is the way
// from one actor to another. It goes wrong until another call changes that, or until
// Heal. Nothing heals by itself, not even at the end of a run: messages that wait
// at a cut go on waiting. While there are any, no run fails because somebody is
// stuck, since the test may Heal and Run again. With EnvironmentClosed it does fail.
//
// A step that calls a Nemesis has to do with all other steps. fuzz.Explore leaves
// out fewer orders of a program with such steps.
type Nemesis struct{ s *System }

// Nemesis returns what makes things go wrong in this system.
func (s *System) Nemesis() Nemesis { return Nemesis{s} }

// Nemesis returns what makes things go wrong in the system of this actor.
func (c *Ctx) Nemesis() Nemesis {
	c.ok("Nemesis") // if not, the run fails
	return Nemesis{c.sys}
}

// Crash takes an actor down. What waits for it and what is sent to it is lost,
// its timers, its children and its watches are gone, and its watchers are told. Its
// Disk may lose what was not synced.
// Crash reports whether the actor was alive. One that is down already or has
// ended stays as it is. A step may not crash its own actor, nor one that this
// descends from: it would end in the middle of its step.
func (n Nemesis) Crash(r Ref) bool {
	if !n.ok("Nemesis.Crash", r) {
		return false
	}
	s := n.s
	if r.actor == trace.Test {
		s.misuse("Nemesis.Crash of the test: it is no actor of the program; crash one that was spawned")
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

// RestartKept brings a crashed actor back with its state as it was, and reports
// whether the actor was down. A process has no state to keep: it needs
// RestartLost.
func (n Nemesis) RestartKept(r Ref) bool {
	if !n.ok("Nemesis.RestartKept", r) {
		return false
	}
	a := n.s.actors[r.actor]
	if a.spec.Process != nil {
		n.s.misuse("Nemesis.RestartKept of %s: the code of a process cannot go on after a crash; call RestartLost", n.s.rec.nameOf(r.actor))
	}
	return n.restart(a, false)
}

// RestartLost brings a crashed actor back with a new state, and reports whether
// the actor was down. It needs Spec.New or Spec.Process. A Starter is told of each
// restart, by a message from itself.
func (n Nemesis) RestartLost(r Ref) bool {
	if !n.ok("Nemesis.RestartLost", r) {
		return false
	}
	a := n.s.actors[r.actor]
	if a.spec.Process == nil && a.spec.New == nil {
		n.s.misuse("Nemesis.RestartLost of %s: nothing says what its new state is; spawn it by a Spec with New, or call RestartKept",
			n.s.rec.nameOf(r.actor))
	}
	return n.restart(a, true)
}

func (n Nemesis) restart(a *actor, lose bool) bool {
	if !n.finds(a, down) {
		return false
	}
	s := n.s
	handler := s.anew(a, lose) // which may panic: nothing has changed yet
	n.strike(trace.Strike{Kind: trace.Restart, From: a.actor, To: none, Lost: lose})
	a.life = alive
	s.renew(a, handler, a.actor)
	s.mail.reopen(&a.mailbox)
	return true
}

// Partition cuts all links between actors of different groups, in both
// directions. Who is in no group still reaches everyone, and so do actors that are
// spawned later. What was cut before stays cut: to go from one partition to another,
// Heal comes first.
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

// check returns the actors of groups that can be cut off from each other.
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

// Cut cuts the link from one actor to another: messages wait until it is healed.
// The link the other way stays as it is.
func (n Nemesis) Cut(from, to Ref) {
	if n.link("Nemesis.Cut", from, to) {
		n.set(trace.Strike{Kind: trace.Cut, From: from.actor, To: to.actor}, func(x *link) { x.cut = true })
	}
}

// Heal makes all links sound again. What waited at a cut goes on; what is held
// back already comes when it is due; what is lost stays lost. The partitions of
// Options.Faults have an end of their own.
func (n Nemesis) Heal() {
	if n.ok("Nemesis.Heal") {
		n.strike(trace.Strike{Kind: trace.Heal, From: none, To: none})
		n.s.mail.mendLinks()
	}
}

// Lose lets the next messages from one actor to another be lost, as many as count
// says: all with math.MaxInt, no more with zero. It takes the place of an earlier
// Lose of this link. A Kill and a Down are never lost.
func (n Nemesis) Lose(from, to Ref, count int) {
	if !n.link("Nemesis.Lose", from, to) {
		return
	}
	if count < 0 {
		n.s.misuse("Nemesis.Lose of %d messages: give it how many are lost, math.MaxInt for all, or zero to lose no more", count)
	}
	n.set(trace.Strike{Kind: trace.Loss, From: from.actor, To: to.actor, N: int64(count)}, func(x *link) { x.lose = count })
}

// Delay holds back each message that is sent from one actor to another by d of
// virtual time; zero ends that. It takes the place of an earlier Delay of this
// link. With FIFO delivery a message that is held back holds back those behind it in
// its channel. A Kill and a Down have no delay of their own.
func (n Nemesis) Delay(from, to Ref, d time.Duration) {
	if !n.link("Nemesis.Delay", from, to) {
		return
	}
	if d < 0 {
		n.s.misuse("Nemesis.Delay by %v: time does not go back; zero ends a delay", d)
	}
	n.set(trace.Strike{Kind: trace.Delay, From: from.actor, To: to.actor, N: int64(d)}, func(x *link) { x.delay = int64(d) })
}

// set makes something of a link go wrong, or right again.
func (n Nemesis) set(x trace.Strike, f func(*link)) {
	n.strike(x)
	n.s.mail.setLink(x.From, x.To, f)
}

// link reports whether a call about a link may go on.
func (n Nemesis) link(what string, from, to Ref) bool {
	if !n.ok(what, from, to) {
		return false
	}
	if from.actor == to.actor {
		n.s.misuse("%s from %s to itself: nothing lies between; name two actors", what, n.s.rec.nameOf(to.actor))
	}
	return true
}

// ok reports whether a call may go on that strikes actors.
func (n Nemesis) ok(what string, refs ...Ref) bool {
	s := n.s
	if s == nil {
		panic(&Failure{Kind: KindMisuse, Text: what + ": the Nemesis is the zero Nemesis; use that of System.Nemesis or Ctx.Nemesis"})
	}
	if !s.mayCall(what) {
		return false
	}
	if s.calls.running && !s.rec.inStep() {
		s.misuse("%s in code that is no actor's, such as an observer or a strategy: let an actor do it, or the test between runs", what)
	}
	for _, r := range refs {
		s.check(r, what)
	}
	return true
}

// finds reports whether an actor is where a fault needs it to be. Whoever asks
// learns that.
func (n Nemesis) finds(a *actor, want life) bool {
	n.s.rec.touch(a.actor, trace.ItsLife, 0)
	n.s.learned(uint64(a.life))
	return a.life == want
}

// strike notes that a fault happens now. In a step it has to do with all others. It
// decides what they can receive, and a message that waits may never be received
// because of it: then no step is left to show that the order matters. A touch of
// steps that no message can order makes every reduction give way.
func (n Nemesis) strike(x trace.Strike) {
	r := &n.s.rec
	r.touch(max(x.From, trace.Test), trace.ItsSteps, 0)
	r.look(trace.Test, trace.AllSteps)
	r.struck(x)
	if most := n.s.mail.limit; r.strikes > most {
		n.s.bound(int(most), "faults", "faults of a Nemesis", "strikes")
	}
	if x.From != none && x.To == none { // what links suffer is part of the state
		n.s.wasStruck(n.s.actors[x.From], x)
	}
}
