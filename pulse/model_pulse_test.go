package pulse_test

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A modelMark identifies a message of a run by its kind, sender, receiver and
// contents. Ticks of one timer have the same mark, and so do copies made by
// faults.
type modelMark [6]int32

func compareMarks(a, b modelMark) int { return slices.Compare(a[:], b[:]) }

// An event is an entry of a log. Pulse and the model must have equal logs.
type event struct {
	what string
	mark modelMark
	x    [4]int32
}

// A note is a message of the program: its kind, its sender, and how many the
// sender had made before.
type note struct{ Kind, Author, N int32 }

var reasons = []string{"", "stopped", "killed", "crashed", "panicked", "returned", "gone"}

func bodyMark(m *modelMark, body any) {
	switch b := body.(type) {
	case note:
		m[3], m[4], m[5] = b.Kind, b.Author, b.N
	case pulse.Down:
		m[3], m[4] = kindDown, int32(b.Actor.Index())
		m[5] = int32(slices.Index(reasons, b.Reason))
	}
}

func sendMark(d *trace.Send) modelMark {
	m := modelMark{int32(d.Kind), d.From, d.To}
	bodyMark(&m, d.Body)
	return m
}

// A player runs programs on pulse and records what happens.
type player struct {
	*modelProgram
	sys      *pulse.System
	rng      *rand.Rand
	log      []event
	refs     []pulse.Ref // by index
	origin   []*template // by index
	made     [modelActors]int32
	fuel     int
	list     []modelMark
	reported bool   // the stuck report
	broken   string // the text of the first invariant that did not hold
}

func (p *player) emit(what string, m modelMark, x ...int32) {
	e := event{what: what, mark: m}
	copy(e.x[:], x)
	p.log = append(p.log, e)
}

// check checks the invariants of the system between two steps, unless the
// run has failed.
func (p *player) check() {
	if p.broken != "" || p.sys.Failure() != nil {
		return
	}
	if err := p.sys.Invariants(); err != nil {
		p.broken = fmt.Sprintf("after step %d:\n%v\n", p.sys.Steps(), err)
	}
}

func units(n int) time.Duration { return time.Duration(n) }

// play runs a program; the next call overwrites the result.
func (p *player) play(program *modelProgram) []event {
	p.modelProgram = program
	p.rng = rand.New(rand.NewPCG(program.seed, 2))
	p.log, p.made, p.fuel = p.log[:0], [modelActors]int32{}, modelFuel
	p.reported, p.broken = false, ""
	o := p.pulseOptions()
	if p.sys == nil {
		p.sys = pulse.New(o)
	} else {
		p.sys.Configure(o)
	}
	p.refs = append(p.refs[:0], p.sys.Host().Running())
	p.origin = append(p.origin[:0], &template{})
	for _, x := range program.test {
		p.testDoes(x)
		p.check()
	}
	p.finish()
	return p.log
}

func (p *player) pulseOptions() pulse.Options {
	o := p.options
	f := pulse.Faults{Drop: o.drop, Duplicate: o.duplicate, Delay: o.delay, DelayBy: []time.Duration{1, 4},
		Crash: o.crash, RestartKept: o.kept, RestartLost: o.lost, Partition: o.partition, Swarm: o.swarm, UnorderedWrites: o.anyWrite}
	list := pulse.Options{Strategy: p, Steps: o.steps, Record: o.record, Orphans: o.orphans, EarlyTimers: o.early,
		Ticks: o.ticks, Horizon: units(o.horizon), Faults: f}
	if o.unordered {
		list.Delivery = pulse.DeliveryUnordered
	}
	if o.closed {
		list.Environment = pulse.EnvironmentClosed
	}
	return list
}

func (p *player) testDoes(x action) {
	switch x.do {
	case doSend:
		if body, ok := p.note(0, x.b); ok {
			p.sys.Send(p.target(x.a), body)
		}
	case doSpawn:
		if s, ok := p.spec(x.a); ok {
			p.refs = append(p.refs, p.sys.SpawnSpec(s))
		}
	case doKill:
		if len(p.refs) > 1 {
			p.sys.Kill(p.refs[1+x.a%(len(p.refs)-1)])
		}
	case doRun:
		p.sys.Run()
		p.ran(p.sys.Failure())
	case doRunFor:
		p.sys.RunFor(units(x.a))
		p.ran(p.sys.Failure())
	case doSettle:
		p.sys.Settle()
		p.ran(p.sys.Failure())
	default:
		p.strikes(0, p.sys.Nemesis(), x)
	}
}

// ran records the result of a Run: the failure, the time, the steps and the warnings.
func (p *player) ran(f *pulse.Failure) {
	kind := int32(-1)
	if f != nil {
		kind = int32(f.Kind)
	}
	p.emit("ran", modelMark{}, kind, int32(p.sys.Now()), int32(p.sys.Steps()), int32(len(p.sys.Warnings())))
	p.lives()
	if f == nil || f.Kind != pulse.KindStuck || p.reported {
		return
	}
	p.reported = true
	for line := range strings.SplitSeq(f.Detail, "\n") {
		if strings.HasPrefix(line, "        ") {
			p.emit("in its mailbox", modelMark{})
		} else if name, _, ok := strings.Cut(strings.TrimSpace(line), " waits "); ok {
			p.emit("stuck", modelMark{}, int32(name[1]-'0'))
		}
	}
}

// lives records which actors are alive, down or ended.
func (p *player) lives() {
	var alive, ended int32
	for i, r := range p.refs {
		if p.sys.Alive(r) {
			alive |= 1 << i
		}
		if p.sys.Trace().Actors[i].Ended != trace.None {
			ended |= 1 << i
		}
	}
	p.emit("lives", modelMark{}, alive, ended, int32(len(p.refs)))
}

// finish records what the test received, and what became of each message.
func (p *player) finish() {
	for _, body := range p.sys.Received() {
		var m modelMark
		bodyMark(&m, body)
		p.emit("received", m)
	}
	if !p.options.record {
		return
	}
	var list []event
	for i := range p.sys.Trace().Sends {
		d := &p.sys.Trace().Sends[i]
		list = append(list, event{what: "fate", mark: sendMark(d), x: [4]int32{int32(d.Fate)}})
	}
	p.log = append(p.log, sortedFates(list)...)
}

func sortedFates(list []event) []event {
	slices.SortFunc(list, func(a, b event) int {
		return cmp.Or(compareMarks(a.mark, b.mark), cmp.Compare(a.x[0], b.x[0]))
	})
	return list
}

func (p *player) target(a int) pulse.Ref { return p.refs[a%len(p.refs)] }

// note makes a message. It returns false if the player has made as many
// messages as the program allows.
func (p *player) note(author, kind int) (note, bool) {
	if p.fuel == 0 {
		return note{}, false
	}
	p.fuel--
	p.made[author]++
	return note{int32(kind), int32(author), p.made[author]}, true
}

// spec describes an actor to spawn, unless the run has reached the maximum number of actors.
func (p *player) spec(a int) (pulse.Spec, bool) {
	if len(p.refs) == modelActors {
		return pulse.Spec{}, false
	}
	t := &p.templates[a%len(p.templates)]
	p.origin = append(p.origin, t)
	s := pulse.Spec{Name: "a" + string(rune('0'+len(p.refs))), Safe: t.safe, Mailbox: t.room}
	if t.room > 0 && t.oldest {
		s.OnFull = pulse.OnFullDropOldest
	}
	fresh := func() pulse.Actor { return (&played{player: p, template: t}).handler(0) }
	switch {
	case t.process:
		s.Process = func(c *pulse.Process) { (&played{player: p, template: t}).live(c) }
	case t.renewed:
		s.New = fresh
	default:
		s.Actor = fresh()
	}
	return s, true
}

// Begin, Needs, Pick and Choose make the player the strategy of its own system.

func (p *player) Begin(uint64) {}

func (p *player) Needs() pulse.Needs { return pulse.Needs{Single: true} }

func (p *player) Pick(e *pulse.Enabled) int {
	p.check()
	p.lives()
	p.list = p.list[:0]
	for i := range e.Len() {
		p.list = append(p.list, sendMark(e.Send(i)))
	}
	k := p.rng.IntN(e.Len())
	mark := p.list[k]
	slices.SortFunc(p.list, compareMarks)
	for _, m := range p.list {
		p.emit("deliverable", m)
	}
	if p.options.holds && p.rng.IntN(8) == 0 {
		p.emit("hold", modelMark{}, int32(p.sys.Now()), int32(p.sys.Steps()))
		return pulse.Hold
	}
	p.emit("taken", mark, int32(p.sys.Now()), int32(p.sys.Steps()))
	return k
}

func (p *player) Choose(k choice.Kind, n int) int {
	v := p.rng.IntN(n)
	if k.IsFault() && p.rng.IntN(3) > 0 {
		v = 0
	}
	p.emit("asked", modelMark{}, int32(k), int32(n), int32(v), int32(p.sys.Now()))
	return v
}

// played is the state of one actor while a player runs the program on pulse.
type played struct {
	*player
	*template
	state  int
	kept   pulse.Ref
	timers []pulse.Timer
}

type playedHandler struct {
	*played
	table int
}

// A playedStarter is a Starter.
type playedStarter struct{ *playedHandler }

func (h playedStarter) Started(ctx *pulse.Ctx, how pulse.Start) {
	h.began(ctx, how)
	for _, x := range h.rules[h.table][h.state][kindDown] {
		h.does(ctx, x)
	}
}

// handler returns the handler for a table of rules.
func (a *played) handler(table int) pulse.Actor {
	h := &playedHandler{a, table}
	if a.starts {
		return playedStarter{h}
	}
	return h
}

// began records how an actor was started: new, or by which restart.
func (a *played) began(ctx *pulse.Ctx, how pulse.Start) {
	a.emit("started", modelMark{}, int32(ctx.Self().Index()), int32(how), int32(ctx.Sender().Index()), int32(ctx.Now()))
	for name := range modelNames {
		a.reads(ctx, name)
	}
}

func (h *playedHandler) Receive(ctx *pulse.Ctx, msg any) {
	kind := h.got(ctx, msg)
	for _, x := range h.rules[h.table][h.state][kind] {
		h.does(ctx, x)
	}
}

// got records a received message and returns its kind.
func (a *played) got(ctx *pulse.Ctx, msg any) int {
	var m modelMark
	bodyMark(&m, msg)
	a.emit("got", m, int32(ctx.Self().Index()), int32(a.state), int32(ctx.Sender().Index()), int32(ctx.Now()))
	return int(m[3])
}

func (a *played) does(ctx *pulse.Ctx, x action) {
	me := ctx.Self().Index()
	switch x.do {
	case doSend:
		a.send(ctx, a.target(x.a), x.b)
	case doReply:
		a.send(ctx, ctx.Sender(), x.b)
	case doKeep:
		a.kept = ctx.Sender()
	case doAnswer:
		a.send(ctx, a.kept, x.b)
	case doSpawn:
		if s, ok := a.spec(x.a); ok {
			a.refs = append(a.refs, pulse.Ref{})
			a.refs[len(a.refs)-1] = ctx.SpawnSpec(s)
		}
	case doStop:
		ctx.Stop()
	case doSet:
		a.state = x.a % modelStates
	case doBecome:
		if !a.process {
			ctx.Become(a.handler(x.a % modelTables))
		}
	case doWatch:
		ctx.Watch(a.target(x.a))
	case doKill:
		if i := x.a % len(a.refs); i != 0 {
			ctx.Kill(a.refs[i])
		}
	case doAfter:
		if body, ok := a.note(me, x.b); ok {
			a.timers = append(a.timers, ctx.After(units(x.a), body))
		}
	case doEvery:
		if body, ok := a.note(me, x.b); ok {
			a.timers = append(a.timers, ctx.Every(units(x.a+1), body))
		}
	case doStopTimer:
		if n := len(a.timers); n > 0 {
			in := a.timers[x.a%n].Stop()
			a.emit("stopTimer", modelMark{}, int32(me), int32(boolToInt(in)))
		}
	case doChoose:
		a.state = ctx.Choose(x.a+1) % modelStates
	case doMayCrash:
		ctx.MayCrash()
	case doWrite:
		ctx.Disk().Write(diskName(x.a), x.b)
	case doSync:
		ctx.Disk().Sync()
	case doRead:
		a.reads(ctx, x.a)
	case doUnwatch:
		ctx.Unwatch(a.target(x.a))
	case doSendAfter:
		if body, ok := a.note(me, x.b); ok {
			a.timers = append(a.timers, ctx.SendAfter(a.target(x.a), units(x.c), body))
		}
	default:
		a.strikes(me, ctx.Nemesis(), x)
	}
}

// strikes lets an actor or the test use a Nemesis, unless that use would
// be invalid.
func (p *player) strikes(me int, n pulse.Nemesis, x action) {
	i, j := x.a%len(p.refs), x.c%len(p.refs)
	from, to, t := p.refs[i], p.refs[j], p.origin[i]
	struck := func(did bool) { p.emit("struck", modelMark{}, int32(x.do), int32(i), int32(boolToInt(did))) }
	switch {
	case x.do == doCrash && i > 0 && !p.descends(me, i):
		struck(n.Crash(from))
	case x.do == doKept && i > 0 && !t.process:
		struck(n.RestartKept(from))
	case x.do == doLost && (t.process || t.renewed):
		struck(n.RestartLost(from))
	case x.do == doHeal:
		n.Heal()
	case i == j:
	case x.do == doPartition:
		var others []pulse.Ref
		for k := j; k < len(p.refs); k++ {
			if k != i {
				others = append(others, p.refs[k])
			}
		}
		n.Partition([]pulse.Ref{from}, others)
	case x.do == doCut:
		n.Cut(from, to)
	case x.do == doLose:
		n.Lose(from, to, []int{0, 1, math.MaxInt}[x.b])
	case x.do == doDelay:
		n.Delay(from, to, units(2*x.b))
	}
}

func (p *player) descends(actor, from int) bool {
	for a := int32(actor); a > 0; a = p.sys.Trace().Actors[a].Parent {
		if a == int32(from) {
			return true
		}
	}
	return false
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (a *played) send(ctx *pulse.Ctx, to pulse.Ref, kind int) {
	if to.IsZero() {
		return
	}
	if body, ok := a.note(ctx.Self().Index(), kind); ok {
		ctx.Send(to, body)
	}
}

func diskName(i int) string { return string(rune('a' + i%modelNames)) }

// reads records the value that a disk has under a name.
func (a *played) reads(ctx *pulse.Ctx, name int) {
	v, _ := ctx.Disk().Read(diskName(name))
	n, ok := v.(int)
	if !ok {
		n = -1
	}
	a.emit("read", modelMark{}, int32(ctx.Self().Index()), int32(n))
}

func ofMask3(msg any) bool { return ofMask(3, msg) }

func ofMask(mask int, msg any) bool {
	var m modelMark
	bodyMark(&m, msg)
	return mask&(1<<m[3]) != 0
}

// live performs the script of a process.
func (a *played) live(c *pulse.Process) {
	if a.starts {
		a.began(c.Ctx, c.Started())
	}
	for _, x := range a.script {
		me := c.Self().Index()
		switch x.do {
		case doReceive:
			a.got(c.Ctx, c.Receive())
		case doMatch:
			match := ofMask3 // ofMask3 is a package-level function, so pulse calls it only once for each waiting message
			if x.a != 3 {
				match = func(msg any) bool { return ofMask(x.a, msg) }
			}
			a.got(c.Ctx, c.ReceiveMatch(match))
		case doReceiveTimeout:
			a.gotInTime(c, func() (any, bool) { return c.ReceiveTimeout(units(x.a)) })
		case doAsk:
			if body, ok := a.note(me, x.b); ok {
				a.got(c.Ctx, c.Ask(a.target(x.a), body))
			}
		case doAskTimeout:
			if body, ok := a.note(me, x.b); ok {
				a.gotInTime(c, func() (any, bool) { return c.AskTimeout(a.target(x.a), body, units(x.c)) })
			}
		case doSleep:
			c.Sleep(units(x.a))
			a.emit("slept", modelMark{}, int32(me), int32(c.Now()))
		default:
			a.does(c.Ctx, x)
		}
	}
}

func (a *played) gotInTime(c *pulse.Process, wait func() (any, bool)) {
	if msg, ok := wait(); ok {
		a.got(c.Ctx, msg)
		return
	}
	a.emit("timeout", modelMark{}, int32(c.Self().Index()), int32(c.Now()))
}
