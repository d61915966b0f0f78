package explore

import (
	"maps"
	"slices"
)

// This file converts between the search in memory and the search's form in a file, the
// type kept.

// putTally copies the results of the runs to k.
func (k *kept) putTally(t *tally) {
	k.Verdict, k.Cut, k.Probed = t.result, t.leftOut, t.probed
	k.Classes = packed(slices.Sorted(maps.Keys(t.classes)))
}

// takeTally copies the results of the runs from k. It clears Bound and Complete, because
// the search continues.
func (k *kept) takeTally(t *tally) {
	t.result, t.leftOut, t.probed = k.Verdict, k.Cut, k.Probed
	used, _ := reductionOf(k.Used)
	r := &t.result
	r.Bound, r.Complete, r.Reduction = NoBound, false, used
	if r.Failures == nil {
		r.Failures = map[string]int{}
	}
	if t.classes == nil {
		t.eachOnce = t.eachOnce && r.Distinct >= 0
		if len(k.Classes) == 0 {
			return
		}
		t.eachOnce, t.classes = false, map[uint64]struct{}{} // early timers had hashes saved without CountDistinct (see countClass)
	}
	for _, class := range unpacked(k.Classes) {
		t.classes[class] = struct{}{}
	}
}

func (k *kept) takeHabits() habits {
	h := &k.Habits
	return habits{received: h.Received, sent: h.Sent, leads: h.Leads, size: int32(len(h.Received)), refused: h.Refused}
}

// putPath copies the path of a depth-first search, with the accesses of its candidates,
// to k.
func (k *kept) putPath(p *path, ts *touches) {
	k.Touches = ts.sets
	for i := range p.nodes {
		n := &p.nodes[i]
		m := keptNode{Hash: n.digest, Kind: n.kind, N: n.answers, Cur: n.current, Step: n.step, Group: n.groupEnd,
			Delay: n.nextGroup, Open: n.opened}
		switch n.kind {
		case turns:
			m.First = n.first
		case picks:
			for _, c := range p.of(n) {
				m.Cands = append(m.Cands, keptCand{c.seq, c.index, c.send, c.actor, c.channel, c.rank, c.touchSet, c.kind, c.mark})
			}
		}
		k.Nodes = append(k.Nodes, m)
	}
}

// takePath copies the path of a depth-first search, with the accesses of its candidates,
// from k.
func (k *kept) takePath(p *path, ts *touches) {
	numbers := []int32{0}
	for _, set := range k.Touches {
		numbers = append(numbers, ts.number(set))
	}
	for i := range k.Nodes {
		m := &k.Nodes[i]
		n := node{digest: m.Hash, kind: m.Kind, answers: m.N, current: m.Cur, step: m.Step, groupEnd: m.Group, pickBefore: p.lastPick(),
			nextGroup: m.Delay, opened: m.Open}
		switch m.Kind {
		case turns:
			n.first = m.First
		case picks:
			n.first = int32(len(p.candidates))
		}
		for _, c := range m.Cands {
			p.candidates = append(p.candidates, candidate{seq: c.Seq, index: c.Index, send: c.Send, actor: c.Actor, channel: c.Channel,
				rank: c.Rank, touchSet: numbers[c.Touches], kind: c.Kind, mark: c.Mark})
		}
		p.nodes = append(p.nodes, n)
	}
}

// putFrames copies the frames of an optimal search to k. The last frame is run next. The
// argument shared is the number of steps that it shares with the last run.
func (k *kept) putFrames(list []*frame, shared int) {
	for _, f := range list {
		k.Frames = append(k.Frames, keptFrameOf(f))
	}
	k.From = shared
}

// takeFrames returns copies of the frames in k, and the argument shared of putFrames.
func (k *kept) takeFrames() (list []*frame, shared int) {
	for i := range k.Frames {
		list = append(list, k.Frames[i].frame())
	}
	return list, k.From
}

func (k *kept) takeUnwanted() unwanted {
	u := unwanted{}
	for _, question := range unpacked(k.Unwanted) {
		u.add(question)
	}
	return u
}

func keptFrameOf(f *frame) keptFrame {
	sets := f.past[:min(len(f.past), len(f.steps)*f.words)]
	g := keptFrame{Base: f.base, Words: f.words, Past: packed(sets), Question: f.question}
	for i := range f.steps {
		s := &f.steps[i]
		t := keptStep{ID: s.id, Hash: s.digest, Index: s.index, N: s.n, ByDefault: s.byDefault, Settled: s.settled}
		for _, a := range f.altsOf(i) {
			t.Alts = append(t.Alts, keptAlt{a.id, a.index})
		}
		for _, q := range f.answersOf(i) {
			t.Answers = append(t.Answers, keptReply{q.value, q.n})
		}
		for _, r := range f.revisitsOf(i) {
			t.Revisits = append(t.Revisits, keptRevisit{r.step, r.id, r.question})
		}
		g.Steps = append(g.Steps, t)
	}
	return g
}

func (g *keptFrame) frame() *frame {
	f := &frame{base: g.Base, words: g.Words, past: unpacked(g.Past), question: g.Question}
	for i := range g.Steps {
		t := &g.Steps[i]
		for _, a := range t.Alts {
			f.alts = append(f.alts, alt{a.ID, a.Index})
		}
		for _, q := range t.Answers {
			f.answers = append(f.answers, reply{q.Value, q.N})
		}
		for _, r := range t.Revisits {
			f.revisits = append(f.revisits, revisit{r.Step, r.ID, r.Question})
		}
		f.steps = append(f.steps, frameStep{id: t.ID, digest: t.Hash, index: t.Index, n: t.N, byDefault: t.ByDefault, settled: t.Settled,
			alts: int32(len(f.alts)), answers: int32(len(f.answers)), revisits: int32(len(f.revisits))})
	}
	return f
}
