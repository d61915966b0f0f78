package explore_test

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A program is a small random actor program. What an actor does depends only on what it has
// received and chosen. Actors share no memory, so they learn the order at another actor only from
// messages.
//
// A program belongs to one system at a time; a clone may run at the same time.

// features are the actions that a program may perform. Each feature occurs in some of the programs that may have
// it.
type features uint64

const (
	spawning features = 1 << iota
	becoming
	stopping
	killing
	fifo      // a program with neither fifo nor unordered has FIFO delivery
	unordered // a program with fifo and unordered draws one of the two
	processes
	asking   // with processes
	timeouts // processes may call AskTimeout, ReceiveTimeout and Sleep
	timers
	earlyTimers
	choosing
	watching
	messageFaults
	crashes
	partitions
	panicking
	checking // the check after a run may fail
	matching // what a process accepts also depends on senders and states; never drawn: tests set it
	polling  // every third ReceiveTimeout has a timeout of 0; never drawn: tests set it

	// Features that once misled searches. At first, the random programs did not have them.
	skipping  // a rule skips the run
	everying  // periodic timers with few ticks, and timers that are due together
	looking   // handlers read what depends on steps of other actors
	observing // an observer judges the run

	// With surviving, actors may also crash within a step, have disks, and are notified when they
	// start. It implies crashes.
	surviving

	// These are not drawn; tests set them afterwards.
	nemeses      // actors and the test call a Nemesis
	bounding     // every root has a mailbox for one or two messages
	unwatching   // every second Watch is an Unwatch
	sendingLater // every second After is a SendAfter
	coursing     // the test follows a course: it asks, reads and continues; actors send messages to it
	testAsking   // the test asks before and after the Run, and reads the actors' states then
	living       // after a send an actor may call Alive, watch, unwatch or end; doLook then only calls Alive
	clocked      // after a send an actor reads the time
	recording    // actors note calls and returns in a history, which is judged in the end
	sharing      // after a send, an actor uses an object that other actors use, as a goroutine uses a channel

	common = spawning | becoming | stopping | killing | fifo | unordered | processes | asking | timeouts | timers |
		choosing | watching

	multiplying = earlyTimers | messageFaults | crashes | partitions

	foolish = skipping | everying | looking | observing
)

const (
	kinds  = 3
	news   = kinds // the kind that stands for a Down message or a timeout in the table of rules
	states = 3
	tables = 2
)

// A note is an ordinary message. It has a kind, a fuel (the number of further messages
// that it may cause), and its sender's state. It is one byte, so sending it does not
// allocate.
type note uint8

func newNote(kind, fuel, value int) note { return note(kind | fuel<<2 | value<<4) }
func (n note) kind() int                 { return int(n & 3) }
func (n note) fuel() int                 { return int(n >> 2 & 3) }
func (n note) value() int                { return int(n >> 4) }
func (n note) String() string            { return fmt.Sprintf("%d.%d.%d", n.kind(), n.fuel(), n.value()) }

// A question is the message of an Ask.
type question note

// A handed message carries the right to answer a question.
type handed struct {
	note
	asker pulse.Ref
}

// A handedTimer carries the right to stop a timer.
type handedTimer struct{ timer pulse.Timer }

// impatience ends a ReceiveMatch that nothing else has ended.
type impatience struct{}

// A verb is what an actor does in a step.
type verb uint8

const (
	doSend   verb = iota // a message of kind b to actor a
	doReply              // a message of kind b to the sender
	doSpawn              // template a
	doStop               // itself
	doBecome             // table a
	doKill               // actor a
	doAfter              // sends a message of kind b after a+1 units of time
	doChoose             // calls Choose with a alternatives; the choice changes the state and the targets of later deeds
	doWatch              // actor a
	doPanic
	doSkip
	doEvery    // sends a message of kind b every a+1 units of time; an actor does this once
	doLook     // reads property a of actor b; the value changes the state
	doStopMine // stops the timer that the actor has set last
	doHandOver // hands the last timer set to actor a, who stops it
	doStrike   // causes fault a at actor b
	doMayCrash
	doWrite // value b to the disk, under name a
	doSync
	doRead // reads name a from the disk; the value changes the state
)

var verbNames = []string{"send", "reply", "spawn", "stop", "become", "kill", "after", "choose", "watch", "panic", "skip", "every", "look",
	"stop timer", "hand over timer", "strike", "may crash", "write", "sync", "read"}

// A deed is one action of an actor.
type deed struct {
	do   verb
	a, b int
}

func (d deed) String() string { return fmt.Sprintf("%s(%d,%d)", verbNames[d.do], d.a, d.b) }

// A rule is what an actor does when it receives a certain message.
type rule struct {
	next  int // the new state, to which the message's value is added
	deeds []deed
}

// A pause is a way in which a process waits.
type pause uint8

const (
	pauseReceive    pause = iota // any message
	pauseMatch                   // waits for a message whose kind is in the bit mask a; without end only if b is 0
	pauseReceiveFor              // a+1 units
	pauseAsk                     // asks actor a a question of kind b
	pauseAskFor                  // asks actor a a question of kind b, waits c+1 units
	pauseSleep                   // a+1 units
)

var pauseNames = []string{"receive", "match", "receiveFor", "ask", "askFor", "sleep"}

// A line is one line of the script of a process: it does something, then waits.
type line struct {
	deeds   []deed
	pause   pause
	a, b, c int
}

func (l line) String() string {
	return fmt.Sprintf("%v %s(%d,%d,%d)", l.deeds, pauseNames[l.pause], l.a, l.b, l.c)
}

// A manner is a way of handling questions.
type manner uint8

const (
	answers     manner = iota // at once
	defers                    // the actor answers when it receives its next message
	handsOn                   // has another answer
	handsAround               // the actor answers, and passes the question on as well
	manners
)

var mannerNames = []string{"answers", "defers", "hands on", "hands around"}

// A template is a description from which an actor is made.
type template struct {
	process bool
	lasting bool // the process continues to receive after its script
	starts  bool // the actor is notified of its starts; a process reads how it was started
	manner  manner
	heir    int // the actor that answers in its place
	watched int // the root that it watches from its first message on: 0 is none, 1 the first root
	script  []line
	rules   [tables][states][kinds + 1]rule
}

// settings are options of pulse. Their values are small numbers.
type settings struct {
	unordered                        bool
	early                            int
	drop, duplicate, delay           int
	crash, kept, lost, partition     int
	ticks, judged, orphans, closed   int
	anyWrite                         bool
	checked, wrongState, checkedHits int // the check fails if this actor ends in this state after this many messages
}

// A first is a message that the test sends.
type first struct{ to, kind, fuel int }

type program struct {
	seed      uint64
	features  features
	settings  settings
	templates []template
	roots     []int // the templates of the actors that the test spawns
	firsts    []first
	course    []move    // the moves that the test makes next, with no Run at the end
	strikes   [2][]deed // the faults that the test causes by a Nemesis: before the first Run, and between two Runs
	world     world
}

// options returns the options of the system, except strategy and recording.
func (p *program) options() pulse.Options {
	s := p.settings
	o := pulse.Options{Steps: 200, EarlyTimers: s.early, Ticks: s.ticks, Faults: pulse.Faults{
		Drop: s.drop, Duplicate: s.duplicate, Delay: s.delay, DelayBy: []time.Duration{2},
		Crash: s.crash, RestartKept: s.kept, RestartLost: s.lost, Partition: s.partition, UnorderedWrites: s.anyWrite,
	}}
	if s.unordered {
		o.Delivery = pulse.DeliveryUnordered
	}
	if s.closed > 0 {
		o.Environment = pulse.EnvironmentClosed
	}
	o.Orphans = s.orphans > 0
	return o
}

// clone returns a copy of p that shares no memory with p.
func (p *program) clone() *program {
	c := &program{seed: p.seed, features: p.features, settings: p.settings,
		templates: slices.Clone(p.templates), roots: slices.Clone(p.roots), firsts: slices.Clone(p.firsts)}
	for i := range c.templates {
		t := &c.templates[i]
		t.script = slices.Clone(t.script)
	}
	c.course = slices.Clone(p.course)
	c.strikes = p.strikes
	for _, list := range c.lists() {
		*list = slices.Clone(*list)
	}
	return c
}

// lists returns pointers to all lists of deeds in a program.
func (p *program) lists() (lists []*[]deed) {
	lists = append(lists, &p.strikes[0], &p.strikes[1])
	for i := range p.templates {
		t := &p.templates[i]
		for j := range t.script {
			lists = append(lists, &t.script[j].deeds)
		}
		t.each(func(_, _, _ int, r *rule) { lists = append(lists, &r.deeds) })
	}
	return lists
}

func (t *template) each(f func(table, state, kind int, r *rule)) {
	for table := range t.rules {
		for state := range t.rules[table] {
			for kind := range t.rules[table][state] {
				f(table, state, kind, &t.rules[table][state][kind])
			}
		}
	}
}

// String describes the non-empty parts of a program.
func (p *program) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "program %d, features %b\n%+v\nroots %v\nfirst messages (to, kind, fuel) %v, strikes %v\n",
		p.seed, p.features, p.settings, p.roots, p.firsts, p.strikes)
	if p.drives() {
		fmt.Fprintf(&b, "course %v\n", p.course)
	}
	for i, t := range p.templates {
		fmt.Fprintf(&b, "template %d: %s, heir %d, watched %d", i, mannerNames[t.manner], t.heir, t.watched)
		if t.process {
			fmt.Fprintf(&b, ", process, lasting %t", t.lasting)
		}
		if t.starts {
			fmt.Fprint(&b, ", told of its starts")
		}
		fmt.Fprintln(&b)
		for _, l := range t.script {
			fmt.Fprintf(&b, "    %v\n", l)
		}
		t.each(func(table, state, kind int, r *rule) {
			if len(r.deeds) > 0 || r.next != state {
				fmt.Fprintf(&b, "    table %d state %d kind %d: state %d %v\n", table, state, kind, r.next, r.deeds)
			}
		})
	}
	return b.String()
}

// A drawer draws programs.
type drawer struct {
	*rand.Rand
	features
	roots     int
	templates int
	plain     []int // templates of roots that are not processes
}

// newProgram draws a program that does only what the features allow.
func newProgram(seed uint64, f features) *program {
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 0x6a75646765)), features: f}
	d.thin()
	p := &program{seed: seed, features: f, settings: d.settings()}
	d.roots = 2 + d.IntN(3)
	if d.has(multiplying | processes) {
		d.roots = 2 + d.IntN(2)
	}
	d.templates = d.roots + d.IntN(2)
	for i := range d.templates {
		process := d.has(processes) && d.one(2)
		if !process && i < d.roots {
			d.plain = append(d.plain, i)
		}
		p.templates = append(p.templates, template{process: process})
	}
	for i := range p.templates {
		d.fill(&p.templates[i])
	}
	for i := range d.roots {
		p.roots = append(p.roots, i)
	}
	p.firsts = d.firsts()
	p.settings.checked = d.IntN(d.roots)
	if d.has(nemeses) {
		for i := range p.strikes {
			for range max(0, d.IntN(6)-3) {
				p.strikes[i] = append(p.strikes[i], d.strike())
			}
		}
	}
	return p
}

// matchingProgram draws a program whose actors are processes that mostly wait in
// ReceiveMatch.
func matchingProgram(seed uint64) *program {
	p := newProgram(seed, processes|fifo|unordered|choosing|killing|timeouts)
	d := &drawer{Rand: rand.New(rand.NewPCG(seed, 0x6d61746368)), features: p.features}
	p.features |= matching
	p.firsts = p.firsts[:0]
	for range 2 {
		p.firsts = append(p.firsts, first{d.IntN(len(p.roots)), d.IntN(kinds), d.IntN(2)})
	}
	for i := range p.templates {
		t := &p.templates[i]
		t.process, t.lasting, t.script = true, true, t.script[:0]
		for range 1 + d.IntN(3) {
			l := line{pause: pauseMatch, a: 1 + d.IntN(1<<kinds-2), b: 1}
			for range d.IntN(2) {
				l.deeds = append(l.deeds, deed{doSend, d.IntN(8), d.IntN(kinds)})
			}
			t.script = append(t.script, l)
		}
	}
	return p
}

// thin removes some of the features, because programs with few features show faults that programs with all features
// hide. It mostly leaves only one of the features that multiply the number of orders most.
func (d *drawer) thin() {
	left := features(0)
	for bit := spawning; bit <= checking; bit <<= 1 {
		switch {
		case bit&(fifo|unordered) != 0 || bit == processes && !d.one(4) || bit&multiplying == 0 && !d.one(3):
			left |= d.features & bit
		case bit&multiplying != 0 && d.has(bit) && !d.one(4):
			if !d.one(4) {
				left &^= multiplying
			}
			left |= bit
		}
	}
	for bit := skipping; bit <= observing; bit <<= 1 {
		if d.has(bit) && d.one(2) { // keeps the draws of programs without these features unchanged
			left |= bit
		}
	}
	if d.has(surviving) {
		left |= surviving | crashes
	}
	d.features = left | d.features&nemeses
}

func (d *drawer) has(f features) bool { return d.features&f != 0 }
func (d *drawer) one(in int) bool     { return d.IntN(in) == 0 }

// once draws a budget of one or zero.
func (d *drawer) once(f features, in int) int {
	if d.one(in) && d.has(f) {
		return 1
	}
	return 0
}

func (d *drawer) settings() settings {
	s := settings{unordered: d.has(unordered) && (!d.has(fifo) || d.one(2)), early: d.once(earlyTimers, 1)}
	s.drop, s.duplicate, s.delay = d.once(messageFaults, 2), d.once(messageFaults, 2), d.once(messageFaults, 2)
	s.crash, s.partition = d.once(crashes, 1), d.once(partitions, 1)
	if s.kept = d.once(crashes, 3); s.kept == 0 { // not both, because a trace does not distinguish the two kinds of restart
		s.lost = d.once(crashes, 2)
	}
	s.wrongState, s.checkedHits = d.IntN(states), 1+d.IntN(3)
	if d.has(everying) {
		s.ticks = 1 + d.IntN(2)
	}
	if d.has(looking) {
		s.orphans, s.closed = d.once(looking, 4), d.once(looking, 8)
	}
	if d.has(observing) {
		s.judged = 1 + d.IntN(9)
	}
	if d.has(surviving) {
		s.crash, s.partition, s.anyWrite = 1, 0, d.one(2)
		if s.kept, s.lost = count(d.one(2)), 0; s.kept == 0 {
			s.lost = 1
		}
	}
	return s
}

// firsts draws the test's messages: enough for a choice of orders, not for too many. Faults multiply orders, and
// processes add their own messages.
func (d *drawer) firsts() (list []first) {
	fuel, n := 1+d.IntN(2), 2+d.IntN(2)
	if d.has(multiplying) {
		fuel, n = 1, 2
	} else if d.has(processes) {
		n = 2
	}
	for range n {
		list = append(list, first{d.IntN(d.roots), d.IntN(kinds), d.IntN(2)})
	}
	list[0].fuel = fuel
	return list
}

func (d *drawer) fill(t *template) {
	t.lasting, t.heir = d.one(2), d.IntN(d.roots)
	t.manner = []manner{answers, defers, handsOn, handsOn, handsAround}[d.IntN(5)]
	if len(d.plain) > 0 { // an actor that itself waits for the answer cannot give it
		t.heir = d.plain[d.IntN(len(d.plain))]
	}
	if d.has(watching) && d.one(2) {
		t.watched = 1 + d.IntN(d.roots)
	}
	t.starts = d.has(surviving) && d.one(2)
	t.each(func(table, state, kind int, r *rule) {
		r.next = d.IntN(states)
		for range []int{0, 1, 1, 1, 1, 2, 2, 3}[d.IntN(8)] {
			r.deeds = append(r.deeds, d.deed())
		}
	})
	if !t.process {
		return
	}
	for range 1 + d.IntN(2) {
		l := d.line()
		if d.one(3) {
			l.deeds = append(l.deeds, d.deed())
		}
		t.script = append(t.script, l)
	}
}

func (d *drawer) strike() deed { return deed{doStrike, d.IntN(16), d.IntN(8)} }

// deed draws a deed, mostly a send.
func (d *drawer) deed() deed {
	if d.has(nemeses) && d.one(4) {
		return d.strike()
	}
	if d.has(foolish) && d.one(3) {
		if x, ok := d.foolishDeed(); ok {
			return x
		}
	}
	if d.has(surviving) && d.one(2) {
		return deed{[]verb{doMayCrash, doMayCrash, doWrite, doWrite, doSync, doRead}[d.IntN(6)], d.IntN(2), d.IntN(kinds)}
	}
	x := deed{doSend, d.IntN(8), d.IntN(kinds)}
	if d.one(2) {
		return x
	}
	special := []struct {
		needs features
		do    verb
	}{{spawning, doSpawn}, {stopping, doStop}, {stopping, doStop}, {becoming, doBecome}, {killing, doKill}, {timers, doAfter},
		{choosing, doChoose}, {watching, doWatch}, {panicking, doPanic}}
	s := special[d.IntN(len(special))]
	switch {
	case !d.has(s.needs):
		if d.one(2) {
			x.do = doReply
		}
	case s.do == doPanic && !d.one(3):
	default:
		x.do = s.do
	}
	return x
}

// foolishDeed draws a deed of those that once misled searches.
func (d *drawer) foolishDeed() (deed, bool) {
	special := []struct {
		needs features
		do    verb
	}{{skipping, doSkip}, {everying, doEvery}, {everying, doStopMine}, {everying, doHandOver}, {looking, doLook}, {looking, doLook}}
	s := special[d.IntN(len(special))]
	return deed{s.do, d.IntN(16), d.IntN(8)}, d.has(s.needs) && (s.do != doSkip || d.one(2))
}

// line draws a line of a process: where the process waits.
func (d *drawer) line() line {
	l := line{a: d.IntN(8), b: d.IntN(kinds), c: d.IntN(3)}
	switch n := d.IntN(8); {
	case n < 2:
		l.pause = pauseReceive
	case n < 4 || !d.has(asking|timeouts):
		l.pause, l.a = pauseMatch, 1+d.IntN(1<<kinds-2)
	case d.has(asking) && len(d.plain) > 0 && (n < 7 || !d.has(timeouts)):
		l.pause, l.a = pauseAsk, d.plain[d.IntN(len(d.plain))]
		if d.has(timeouts) && d.one(3) {
			l.pause, l.a = pauseAskFor, d.IntN(d.roots)
		}
	case d.has(timeouts):
		l.pause = []pause{pauseReceiveFor, pauseReceiveFor, pauseSleep}[d.IntN(3)]
	}
	return l
}

// shrink leaves out parts of a program while fails holds. It returns the smallest program
// reached.
func (p *program) shrink(fails func(*program) bool) *program {
	for {
		list := p.smaller()
		i := slices.IndexFunc(list, fails)
		if i < 0 {
			return p
		}
		p = list[i]
	}
}

// smaller lists copies of p that each lack one part, largest parts first.
func (p *program) smaller() (list []*program) {
	try := func(change func(q *program)) {
		q := p.clone()
		change(q)
		list = append(list, q)
	}
	for i := range p.firsts {
		try(func(q *program) { q.firsts = slices.Delete(q.firsts, i, i+1) })
		if p.firsts[i].fuel > 0 {
			try(func(q *program) { q.firsts[i].fuel-- })
		}
	}
	for i := range p.course {
		try(func(q *program) { q.course = slices.Delete(q.course, i, i+1) })
	}
	if len(p.roots) > 1 {
		for i := range p.roots {
			try(func(q *program) { q.roots = slices.Delete(q.roots, i, i+1) })
		}
	}
	for i, n := range p.settings.parts() {
		if *n != 0 {
			try(func(q *program) { *q.settings.parts()[i] = 0 })
		}
	}
	if p.settings.unordered {
		try(func(q *program) { q.settings.unordered = false })
	}
	if p.settings.anyWrite {
		try(func(q *program) { q.settings.anyWrite = false })
	}
	p.smallerTemplates(try)
	return list
}

func (p *program) smallerTemplates(try func(func(*program))) {
	for i := range p.templates {
		t := &p.templates[i]
		if t.process {
			try(func(q *program) { q.templates[i].process, q.templates[i].script = false, nil })
		}
		if t.starts {
			try(func(q *program) { q.templates[i].starts = false })
		}
		if t.manner != answers {
			try(func(q *program) { q.templates[i].manner = answers })
		}
		if t.watched > 0 {
			try(func(q *program) { q.templates[i].watched = 0 })
		}
		for j := range t.script {
			try(func(q *program) { q.templates[i].script = slices.Delete(q.templates[i].script, j, j+1) })
		}
		t.each(func(table, state, kind int, r *rule) {
			if r.next != state {
				try(func(q *program) { q.templates[i].rules[table][state][kind].next = state })
			}
		})
	}
	for i, l := range p.lists() {
		for j := range *l {
			try(func(q *program) { *q.lists()[i] = slices.Delete(*q.lists()[i], j, j+1) })
		}
	}
}

// parts returns pointers to the settings that can be set to zero.
func (s *settings) parts() []*int {
	return []*int{&s.early, &s.drop, &s.duplicate, &s.delay, &s.crash, &s.kept, &s.lost, &s.partition, &s.ticks, &s.judged, &s.orphans, &s.closed}
}

// A world is the state of a program in a system.
type world struct {
	refs    []pulse.Ref // the roots: the actors as they are before the first step
	current []*actor    // the current actors of the roots
	actors  []*actor    // actors that can be reused; actors[:used] belong to this run
	used    int
	skips   int   // messages that a process has passed over; for statistics only
	history []int // the events that actors have noted, in order
	objects [2]object
	seen    []int // what the test has observed in its course
	wrong   error // made once
	sys     *pulse.System
	test    pulse.Ref
}

// A judge is an observer. It fails runs in which a step of one actor comes right after a step of
// another.
type judge int

func (j judge) Stepped(s *pulse.System, step int) {
	t := s.Trace()
	if step > 0 && int(t.Steps[step-1].Actor) == 1+int(j)%3 && int(t.Steps[step].Actor) == 1+int(j)/3 {
		s.Fail(&pulse.Failure{Kind: pulse.KindProperty, Text: "judged " + string(rune('a'+int(j)))})
	}
}

// mostChildren is the largest number of children of an actor, and generations the largest depth.
const (
	mostChildren = 2
	generations  = 2
)

// An actor is the state of one actor of a program: everything on which the actor's behavior depends.
type actor struct {
	*program
	*template
	guises     [tables]guise
	beginner   beginner
	known      []pulse.Ref // the actors that it knows in addition to the roots: its parent and children
	generation int
	children   int
	state      int
	received   int
	deferred   pulse.Ref // the actor that waits for this actor's deferred answer, if any
	past       uint64    // a hash of everything that the actor has received and chosen
	ticking    bool
	timer      pulse.Timer
}

// A guise is one of the handlers of an actor.
type guise struct {
	*actor
	table int
}

// A beginner is the first handler of an actor that is notified of its starts.
type beginner struct{ *guise }

// Started reads the disk, and does the same deeds as at a Down message.
func (b *beginner) Started(ctx *pulse.Ctx, how pulse.Start) { b.begins(ctx, how) }

// begins does what an actor does when it starts.
func (a *actor) begins(ctx *pulse.Ctx, how pulse.Start) {
	a.notice(ctx, int(how))
	a.do(ctx, []deed{{do: doRead}}, 0)
	a.do(ctx, a.rules[0][a.state][news].deeds, newNote(news, 1, a.state))
}

// handler returns the first handler of an actor.
func (a *actor) handler() pulse.Actor {
	if a.starts {
		return &a.beginner
	}
	return &a.guises[0]
}

// Build puts the program into a system that has just been made or reset.
func (p *program) Build(sys *pulse.System) (check func() error) {
	w := &p.world
	w.sys, w.test = sys, sys.Host().Running()
	if p.settings.judged > 0 {
		sys.Observe(judge(p.settings.judged))
	}
	w.refs, w.current, w.used, w.history = w.refs[:0], w.current[:0], 0, w.history[:0]
	w.objects = [2]object{}
	for i, t := range p.roots {
		w.current = append(w.current, nil)
		if !p.renewable() && !p.templates[t].process && p.features&bounding == 0 {
			w.current[i] = p.actor(t, 0, nil)
			w.refs = append(w.refs, sys.Spawn("root", w.current[i].handler()))
			continue
		}
		s := p.spec("root", func() *actor {
			w.current[i] = p.actor(t, 0, nil)
			return w.current[i]
		}, t)
		if p.features&bounding != 0 {
			s.Mailbox, s.OnFull = 1+i%2, pulse.Overflow(p.seed%7%3)
		}
		w.refs = append(w.refs, sys.SpawnSpec(s))
	}
	for _, f := range p.firsts {
		sys.Send(w.refs[f.to%len(w.refs)], newNote(f.kind, f.fuel, 0))
	}
	p.strikeByTest(0)
	if len(p.strikes[1]) > 0 && sys.Run() {
		p.strikeByTest(1)
	}
	if p.drives() {
		return p.follow()
	}
	if p.features&testAsking == 0 {
		return p.check
	}
	sys.Send(w.refs[0], newNote(p.asks(), 1, 0))
	return func() error { return cmp.Or(p.check(), p.lookAfter(p.asks())) }
}

// strikeByTest causes the faults that the test itself causes.
func (p *program) strikeByTest(i int) {
	w := &p.world
	for _, x := range p.strikes[i] {
		at := x.b % len(w.refs)
		p.strike(w.sys.Nemesis(), x, w.refs[at], w.refs[(at+1+x.a/8)%len(w.refs)])
	}
}

// strike causes a fault at an actor, or between two actors. It returns 1 if the fault had an effect, else
// 0.
func (p *program) strike(n pulse.Nemesis, x deed, at, other pulse.Ref) int {
	switch k := x.a % 8; {
	case k == 0:
		return count(n.Crash(at))
	case k == 1:
		return count(n.RestartLost(at))
	case k == 2:
		n.Heal()
	case at == other:
	case k == 3:
		n.Lose(at, other, 1+x.b%2)
	case k == 4:
		n.Delay(at, other, 2)
	case k == 5:
		n.Partition([]pulse.Ref{at}, []pulse.Ref{other})
	default:
		n.Cut(at, other)
	}
	return 0
}

// asks has the test ask a root that answers, if there is one. It returns a number that depends on the answer and on the
// states of the roots at that moment.
func (p *program) asks() int {
	w := &p.world
	answer := any(nil)
	for i, t := range p.roots {
		if x := &p.templates[t]; !x.process && x.manner == answers {
			answer = w.sys.Ask(w.refs[i], question(newNote(0, 1, 0)))
			break
		}
	}
	n, _ := answer.(note)
	sum := int(n)
	for _, a := range w.current {
		if a != nil {
			sum += a.state + a.received
		}
	}
	return sum % kinds
}

// lookAfter fails a run if the test has observed a certain number during the run.
func (p *program) lookAfter(seen int) error {
	if p.world.sys.Failure() == nil && seen == 2 {
		return errLooked
	}
	return nil
}

var errLooked = errors.New("the test has seen 2")

// renewable reports whether actors may be restarted, so that their Spec must say how to make them.
func (p *program) renewable() bool { return p.settings.lost > 0 || p.features&nemeses != 0 }

// check returns an error unless the checked actor ended as required.
func (p *program) check() error {
	if err := p.judgeHistory(); err != nil {
		return err
	}
	if p.features&checking == 0 {
		return nil
	}
	s := &p.settings
	a := p.world.current[s.checked%len(p.world.current)]
	if a == nil || a.state != s.wrongState || a.received != s.checkedHits {
		return nil
	}
	if p.world.wrong == nil {
		p.world.wrong = errors.New("the checked actor ended in a wrong state")
	}
	return p.world.wrong
}

// note adds an event of the actor to the history.
func (a *actor) note(what int) {
	if a.features&recording != 0 {
		a.world.sys.Host().Touch(trace.TheTest)
		a.world.history = append(a.world.history, a.number()*kinds+what%kinds)
	}
}

// An object is shared by actors. Its number depends on the step that used it first.
type object struct {
	number uint32
	used   bool
	users  []int
}

// use reads or changes an object.
func (a *actor) use(ctx *pulse.Ctx, which int) {
	o, host := &a.world.objects[which%2], a.world.sys.Host()
	first := !o.used
	if first {
		o.used, o.number = true, uint32(host.Identity()>>20)+uint32(which%2)
	}
	host.TouchObject(o.number, first)
	a.notice(ctx, len(o.users))
	o.users = append(o.users, a.number())
}

// number returns a number for an actor that is the same in all orders: the number of its root, or 0 if it is no
// root.
func (a *actor) number() int {
	return 1 + slices.Index(a.world.current, a)
}

// judgeHistory fails about half of the histories, each with its own message. So comparing the failures of all orders
// with those of a reduction compares their histories.
func (p *program) judgeHistory() error {
	for i, list := range [][]int{p.world.history, p.world.objects[0].users, p.world.objects[1].users} {
		sum := uint64(0)
		for _, event := range list {
			sum = scramble(sum ^ uint64(event+1))
		}
		if sum%2 == 1 {
			return fmt.Errorf("history %d is %v", i, list)
		}
	}
	return nil
}

// spec describes an actor that the function fresh makes, at the actor's first start and at each
// restart.
func (p *program) spec(name string, fresh func() *actor, template int) pulse.Spec {
	if p.templates[template].process {
		return pulse.Spec{Name: name, Process: func(c *pulse.Process) { fresh().live(c) }}
	}
	return pulse.Spec{Name: name, New: func() pulse.Actor { return fresh().handler() }}
}

// actor returns an actor, in the memory of an actor of an earlier run if there is one.
func (p *program) actor(template, generation int, parent *pulse.Ref) *actor {
	w := &p.world
	if w.used == len(w.actors) {
		a := &actor{program: p}
		for table := range a.guises {
			a.guises[table] = guise{a, table}
		}
		a.beginner = beginner{&a.guises[0]}
		w.actors = append(w.actors, a)
	}
	a := w.actors[w.used]
	w.used++
	a.template = &p.templates[template]
	a.known, a.generation, a.children = a.known[:0], generation, 0
	a.state, a.received, a.deferred, a.past = 0, 0, pulse.Ref{}, uint64(template+1)
	a.ticking, a.timer = false, pulse.Timer{}
	if parent != nil {
		a.known = append(a.known, *parent)
	}
	return a
}

// digest is a hash of the state of the actors.
func (p *program) digest() (sum uint64) {
	for _, a := range p.world.actors[:p.world.used] {
		sum += scramble(a.past ^ uint64(a.state))
	}
	return sum
}

// target returns an actor that a knows.
func (a *actor) target(i int) pulse.Ref {
	roots := a.world.refs
	if i %= len(roots) + len(a.known); i < len(roots) {
		return roots[i]
	}
	return a.known[i-len(roots)]
}

func (a *actor) remember(x int) { a.past = scramble(a.past ^ uint64(x+1)) }

// Receive handles a message with the handler that the guise stands for.
func (g *guise) Receive(ctx *pulse.Ctx, msg any) { g.take(ctx, msg, g.table) }

// take handles any message.
func (a *actor) take(ctx *pulse.Ctx, msg any, table int) {
	var n note
	column := -1
	switch m := msg.(type) {
	case note:
		n = m
	case question:
		n = note(m)
	case handed:
		n = m.note
		ctx.Send(m.asker, newNote(n.kind(), 0, a.state))
	case handedTimer:
		a.notice(ctx, count(m.timer.Stop()))
		return
	case pulse.Down:
		n, column = newNote(news, 1, len(m.Reason)%states), news
	default: // an early clock tick, or a timeout
		n, column = newNote(news, 1, 0), news
	}
	if column < 0 {
		column = n.kind()
	}
	if !a.deferred.IsZero() {
		ctx.Send(a.deferred, newNote(n.kind(), 0, a.state))
		a.deferred = pulse.Ref{}
	}
	if _, ok := msg.(question); ok {
		a.dealWith(ctx, n)
	}
	if a.received == 0 && a.watched > 0 && a.target(a.watched-1) != ctx.Self() {
		ctx.Watch(a.target(a.watched - 1))
	}
	a.received++
	a.remember(int(n))
	if n.kind() != 1 { // two of three
		a.note(n.kind())
	}
	r := &a.rules[table][a.state][column]
	a.state = (r.next + n.value()) % states
	a.do(ctx, r.deeds, n)
}

// dealWith handles a question.
func (a *actor) dealWith(ctx *pulse.Ctx, n note) {
	answer := newNote(n.kind(), 0, a.state)
	switch a.manner {
	case answers:
		ctx.Reply(answer)
	case defers:
		a.deferred = ctx.Sender()
	case handsAround:
		ctx.Send(a.target(a.heir), handed{answer, ctx.Sender()})
		ctx.Reply(answer)
	case handsOn:
		ctx.Send(a.target(a.heir), handed{answer, ctx.Sender()})
		ctx.Send(a.target(a.heir+1), handed{answer, ctx.Sender()})
	}
}

// do does the deeds that follow a message. Only a message with fuel causes other messages, so every run
// ends.
func (a *actor) do(ctx *pulse.Ctx, deeds []deed, n note) {
	shift := 0
	for _, x := range deeds {
		switch x.do {
		case doStop:
			ctx.Stop()
		case doBecome:
			if !a.process {
				ctx.Become(&a.guises[x.a%tables])
			}
		case doChoose:
			shift = ctx.Choose(2 + x.a%2)
			ctx.Log("chose %d", shift)
			a.remember(shift)
			a.state = (a.state + shift) % states
		case doPanic:
			panic("a rule of " + string(rune('a'+x.b)) + " said so")
		case doSkip:
			a.world.sys.Fail(skips)
		case doEvery:
			if !a.ticking {
				a.ticking = true
				a.timer = ctx.Every(time.Duration(x.a%2+1), newNote(x.b, 0, 0))
			}
		case doStopMine:
			a.notice(ctx, count(a.timer.Stop()))
		case doHandOver:
			if to := a.target(x.a); to != ctx.Self() && n.fuel() > 0 {
				ctx.Send(to, handedTimer{a.timer})
			}
		case doMayCrash:
			ctx.MayCrash()
		case doWrite:
			ctx.Disk().Write(string(rune('x'+x.a)), x.b)
		case doSync:
			ctx.Disk().Sync()
		case doRead:
			if v, ok := ctx.Disk().Read(string(rune('x' + x.a))); ok {
				a.notice(ctx, 1+v.(int))
			}
		case doLook:
			a.notice(ctx, a.look(ctx, x))
		default:
			if n.fuel() > 0 {
				a.cause(ctx, x, n, shift)
			}
		}
	}
}

// notice makes the behavior of an actor depend on a number.
func (a *actor) notice(ctx *pulse.Ctx, x int) {
	ctx.Log("noticed %d", x)
	a.remember(x)
	a.state = (a.state + x) % states
}

// look returns something that an actor reads and that may depend on the steps of other actors.
func (a *actor) look(ctx *pulse.Ctx, x deed) int {
	s, other := a.world.sys, a.target(x.b)
	if a.features&living != 0 {
		return count(s.Alive(other))
	}
	switch x.a % 10 {
	case 0:
		return s.Steps()
	case 1:
		return len(s.Received())
	case 2:
		return len(s.Warnings())
	case 3:
		return other.Index()
	case 4, 5:
		return int(other.String()[len(other.String())-1])
	case 6:
		return count(s.Alive(other))
	case 7:
		return int(ctx.Now())
	case 8:
		return len(s.Trace().Steps)
	default:
		return len(s.Record().Deliveries)
	}
}

// cause does the deeds that need fuel.
func (a *actor) cause(ctx *pulse.Ctx, x deed, n note, shift int) {
	child := newNote(x.b, n.fuel()-1, a.state)
	to := a.target(x.a + shift)
	if a.features&coursing != 0 && x.do == doSend && x.b == 1 {
		to = a.world.test
	}
	switch x.do {
	case doSend:
		ctx.Send(to, child)
		if x.b == 2 {
			a.note(1)
		}
		if a.features&sharing != 0 {
			a.use(ctx, x.b)
		}
		if a.features&living != 0 {
			a.lives(ctx, x, n)
		}
		if a.features&clocked != 0 && (x.a+x.b+n.value())%2 == 0 {
			a.notice(ctx, int(ctx.Now()))
		}
	case doReply:
		if s := ctx.Sender(); !s.IsZero() && (s != a.world.test || a.features&looking != 0) { // the test reads answers only with the feature looking
			ctx.Send(s.Actor(), child)
		}
	case doSpawn:
		a.spawn(ctx, x.a, child)
	case doKill:
		if to != ctx.Self() {
			ctx.Kill(to)
		}
	case doStrike:
		at := a.target(x.b)
		if x.a%8 > 0 || at != ctx.Self() && a.generation == 0 { // a crash (fault 0) must not hit the actor whose step causes it
			a.notice(ctx, a.strike(ctx.Nemesis(), x, at, to))
		}
	case doAfter:
		if a.features&sendingLater != 0 && x.b%2 == 0 {
			a.timer = ctx.SendAfter(to.Actor(), time.Duration(x.a%3+1), child)
			return
		}
		ctx.After(time.Duration(x.a%3+1), child)
	case doWatch:
		if a.features&unwatching != 0 && x.b%2 == 0 {
			ctx.Unwatch(to)
			return
		}
		if to != ctx.Self() && n.kind() != news { // a Watch in answer to a Down could repeat forever
			ctx.Watch(to)
		}
	}
}

// lives does a deed that conflicts on an actor's lifetime.
func (a *actor) lives(ctx *pulse.Ctx, x deed, n note) {
	switch other := a.target(x.b); (x.a + n.value()) % 4 {
	case 0:
		a.notice(ctx, count(a.world.sys.Alive(other)))
	case 1:
		if other != ctx.Self() && n.kind() != news {
			ctx.Watch(other)
		}
	case 2:
		if n.kind() == 0 {
			ctx.Stop()
		}
	case 3:
		if a.features&unwatching != 0 {
			ctx.Unwatch(other)
		}
	}
}

// spawn makes a child and sends it a message.
func (a *actor) spawn(ctx *pulse.Ctx, template int, n note) {
	if a.children == mostChildren || a.generation == generations {
		return
	}
	a.children++
	template %= len(a.templates)
	parent, generation := ctx.Self(), a.generation+1
	child := ctx.SpawnSpec(a.spec("child", func() *actor {
		return a.program.actor(template, generation, &parent)
	}, template))
	a.known = append(a.known, child)
	ctx.Send(child, n)
}

// live is the code of a process.
func (a *actor) live(c *pulse.Process) {
	if a.features&recording != 0 {
		defer a.note(2) // deferred, so that a step that kills the process makes the note too
	}
	if a.starts {
		a.begins(c.Ctx, c.Started())
	}
	for i := range a.script {
		l := &a.script[i]
		a.do(c.Ctx, l.deeds, newNote(0, 1, a.state))
		a.take(c.Ctx, a.pauses(c, l), 0)
	}
	for a.lasting {
		a.take(c.Ctx, c.Receive(), 0)
	}
}

// pauses makes a process wait as a line of its script says, and returns the message that ended the
// wait.
func (a *actor) pauses(c *pulse.Process, l *line) (msg any) {
	ask := question(newNote(l.b, 1, a.state))
	switch l.pause {
	case pauseReceive:
		return c.Receive()
	case pauseMatch:
		return a.match(c, l)
	case pauseReceiveFor:
		d := l.a%3 + 1
		if a.features&polling != 0 {
			d--
		}
		msg, _ = c.ReceiveTimeout(time.Duration(d))
	case pauseAsk:
		return c.Ask(a.target(l.a), ask)
	case pauseAskFor:
		msg, _ = c.AskTimeout(a.target(l.a), ask, time.Duration(l.c+1))
	case pauseSleep:
		c.Sleep(time.Duration(l.a%3 + 1))
	}
	return msg
}

// sort returns the value by which a predicate distinguishes notes. It is a note's kind, or, with the feature matching,
// something that depends on the sender's and the receiver's states.
func (a *actor) sort(n note) int {
	if a.features&matching == 0 {
		return n.kind()
	}
	return (n.kind() + n.value() + a.state) % kinds
}

// match makes an operation that waits for messages of some types. Most of these operations have a
// timeout, because a process that waits forever fails the run.
func (a *actor) match(c *pulse.Process, l *line) any {
	var patience pulse.Timer
	if l.b > 0 {
		patience = c.After(10, impatience{})
	}
	msg := c.ReceiveMatch(func(msg any) bool {
		wanted := true
		switch m := msg.(type) {
		case note:
			wanted = l.a>>a.sort(m)&1 != 0
		case question:
			wanted = l.a>>a.sort(note(m))&1 != 0
		}
		if !wanted {
			a.world.skips++
		}
		return wanted
	})
	patience.Stop()
	return msg
}
