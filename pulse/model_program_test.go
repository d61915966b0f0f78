package pulse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// A modelProgram is a random program that runs twice: on a pulse.System and on
// the model, a slow and simple implementation of the documentation.

// A verb is an action of an actor or the test.
type verb int

const (
	doSend      verb = iota // sends a message of kind b to actor a
	doReply                 // sends a message of kind b to the sender of the current message
	doKeep                  // remembers the sender of the current message
	doAnswer                // sends a message of kind b to the remembered sender
	doSpawn                 // spawns an actor of template a
	doStop                  // stops the actor itself
	doSet                   // sets the state to a
	doBecome                // replaces the actor's rules by table a
	doWatch                 // watches actor a
	doKill                  // kills actor a
	doAfter                 // sets a timer for a message of kind b after a time units
	doEvery                 // sets a timer for a message of kind b every a+1 time units
	doStopTimer             // stops the a-th timer that the actor has set
	doChoose                // asks for one of a+1 choices, which becomes the state
	doMayCrash
	doWrite // writes b to disk under name a
	doSync
	doRead      // reads name a from disk
	doUnwatch   // stops watching actor a
	doSendAfter // sends a message of kind b to actor a after c time units
	// The next actions are those of a Nemesis, which an actor or the test uses.
	doCrash     // crashes actor a
	doKept      // restarts actor a with its state
	doLost      // restarts actor a without its state
	doPartition // cuts actor a off from all other actors with index c or more
	doCut       // cuts the link from actor a to actor c
	doHeal
	doLose  // loses b messages from actor a to actor c; all messages if b is 2
	doDelay // delays messages from actor a to actor c by 2b time units
	// The next actions are for processes only: they wait.
	doReceive
	doMatch          // receives a message of one of the kinds in mask a
	doReceiveTimeout // receives a message within a time units
	doAsk            // asks actor a by a message of kind b
	doAskTimeout     // asks actor a by a message of kind b, with a timeout of c time units
	doSleep          // sleeps for a time units
	// The next actions are for the test only.
	doRun
	doRunFor // runs the system for a time units
	doSettle
	verbs
)

var verbNames = [verbs]string{"send", "reply", "keep", "answer", "spawn", "stop", "set", "become", "watch", "kill",
	"after", "every", "stopTimer", "choose", "mayCrash", "write", "sync", "read", "unwatch", "sendAfter", "crash", "kept", "lost", "partition", "cut", "heal", "lose", "delay",
	"receive", "match", "receiveTimeout", "ask", "askTimeout", "sleep",
	"run", "runFor", "settle"}

type action struct {
	do      verb
	a, b, c int
}

func (x action) String() string { return fmt.Sprintf("%s(%d,%d,%d)", verbNames[x.do], x.a, x.b, x.c) }

const (
	modelKinds  = 3 // the number of kinds of the program's own messages
	kindDown    = modelKinds
	modelStates = 2
	modelTables = 2
	modelNames  = 2  // on a disk
	modelActors = 9  // the maximum number of actors, including the test
	modelFuel   = 30 // the maximum number of messages and timers in a run
)

// A template has the options and the rules of the actors that are spawned from
// it.
type template struct {
	process bool
	safe    bool
	renewed bool // whether a restart may lose the actor's state
	starts  bool // set if the actor is a Starter, or a process that calls Started
	room    int  // the bound of its mailbox; 0 means no bound
	oldest  bool // a full mailbox loses its oldest message, not the new one
	rules   [modelTables][modelStates][modelKinds + 1][]action
	script  []action // of a process
}

// modelOptions are the options of pulse that the model knows, as small numbers.
type modelOptions struct {
	unordered, closed, record, orphans, swarm, holds, anyWrite bool
	early, ticks, horizon, steps                               int
	drop, duplicate, delay                                     int
	crash, kept, lost, partition                               int
}

type modelProgram struct {
	seed      uint64 // of the strategy
	options   modelOptions
	templates []template
	test      []action
}

// A maker generates a program. It makes few actors, messages and actions,
// because small programs show the most planted faults.
type maker struct {
	*rand.Rand
	survives bool // whether to draw more crashes, disks and Starters
	nemesis  bool // whether the program uses a Nemesis
	delays   bool // messages may be delayed
}

func newModelProgram(seed uint64) *modelProgram {
	m := maker{rand.New(rand.NewPCG(seed, 1)), seed%4 == 3, seed%3 == 2, false}
	p := &modelProgram{seed: seed, options: m.options()}
	m.delays = p.options.delay > 0
	for range 1 + m.IntN(4) {
		p.templates = append(p.templates, m.template())
	}
	for range 1 + m.IntN(3) {
		p.test = append(p.test, action{doSpawn, m.IntN(4), 0, 0})
	}
	for range 1 + m.IntN(3) {
		for range m.IntN(5) {
			p.test = append(p.test, m.testAction())
		}
		if m.chance(4) {
			p.test = append(p.test, action{doSettle, 0, 0, 0}, m.testAction())
		}
		if m.chance(4) {
			p.test = append(p.test, action{doRunFor, m.IntN(12), 0, 0})
			continue
		}
		p.test = append(p.test, action{doRun, 0, 0, 0})
	}
	return p
}

func (m maker) chance(of int) bool { return m.IntN(of) == 0 }

// some returns a small budget, mostly zero.
func (m maker) some() int { return max(0, m.IntN(6)-3) }

func (m maker) options() modelOptions {
	o := modelOptions{unordered: m.chance(3), closed: m.chance(8), record: m.chance(2), orphans: m.chance(6),
		holds: m.chance(5), steps: 60, ticks: m.IntN(3)}
	if m.chance(3) {
		o.early = m.IntN(4) - 1
	}
	if m.chance(4) {
		o.horizon = 5 + m.IntN(10)
	}
	if m.chance(2) && !m.survives {
		return o
	}
	o.drop, o.duplicate, o.delay = m.some(), m.some(), m.IntN(4)
	o.crash, o.kept, o.lost, o.partition = m.some(), m.some(), m.some(), m.some()
	o.swarm = m.chance(6)
	if m.survives {
		o.crash, o.kept, o.lost, o.anyWrite = 1+m.IntN(3), m.IntN(3), 1+m.IntN(2), m.chance(2)
	}
	return o
}

func (m maker) template() template {
	t := template{process: m.chance(2), safe: m.chance(6), renewed: m.chance(2), starts: m.survives && m.chance(2)}
	if m.chance(5) {
		t.room, t.oldest = 1+m.IntN(2), m.chance(2)
	}
	if t.process {
		for range 1 + m.IntN(7) {
			t.script = append(t.script, m.processAction())
		}
		return t
	}
	answers := m.chance(2)
	for table := range modelTables {
		for state := range modelStates {
			for kind := range modelKinds + 1 {
				if answers {
					t.rules[table][state][kind] = []action{{doReply, 0, kind % modelKinds, 0}}
				}
				for range m.IntN(3) {
					t.rules[table][state][kind] = append(t.rules[table][state][kind], m.action())
				}
			}
		}
	}
	return t
}

var commonVerbs = []verb{doSend, doSend, doSend, doSend, doReply, doReply, doKeep, doAnswer, doSpawn, doSet, doBecome,
	doWatch, doAfter, doAfter, doEvery, doStopTimer, doChoose, doStop, doKill, doWatch, doWatch, doUnwatch, doUnwatch, doUnwatch, doUnwatch, doSendAfter}

var survivingVerbs = []verb{doMayCrash, doMayCrash, doWrite, doWrite, doSync, doRead}

func (m maker) action() action {
	if m.survives && m.chance(2) {
		return action{survivingVerbs[m.IntN(len(survivingVerbs))], m.IntN(8), m.IntN(modelKinds), 0}
	}
	if m.nemesis && m.chance(3) {
		return m.nemesisAction()
	}
	x := action{commonVerbs[m.IntN(len(commonVerbs))], m.IntN(8), m.IntN(modelKinds), m.IntN(6)}
	if (m.survives || m.nemesis) && m.chance(6) { // often set a state, so that a restart can lose it
		x.do = doSet
	}
	switch { // few alternatives, so that different choices are often equal
	case x.do == doWatch || x.do == doUnwatch:
		x.a %= 3
	case x.do == doSend && m.delays:
		x.a = 1 + x.a%2
	}
	return x
}

// nemesisAction returns a Nemesis call on one of few actors, so that one call often affects the next.
func (m maker) nemesisAction() action {
	if m.chance(4) {
		return action{doLose, m.IntN(3), 1, m.IntN(3)}
	}
	x := action{doCrash + verb(m.IntN(int(doDelay-doCrash)+1)), m.IntN(8), m.IntN(modelKinds), m.IntN(6)}
	switch {
	case x.do <= doLost:
		x.a = 1 + x.a%2
	case m.chance(2):
		x.a, x.c = x.a%3, x.c%3
	}
	return x
}

func (m maker) processAction() action {
	if m.chance(2) {
		return m.action()
	}
	x := action{doReceive + verb(m.IntN(int(doSleep-doReceive)+1)), m.IntN(8), m.IntN(modelKinds), m.IntN(6)}
	if m.chance(4) {
		x.do = doAskTimeout
	}
	if x.do == doMatch {
		if x.a = 1 + m.IntN(1<<(modelKinds+1)-1); x.a > 7 {
			x.a = 3 // use mask 3 often, so that consecutive masks are often equal
		}
	}
	return x
}

func (m maker) testAction() action {
	if m.nemesis && m.chance(3) {
		return m.nemesisAction()
	}
	do := []verb{doSend, doSend, doSend, doSend, doSpawn, doKill}[m.IntN(6)]
	return action{do, m.IntN(8), m.IntN(modelKinds), 0}
}

// String shows the parts of a program that are not empty.
func (p *modelProgram) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "seed %d, options %+v\ntest: %v\n", p.seed, p.options, p.test)
	for i, t := range p.templates {
		fmt.Fprintf(&b, "template %d: process %t, safe %t, renewed %t, starts %t, room %d, oldest %t, script %v\n",
			i, t.process, t.safe, t.renewed, t.starts, t.room, t.oldest, t.script)
		t.each(func(table, state, kind int, rule *[]action) {
			if len(*rule) > 0 {
				fmt.Fprintf(&b, "    table %d state %d kind %d: %v\n", table, state, kind, *rule)
			}
		})
	}
	return b.String()
}

func (t *template) each(f func(table, state, kind int, rule *[]action)) {
	for table := range t.rules {
		for state := range t.rules[table] {
			for kind := range t.rules[table][state] {
				f(table, state, kind, &t.rules[table][state][kind])
			}
		}
	}
}

func (p *modelProgram) clone() *modelProgram {
	c := *p
	c.test = slices.Clone(p.test)
	c.templates = slices.Clone(p.templates)
	for i := range c.templates {
		t := &c.templates[i]
		t.script = slices.Clone(t.script)
		t.each(func(_, _, _ int, rule *[]action) { *rule = slices.Clone(*rule) })
	}
	return &c
}

// lists returns pointers to the lists of actions of a program.
func (p *modelProgram) lists() []*[]action {
	list := []*[]action{&p.test}
	for i := range p.templates {
		t := &p.templates[i]
		list = append(list, &t.script)
		t.each(func(_, _, _ int, rule *[]action) { list = append(list, rule) })
	}
	return list
}

// budgets returns pointers to those options that are numbers.
func (o *modelOptions) budgets() []*int {
	return []*int{&o.early, &o.ticks, &o.horizon, &o.drop, &o.duplicate, &o.delay, &o.crash, &o.kept, &o.lost, &o.partition}
}

func (o *modelOptions) flags() []*bool {
	return []*bool{&o.unordered, &o.closed, &o.orphans, &o.swarm, &o.holds, &o.anyWrite}
}

// shrink removes parts of a program, and tries other seeds, until nothing
// smaller satisfies bad.
func (p *modelProgram) shrink(bad func(*modelProgram) bool) *modelProgram {
	for progress := true; progress; {
		progress = false
		for _, q := range p.smaller() {
			for seed := range uint64(40) {
				if q.seed = seed; bad(q) {
					p, progress = q.clone(), true
					break
				}
			}
			if progress {
				break
			}
		}
	}
	return p
}

// smaller lists the programs that are one part smaller.
func (p *modelProgram) smaller() (list []*modelProgram) {
	for i, l := range p.lists() {
		for j := range *l {
			q := p.clone()
			ql := q.lists()[i]
			*ql = slices.Delete(*ql, j, j+1)
			list = append(list, q)
		}
	}
	for i, n := range p.options.budgets() {
		if *n != 0 {
			q := p.clone()
			*q.options.budgets()[i] = 0
			list = append(list, q)
		}
	}
	for i, f := range p.options.flags() {
		if *f {
			q := p.clone()
			*q.options.flags()[i] = false
			list = append(list, q)
		}
	}
	return list
}
