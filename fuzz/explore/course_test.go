package explore_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"
)

// A move is one action of a program's test. The test's course is a list of moves. When an Ask is answered, the next
// move follows at once, even if messages are in flight.
type move struct {
	do   does
	a, b int
}

// A does is the kind of a move, such as an Ask or a Run.
type does uint8

const (
	testAsks     does = iota // the test asks root a a question of kind b
	testSends                // the test sends root a a message of kind b
	testRuns                 // to the end
	testRunsFor              // a units
	testReceives             // reads the messages that the test has received
	testLooks                // reads the state of the roots
	testLives                // asks whether root a is alive
	testTime                 // reads the time
	testKills                // root a
	testStrikes              // causes a fault, if there is a Nemesis
)

var doesNames = []string{"ask", "send", "run", "run for", "received", "look", "alive", "now", "kill", "strike"}

func (m move) String() string { return fmt.Sprintf("%s(%d,%d)", doesNames[m.do], m.a, m.b) }

// drives reports whether the program's test calls Run itself, so that its caller must not.
func (p *program) drives() bool { return p.features&coursing != 0 }

// askingProgram draws a program whose test asks. Depending on the seed, it also has one kind of fault, early
// timers, or steps that conflict by other means than messages.
func askingProgram(seed uint64) *program {
	class, variant := seed/8%16, seed/128%4 // every eighth program is also run by two workers
	p := newProgram(seed, common|checking|[16]features{
		1: crashes, 2: earlyTimers | timers, 3: messageFaults, 4: multiplying, 5: partitions, 6: crashes | surviving, 7: nemeses,
		8: looking, 9: crashes, 10: earlyTimers | timers, 11: foolish, 12: earlyTimers | crashes, 13: panicking}[class])
	p.features |= coursing
	s := &p.settings
	switch class {
	case 1, 9: // nobody comes back
		s.crash, s.kept, s.lost = 1+int(variant/3), 0, 0
	case 2:
		s.early = []int{1, 1, 2, -1}[variant]
	case 10:
		s.early, p.features = 1, p.features|clocked
	case 14:
		p.features |= living
	case 15:
		p.features |= []features{recording, bounding, polling, unwatching | living}[variant]
	}
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 0x61736b)), features: p.features}
	d.simplify(p)
	for range 1 + d.IntN(3) {
		p.course = append(p.course, d.move(p))
	}
	if !slices.ContainsFunc(p.course, func(m move) bool { return m.do == testAsks }) {
		p.course[d.IntN(len(p.course))] = d.ask(p)
	}
	if d.one(3) {
		p.course = append(p.course, move{do: testRuns})
	}
	return p
}

// simplify makes most programs small: two roots that answer at once and at most one earlier message. Every second
// program has no processes and one deed in each rule. In larger programs, a search that misses a conflict of an
// answer may still find all results.
func (d *drawer) simplify(p *program) {
	p.firsts = p.firsts[:d.IntN(2)]
	if len(p.roots) > 2 && !d.one(4) {
		p.roots = p.roots[:2]
	}
	tiny := d.one(2)
	for i := range p.templates {
		t := &p.templates[i]
		if !d.one(4) {
			t.manner = manner(d.IntN(8) / 7) // answers, or defers
		}
		if !tiny {
			continue
		}
		t.process, t.script = false, nil
		t.each(func(_, _, _ int, r *rule) { r.deeds = r.deeds[:min(len(r.deeds), 1)] })
	}
}

// move draws a move, mostly an Ask.
func (d *drawer) move(p *program) move {
	switch do := does(d.IntN(2 * len(doesNames))); {
	case int(do) >= len(doesNames) || do == testAsks:
		return d.ask(p)
	case do == testStrikes && !d.has(nemeses):
		return move{testReceives, 0, 0}
	default:
		return move{do, d.IntN(8), d.IntN(kinds)}
	}
}

// ask draws an Ask, mostly of a root that answers.
func (d *drawer) ask(p *program) move {
	var list []int
	for i, t := range p.roots {
		if x := &p.templates[t]; !x.process && (x.manner == answers || d.one(4)) {
			list = append(list, i)
		}
	}
	if len(list) == 0 || d.one(8) {
		return move{testAsks, d.IntN(len(p.roots)), d.IntN(kinds)}
	}
	return move{testAsks, list[d.IntN(len(list))], d.IntN(kinds)}
}

// follow makes the test's moves, and returns the check of what the test has observed.
func (p *program) follow() (check func() error) {
	w := &p.world
	w.seen = w.seen[:0]
	for _, m := range p.course {
		if p.move(m); w.sys.Failure() != nil {
			break
		}
	}
	return func() error {
		if err := p.judgeSights(); err != nil {
			return err
		}
		return p.check()
	}
}

// move makes one move of the test.
func (p *program) move(m move) {
	w := &p.world
	root := w.refs[m.a%len(w.refs)]
	see := func(x int) { w.seen = append(w.seen, x) }
	switch m.do {
	case testAsks:
		n, _ := w.sys.Ask(root, question(newNote(m.b, 1, 0))).(note)
		see(int(n))
	case testSends:
		w.sys.Send(root, newNote(m.b, m.a/4, 0))
	case testRuns:
		w.sys.Run()
	case testRunsFor:
		w.sys.RunFor(time.Duration(m.a % 4))
	case testReceives:
		for _, x := range w.sys.Received() {
			n, _ := x.(note)
			see(int(n))
		}
	case testLooks:
		for _, a := range w.current {
			if a != nil {
				see(a.state*16 + a.received)
			}
		}
	case testLives:
		see(count(w.sys.Alive(root)))
	case testTime:
		see(int(w.sys.Now()))
	case testKills:
		w.sys.Kill(root)
	case testStrikes:
		at := m.a % len(w.refs)
		see(p.strike(w.sys.Nemesis(), deed{doStrike, m.a + m.b, m.b}, w.refs[at], w.refs[(at+1)%len(w.refs)]))
	}
}

// judgeSights fails about half of the possible sequences of what the test observes. Each fails with its own message.
func (p *program) judgeSights() error {
	sum := uint64(0)
	for _, x := range p.world.seen {
		sum = scramble(sum ^ uint64(x+1))
	}
	if sum%2 == 0 || len(p.world.seen) == 0 {
		return nil
	}
	return fmt.Errorf("the test has seen %v", p.world.seen)
}
