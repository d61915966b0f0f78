package pulse_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// A drifter is an actor without pointers that follows simple rules.
type drifter struct {
	rules  [3][3]roamerDeed
	world  [5]pulse.Ref // the other actors; the last element is a child of the actor, or zero
	others int
	sum    int
	list   [2]uint16
	asker  pulse.Ref
	timer  pulse.Timer
	name   string
}

type drift struct {
	kind, life int
	to         pulse.Ref
}

func (d *drifter) Receive(ctx *pulse.Ctx, msg any) {
	m, ok := msg.(drift)
	if !ok {
		d.sum = d.sum*3 + 1
		return
	}
	for _, x := range d.rules[m.kind] {
		d.does(ctx, x, m)
	}
}

func (d *drifter) does(ctx *pulse.Ctx, x roamerDeed, m drift) {
	next := drift{x.b, m.life - 1, d.asker}
	to := d.world[x.a%d.others]
	switch x.do {
	case 1, 2, 3, 4:
		if m.life > 0 {
			ctx.Send(to, next)
		}
	case 5:
		d.sum = d.sum*2 + x.b
	case 6:
		d.list[x.a%2] += uint16(x.b)
	case 7:
		d.asker = m.to
	case 8:
		d.asker = ctx.Sender()
	case 9:
		if m.life > 0 && !d.asker.IsZero() {
			ctx.Send(d.asker, next)
		}
	case 10:
		d.timer = ctx.After(time.Duration(x.a), next)
	case 11:
		d.timer.Stop()
	case 12:
		d.sum += ctx.Choose(2)
	case 13:
		ctx.Watch(to)
	case 14:
		if m.life > 0 {
			d.world[4] = ctx.Spawn("child", &drifter{rules: d.rules, world: d.world, others: d.others, sum: x.b})
			ctx.Send(d.world[4], next)
		}
	case 15:
		ctx.Kill(to)
	case 16:
		ctx.Become(&drifter{rules: d.rules, world: d.world, others: d.others, sum: d.sum + 1})
	case 17:
		d.name += "x"
	case 18:
		ctx.Every(time.Duration(x.a+1), next)
	case 19:
		ctx.Unwatch(to)
	case 20:
		if d.sum%3 == 0 {
			panic("drifts away")
		}
	}
}

// A driftProgram is a random program whose actors are drifters.
type driftProgram struct {
	o     pulse.Options
	rules [][3][3]roamerDeed
	sends []roamerDeed
}

func newDriftProgram(seed uint64) *driftProgram {
	r := rand.New(rand.NewPCG(seed, 7))
	p := &driftProgram{o: pulse.Options{Ticks: 2, Steps: 60}}
	if r.IntN(3) == 0 {
		p.o.Delivery = pulse.DeliveryUnordered
	}
	if r.IntN(3) == 0 {
		p.o.Faults = pulse.Faults{Drop: r.IntN(2), Duplicate: r.IntN(2), Delay: r.IntN(2)}
	}
	for range 2 + r.IntN(3) {
		var rules [3][3]roamerDeed
		for k := range rules {
			for i := range rules[k] {
				rules[k][i] = roamerDeed{r.IntN(21), r.IntN(4), r.IntN(3)}
			}
		}
		p.rules = append(p.rules, rules)
	}
	for range 2 + r.IntN(3) {
		p.sends = append(p.sends, roamerDeed{0, r.IntN(4), r.IntN(3)})
	}
	return p
}

func (p *driftProgram) build(sys *pulse.System) (outcome func(*pulse.Failure) string) {
	all := make([]*drifter, len(p.rules))
	var world [5]pulse.Ref
	for i := range all {
		all[i] = &drifter{rules: p.rules[i], others: len(all)}
		spec := pulse.Spec{Name: fmt.Sprint(i), Actor: all[i], OnPanic: pulse.Directive(i % 3)}
		if i%4 == 3 {
			spec.Mailbox = 2
		}
		if world[i] = sys.SpawnSpec(spec); i%4 < 2 && len(p.rules)%2 == 0 {
			world[i] = sys.Spawn(spec.Name, all[i])
		}
	}
	for i := range all {
		all[i].world = world
	}
	for _, x := range p.sends {
		sys.Send(world[x.a%len(all)], drift{kind: x.b, life: 2})
	}
	return func(f *pulse.Failure) string {
		var b strings.Builder
		for _, d := range all {
			fmt.Fprint(&b, d.sum, d.list, d.asker.IsZero(), d.name, " ")
		}
		if f != nil {
			fmt.Fprint(&b, f.Signature())
		}
		return b.String()
	}
}

// A returner draws its decisions at random. After some decisions it restores a snapshot
// and continues with different random numbers.
type returner struct {
	first, second *rand.Rand // the random numbers of the decisions before the snapshot, and of those after its restoration
	between       *rand.Rand // the random numbers of the decisions that are undone
	save, restore int        // the calls to Pick that save and restore the snapshot, by number; no snapshot if restore is zero
	picks         int
	snapshot      pulse.Snapshot
	saved         bool
	returned      bool
	fault         string               // the fault planted in Restore; "" for none
	seen          func(*pulse.Enabled) // called at each Pick, except in the part of the run that Restore undoes
}

func (r *returner) Begin(uint64)       {}
func (r *returner) Needs() pulse.Needs { return pulse.Needs{States: true, Single: true} }

func (r *returner) source() *rand.Rand {
	switch {
	case r.picks < r.save || r.picks == r.save && !r.returned:
		return r.first
	case r.returned || r.restore == 0:
		return r.second
	}
	return r.between
}

func (r *returner) Pick(e *pulse.Enabled) int {
	r.picks++
	if r.picks == r.save+1 && r.restore > 0 && !r.returned && !r.saved {
		if r.saved = e.Save(&r.snapshot); !r.saved {
			r.restore = 0
		}
	}
	if r.restore > 0 && !r.returned && r.picks == r.restore {
		if e.RestoreWrong(&r.snapshot, r.fault) {
			r.returned, r.picks = true, r.save
			return pulse.Again
		}
		r.saved = false // something happened that no snapshot holds, so the test has nothing to compare
	}
	e.State() // caches hashes of a state that Restore will undo
	if r.seen != nil && (r.picks <= r.save || r.returned || r.restore == 0) {
		r.seen(e)
	}
	return r.source().IntN(e.Len())
}

func (r *returner) Choose(_ choice.Kind, n int) int { return r.source().IntN(n) }

// A journey is the result of one run of a random program.
type journey struct {
	states  []string
	outcome string
	trace   string
	records string
	broken  string // the text of a broken invariant or a wrong hash; "" if there is none
}

func (j *journey) equals(k *journey) bool {
	return j.broken == "" && k.broken == "" && j.outcome == k.outcome && j.trace == k.trace && j.records == k.records && slices.Equal(j.states, k.states)
}

// A travelled is a program for TestSnapshots, with the options of its runs.
type travelled struct {
	o     pulse.Options
	build func(*pulse.System) func(*pulse.Failure) string
}

func drifting(seed uint64) travelled {
	p := newDriftProgram(seed)
	return travelled{p.o, p.build}
}

// roaming draws a program whose actors have pointers, slices and maps.
func roaming(seed uint64) travelled {
	p := newRoamProgram(seed)
	p.o.EarlyTimers, p.o.Faults.Crash, p.o.Faults.Partition = 0, 0, 0
	for i := range p.kinds {
		p.kinds[i] = 2 + p.kinds[i]%3 // no processes and no function handlers, which no snapshot can hold
	}
	return travelled{p.o, p.build}
}

// TestSnapshots checks that a run that was restored from a snapshot continues like a run that
// made the same decisions from the beginning. Both have the same states, the same trace and
// the same observations by the test. The invariants of the system hold, and quick walks
// compute the same hashes as ordinary walks.
func TestSnapshots(t *testing.T) {
	for _, c := range []struct {
		name string
		draw func(uint64) travelled
	}{{"without pointers", drifting}, {"with pointers", roaming}} {
		restored := 0
		for seed := range stateSeeds() * 2 {
			far, direct, ok := compareJourneys(c.draw(seed), seed, "")
			if !ok {
				continue
			}
			if restored++; !far.equals(direct) {
				t.Fatalf("program %d %s:\n%v\nwant\n%v", seed, c.name, far, direct)
			}
		}
		if t.Logf("%s: %d runs restored", c.name, restored); restored < 40 {
			t.Errorf("%s: %d runs restored: the test is too weak", c.name, restored)
		}
	}
}

// TestSnapshotsFindPlantedFaults checks that the comparison in TestSnapshots finds
// planted faults.
func TestSnapshotsFindPlantedFaults(t *testing.T) {
	for _, fault := range pulse.SnapshotFaults() {
		found := false
		for seed := uint64(0); seed < stateSeeds()*2 && !found; seed++ {
			for _, draw := range []func(uint64) travelled{drifting, roaming} {
				found = found || seesFault(draw(seed), seed, fault)
			}
		}
		if !found {
			t.Errorf("%s: not found", fault)
		}
	}
}

// seesFault reports whether the comparison finds a planted fault; a panic counts too.
func seesFault(p travelled, seed uint64, fault string) (sees bool) {
	defer func() { sees = sees || recover() != nil }()
	far, direct, ok := compareJourneys(p, seed, fault)
	return ok && !far.equals(direct)
}

// compareJourneys runs a program twice: once with a snapshot that it restores, and once from
// the beginning with the same decisions. ok is false if no snapshot was restored.
func compareJourneys(p travelled, seed uint64, fault string) (far, direct *journey, ok bool) {
	r := rand.New(rand.NewPCG(seed, 11))
	save, more := r.IntN(6), 1+r.IntN(5)
	if far, ok = p.journey(seed, save, save+1+more, fault); ok {
		direct, _ = p.journey(seed, save, 0, "")
	}
	return far, direct, ok
}

// journey runs a program. It saves a snapshot at pick number save and restores it at pick
// number restore. If restore is zero, it does neither.
func (p travelled) journey(seed uint64, save, restore int, fault string) (j *journey, returned bool) {
	source := func(n uint64) *rand.Rand { return rand.New(rand.NewPCG(seed, n)) }
	r := &returner{first: source(1), second: source(2), between: source(3), save: save, restore: restore, fault: fault}
	o := p.o
	o.Strategy = r
	sys := pulse.New(o)
	defer sys.Close()
	j = &journey{}
	r.seen = func(e *pulse.Enabled) {
		quick := e.State()
		j.states = append(j.states, fmt.Sprintf("%x %x%s", quick, e.Digest(), e.StateText()))
		if slow := sys.StateSlowly(); slow != quick {
			j.broken = fmt.Sprintf("a quick walk has the hash %#x, and a slow one %#x:%s", quick, slow, e.StateText())
		}
		if broken := sys.Broken(); broken != nil {
			j.broken = fmt.Sprint(broken)
		}
	}
	outcome := p.build(sys)
	watched := make(chan int)
	go func() { watched <- sys.Host().Progress() + sys.Host().Restores() }() // any goroutine may call these, so the race detector must not see them
	sys.Run()
	<-watched
	j.outcome, j.trace = outcome(sys.Failure()), sys.Trace().Text()
	j.records = fmt.Sprint(sys.Record(), sys.State(), sys.Steps(), sys.Now(), sys.Timers(), len(sys.Received()))
	return j, r.returned
}
