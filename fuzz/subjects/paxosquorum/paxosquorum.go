// Package paxosquorum is an example program with a known bug. Its property: acceptors
// agree on one value.
//
// The mistake is a common one in collections of broken protocols; the program, Paxos for a
// single decision (Lamport, The Part-Time Parliament), is ours.
//
// Each proposer has its own ballot. It asks the acceptors for promises, and then asks them
// to accept a value. The value is the one accepted with the highest ballot, among those in
// the promises, or else the proposer's own value. A quorum must be a majority, so that any
// two quorums have an acceptor in common. In the broken form a quorum is one smaller. Then
// two proposers may not hear of each other, and each believes that its value is chosen.
//
// Subject.Depth is 1, with three acceptors: at the last acceptor, the prepare of the
// second proposer comes after the accept of the first. That acceptor is the quorum of the
// first proposer. The first acceptor is the quorum of the second proposer.
package paxosquorum

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// three acceptors and two proposers, which propose 1 and 2.
type Config struct {
	Acceptors int   // 0 means 3
	Values    []int // the value of each proposer; nil means 1 and 2
	Mended    bool
}

type (
	propose struct{}
	prepare struct{ ballot int }
	promise struct{ ballot, accepted, value int } // accepted is the ballot with which value was accepted; 0 if none was
	accept  struct{ ballot, value int }
	accepts struct{ ballot int }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) { return c.start(sys).agree }

// start adds the program to a system.
func (c Config) start(sys *pulse.System) proposers {
	n, values := c.Acceptors, c.Values
	if n == 0 {
		n = 3
	}
	if values == nil {
		values = []int{1, 2}
	}
	quorum := n/2 + 1
	if !c.Mended {
		quorum--
	}
	acceptors := make([]pulse.Ref, n)
	for i := range acceptors {
		acceptors[i] = sys.Spawn("acceptor", &acceptor{})
	}
	list := make(proposers, len(values))
	for i, v := range values {
		list[i] = &proposer{acceptors: acceptors, quorum: quorum, ballot: i + 1, value: v}
		sys.Send(sys.Spawn("proposer", list[i]), propose{})
	}
	return list
}

type proposers []*proposer

// agree returns an error if two proposers believe that different values are chosen.
func (list proposers) agree() error {
	for i, p := range list {
		for j, q := range list[:i] {
			if p.chosen() && q.chosen() && p.value != q.value {
				return fmt.Errorf("two values are chosen: %d for proposer %d, %d for proposer %d", q.value, j+1, p.value, i+1)
			}
		}
	}
	return nil
}

// chosen reports whether some proposer believes that its value is chosen.
func (list proposers) chosen() bool { return slices.ContainsFunc(list, (*proposer).chosen) }

// A proposer tries one ballot.
type proposer struct {
	acceptors []pulse.Ref
	quorum    int
	ballot    int
	value     int // the proposer's own value, until it learns of another value
	highest   int // the highest ballot of which the proposer has learned a value
	promises  int
	accepted  int
}

func (p *proposer) chosen() bool { return p.accepted >= p.quorum }

func (p *proposer) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case propose:
		p.tell(ctx, prepare{p.ballot})
	case promise:
		p.promised(ctx, msg)
	case accepts:
		p.accepted++
	}
}

// promised counts a promise. Promises after a quorum have no effect.
func (p *proposer) promised(ctx *pulse.Ctx, msg promise) {
	if p.promises++; p.promises > p.quorum {
		return
	}
	if msg.accepted > p.highest {
		p.highest, p.value = msg.accepted, msg.value
	}
	if p.promises == p.quorum {
		p.tell(ctx, accept{p.ballot, p.value})
	}
}

func (p *proposer) tell(ctx *pulse.Ctx, msg any) {
	for _, a := range p.acceptors {
		ctx.Send(a, msg)
	}
}

// An acceptor ignores ballots older than the newest ballot that it has
// promised.
type acceptor struct {
	promised        int
	accepted, value int
}

func (a *acceptor) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case prepare:
		if msg.ballot > a.promised {
			a.promised = msg.ballot
			ctx.Reply(promise{msg.ballot, a.accepted, a.value})
		}
	case accept:
		if msg.ballot >= a.promised {
			a.promised, a.accepted, a.value = msg.ballot, msg.ballot, msg.value
			ctx.Reply(accepts{msg.ballot})
		}
	}
}
