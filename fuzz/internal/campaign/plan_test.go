package campaign

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/binary"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// planned returns a campaign of the given number of targets, all ready for chunks.
func planned(targets int, o Options) *campaign {
	c := &campaign{Options: o, lanes: newLanes(targets)}
	for i := range targets {
		t := newTarget(Subject{Binary: &binary.Binary{}, Property: worker.Property{Test: fmt.Sprint("Test", i)}})
		t.Begun, t.Batch = true, 32
		c.targets = append(c.targets, t)
	}
	return c
}

// shows returns the coverage of one run in which actors receive the given numbers of messages. Before
// them it spawns actors that receive nothing, so that different values of before give different actors.
func shows(before int, receives ...int) *coverage.Orders {
	if len(receives) == 0 {
		before = 0 // without receives the coverage is empty
	}
	sys := pulse.New(pulse.Options{Record: true, Strategy: strategy.Plain()})
	defer sys.Close()
	nothing := pulse.Func(func(*pulse.Ctx, any) {})
	for range before {
		sys.Spawn("a", nothing)
	}
	for _, n := range receives {
		a := sys.Spawn("a", nothing)
		for k := range n {
			sys.Send(a, k)
		}
	}
	sys.Run()
	o := &coverage.Orders{}
	o.Add(sys.Trace(), coverage.Run{ID: uint64(before) + 1, Unguided: true})
	return o
}

// over gives job j the reply of a finished chunk: a number of steps, some findings, and receive pairs. The
// pairs are of actors that occur in no other chunk; the i-th of them has received receives[i] messages.
func over(j *job, receives []int, steps int, signatures ...string) *job {
	j.reply = &session.Reply{Batch: 32, Tally: search.NewTally()}
	j.seen = []*coverage.Orders{shows(10*j.first, receives...)}
	j.reply.Tally.Steps, j.reply.Tally.Runs = steps, 32*j.count
	j.request.Count = 0
	for _, s := range signatures {
		j.reply.Findings = append(j.reply.Findings, record.Record{Exact: s})
	}
	j.reply.Failed = len(signatures)
	return j
}

// chunks starts chunks of each target until at least `each` per target were started, and returns them in
// order as text. When no further chunk may begin, it calls finish for the chunks in progress.
func chunks(c *campaign, targets, each int, finish func(target int, j *job)) (lists [][]string) {
	lists = make([][]string, targets)
	for done := 0; done < each; done += window {
		var jobs []*job
		for i, t := range c.targets {
			for c.hasChunk(t) {
				j := c.chunk(t)
				jobs = append(jobs, j)
				lists[i] = append(lists[i], fmt.Sprintf("%d+%d", j.first, j.count))
			}
		}
		for _, j := range jobs {
			finish(slices.Index(c.targets, j.target), j)
			c.settle(j)
		}
	}
	return lists
}

// TestShares: the size of a chunk depends only on chunks of the same property that are at least eight chunks
// earlier. All properties get chunks of about the same number of steps. A chunk has at most four times as
// many batches as the chunk before it.
func TestShares(t *testing.T) {
	steps := []int{32 * 100, 32 * 10, 32, 32 * 4000}
	got := chunks(planned(4, Options{Seed: 1}), 4, 16, func(i int, j *job) { over(j, nil, steps[i]*j.count) })
	want := []string{
		"0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1 8+4 12+16 28+64 92+256 348+327 675+327 1002+327 1329+327",
		"0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1 8+4 12+16 28+64 92+256 348+1024 1372+3276 4648+3276 7924+3276",
		"0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1 8+4 12+16 28+64 92+256 348+1024 1372+4096 5468+4096 9564+4096",
		"0+1 1+1 2+1 3+1 4+1 5+1 6+1 7+1 8+4 12+8 20+8 28+8 36+8 44+8 52+8 60+8",
	}
	for i := range want {
		if text := strings.Join(got[i], " "); text != want[i] {
			t.Errorf("property %d has\n%s\nwant\n%s", i, text, want[i])
		}
	}
	alone := chunks(planned(1, Options{Seed: 1}), 1, 16, func(_ int, j *job) { over(j, nil, steps[0]*j.count) })
	if text := strings.Join(alone[0], " "); text != want[0] {
		t.Errorf("alone property 0 has\n%s\nwant\n%s", text, want[0])
	}
}

// TestSharesOfShortSearches: in a short search no chunk takes a large part of the time.
func TestSharesOfShortSearches(t *testing.T) {
	for _, test := range []struct {
		o    Options
		most int // batches of 1,000 steps in a chunk
	}{
		{Options{}, 1 << 20 / 1000},
		{Options{For: 8 * time.Hour}, 1 << 20 / 1000},
		{Options{For: 2 * time.Second, Workers: 2}, 500},
		{Options{For: time.Millisecond, First: true}, 4},
	} {
		most := 0
		chunks(planned(2, test.o), 2, 20, func(_ int, j *job) {
			most = max(most, j.count)
			over(j, nil, 1000*j.count)
		})
		if most != test.most {
			t.Errorf("%+v: chunks of up to %d batches, want %d", test.o, most, test.most)
		}
	}
}

// TestTurnsOfShortSearches: if the time is limited, each property
// gets at least eight turns, even if its steps are slow.
func TestTurnsOfShortSearches(t *testing.T) {
	for _, test := range []struct {
		o    Options
		want time.Duration
	}{
		{Options{}, 2 * time.Second},
		{Options{For: 8 * time.Hour}, 2 * time.Second},
		{Options{For: 16 * time.Second}, time.Second},
		{Options{For: 16 * time.Second, Workers: 2}, 2 * time.Second},
		{Options{For: time.Millisecond}, time.Second / 10},
	} {
		c := planned(2, test.o)
		if got := c.chunk(c.targets[0]).request.Time; got != test.want {
			t.Errorf("%+v: turns of %v, want %v", test.o, got, test.want)
		}
	}
}

// TestTurnsOfShares: a chunk has the same result whether it runs in one
// turn or in several. A later chunk does not count until it is over.
func TestTurnsOfShares(t *testing.T) {
	var want string
	for _, turns := range [][]int{{6}, {1, 2, 3}, {5, 1}} {
		c := planned(1, Options{Seed: 1})
		target := c.targets[0]
		target.Size = 6
		j := c.chunk(target)
		j.request.Count, j.count = 6, 6
		for _, n := range turns {
			if j.reply != nil {
				if len(target.rest) != 1 || target.Done != 0 || target.Tally.Runs != 0 {
					t.Fatalf("%v: %d chunks go on, %d batches are over", turns, len(target.rest), target.Done)
				}
				target.rest = nil
			}
			r := &session.Reply{Batch: 32, Over: n, Failed: n, Tally: search.NewTally(), Missed: []string{"a", fmt.Sprint(n)},
				Findings: []record.Record{{Exact: "s", Run: 32 * j.request.First}, {Exact: fmt.Sprint("in ", n == 6), Run: 1}}}
			r.Runs, r.Steps = 32*n, 320*n
			var parts coverage.Orders
			for b := range n {
				parts.Append(shows(0, 3+j.request.First+b))
			}
			r.Orders, _ = parts.MarshalBinary()
			j.add(r)
			c.settle(j)
		}
		got := fmt.Sprintf("%d over, %d runs, %d failed, %v missed, %d fresh, %v", target.Done, target.Tally.Runs, j.reply.Failed,
			slices.Contains(target.Missed, "a"), target.yields[0].Fresh, target.seen.Chance())
		if want == "" {
			want = got
		}
		if got != want || target.find("s").Run != 0 {
			t.Errorf("in turns of %v: %s, want %s", turns, got, want)
		}
	}
	if !strings.HasPrefix(want, "6 over, 192 runs, 6 failed, true missed, 28 fresh") {
		t.Errorf("in one turn: %s", want)
	}
}

// TestFirstShares: when the time is up, each property still runs its saved
// cases and its first chunk, but no more. After an interrupt nothing more runs.
func TestFirstShares(t *testing.T) {
	for why, want := range map[End]string{EndTime: "begin 0, run 0 0+1, run 1 0+1", EndInterrupted: ""} {
		c := planned(4, Options{Seed: 1, For: time.Second})
		begin := &job{target: c.targets[0], request: session.Request{Do: session.Begin}, reply: &session.Reply{}}
		c.first, c.ready = 1, make(chan struct{})
		c.targets[0].Begun, c.targets[0].waiting = false, []*job{begin}
		c.targets[2].next = 1
		c.targets[3].next = 1
		c.targets[3].rest = []*job{c.chunk(c.targets[3])}
		c.end(why)
		var left []string
		for lane := c.next(false); lane >= 0; lane = c.next(false) {
			j := c.take(lane)
			if j == begin {
				c.settle(j)
				left = append(left, fmt.Sprint("begin ", lane))
				continue
			}
			left = append(left, fmt.Sprintf("run %d %d+%d", lane, j.first, j.count))
		}
		if got := strings.Join(left, ", "); got != want {
			t.Errorf("%s: left is %q, want %q", why, got, want)
		}
	}
}

// TestBoundedShares: a property that has made all its runs gets no further chunks.
func TestBoundedShares(t *testing.T) {
	got := chunks(planned(1, Options{Seed: 1, Runs: 100}), 1, 16, func(_ int, j *job) { over(j, nil, 1) })
	if n := len(got[0]); n != 4 { // each chunk has one batch of 32 runs
		t.Errorf("it has %d chunks, want 4", n)
	}
}

// TestSettled: findings are counted in the order of the chunks,
// whichever chunk ends first. At the end no finding is lost.
func TestSettled(t *testing.T) {
	var told []string
	c := planned(1, Options{Seed: 1, Tell: func(e Event) { told = append(told, fmt.Sprint(e.Finding.Exact, " in run ", e.Finding.Run)) }})
	jobs := []*job{c.chunk(c.targets[0]), c.chunk(c.targets[0]), c.chunk(c.targets[0]), c.chunk(c.targets[0])}
	for i, j := range jobs {
		over(j, nil, 1, "a", fmt.Sprint("only in ", i))
		for k := range j.reply.Findings {
			j.reply.Findings[k].Run = i
		}
	}
	jobs[2].reply, jobs[2].err = nil, context.Canceled
	jobs[2].died = []record.Record{{Exact: "died", Run: 2}}
	for _, i := range []int{1, 3, 0, 2} {
		c.settle(jobs[i])
	}
	if got, want := strings.Join(told, ", "), "a in run 0, only in 0 in run 0, only in 1 in run 1"; got != want {
		t.Errorf("told %s, want %s", got, want)
	}
	if done := c.targets[0].Done; done != 2 {
		t.Errorf("%d batches are over, want 2: the third must be made again", done)
	}
	told = nil
	c.foundRest()
	if got, want := strings.Join(told, ", "), "died in run 2, only in 3 in run 3"; got != want {
		t.Errorf("in the end told %s, want %s", got, want)
	}
	if a := c.targets[0].find("a"); a.Times != 3 {
		t.Errorf("a was found %d times, want 3", a.Times)
	}
}

// TestYieldIsOfTheUnion: the yield of a chunk is what it covers in
// addition to all chunks before it, whichever chunk ends first.
func TestYieldIsOfTheUnion(t *testing.T) {
	for _, turned := range []bool{false, true} {
		c := planned(1, Options{Seed: 1})
		jobs := []*job{c.chunk(c.targets[0]), c.chunk(c.targets[0])}
		for i, j := range jobs {
			over(j, nil, 1)
			j.seen = []*coverage.Orders{shows(0, 4+i)} // the first chunk covers 6 orders, the second covers these and 4 more
		}
		if turned {
			slices.Reverse(jobs)
		}
		for _, j := range jobs {
			c.settle(j)
		}
		if got := fmt.Sprint(c.targets[0].yields[0].Fresh, c.targets[0].yields[1].Fresh); got != "6 4" {
			t.Errorf("%s orders were new, want 6 and 4", got)
		}
		again := over(c.chunk(c.targets[0]), nil, 1)
		again.seen = []*coverage.Orders{shows(0, 5)}
		c.settle(again)
		if got := c.targets[0].yields[2].Fresh; got != 0 {
			t.Errorf("%d orders were new that were known, want 0", got)
		}
	}
}

// TestShownBesides: runs outside the search, such as saved cases, cover orders too. Reports and
// the state file include these orders but not their runs. The yield of a chunk ignores them.
func TestShownBesides(t *testing.T) {
	c := planned(1, Options{Seed: 1, Runs: 1 << 20, File: filepath.Join(t.TempDir(), "state.json")})
	target := c.targets[0]
	for i, sent := range []int{4, 5} {
		j := over(c.chunk(target), nil, 1)
		j.seen, j.shown = []*coverage.Orders{shows(0, sent)}, []*coverage.Orders{shows(0, 5), shows(100, 3)}
		c.settle(j)
		if got, want := target.yieldOf(i).Fresh, []int{6, 4}[i]; got != want { // the first actor has 10 orders in all
			t.Errorf("in chunk %d %d orders were new, want %d", i, got, want)
		}
		if got := target.reported(); got.Seen() != 13 || got.Runs() != target.all().Runs() {
			t.Errorf("after chunk %d %d orders of %d runs are reported, want 13 of %d", i, got.Seen(), got.Runs(), target.all().Runs())
		}
	}
	c.checkpoint()
	for _, resume := range []bool{false, true} {
		o := c.Options
		o.Resume = resume
		next, err := newCampaign([]Subject{target.subject}, o)
		if err != nil {
			t.Fatal(err)
		}
		if got, search := next.targets[0].reported().Seen(), next.targets[0].all().Seen(); got != 13 || search != 10 {
			t.Errorf("afterwards %d orders are reported, and %d by the search; want 13 and 10", got, search)
		}
	}
}

// race returns the coverage of one run in which the given number of actors each send a message to one actor.
func race(senders int) *coverage.Orders {
	sys := pulse.New(pulse.Options{Record: true, Strategy: strategy.Plain()})
	defer sys.Close()
	last := sys.Spawn("last", pulse.Func(func(*pulse.Ctx, any) {}))
	for i := range senders {
		sys.Send(sys.Spawn("by", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(last, msg) })), i)
	}
	sys.Run()
	o := &coverage.Orders{}
	o.Add(sys.Trace(), coverage.Run{ID: uint64(senders), Unguided: true})
	return o
}

// TestRan: a report does not say "0 runs" for a property that has failed.
func TestRan(t *testing.T) {
	failed := []*Finding{{}}
	for _, c := range []struct {
		want string
		set  func(*target)
	}{
		{"0 runs, 0 steps", func(*target) {}},
		{"2 runs, 1 step", func(t *target) { t.Tally.Runs, t.Tally.Steps = 2, 1 }},
		{"2 runs, 1 step", func(t *target) { t.Tally.Runs, t.Tally.Steps, t.Findings = 2, 1, failed }},
		{"all 6", func(t *target) { t.Tally.Runs, t.Complete = 2, "all 6" }},
		{"search skipped", func(t *target) { t.Findings = failed }},
		{"no completed runs", func(t *target) { t.Findings, t.next = failed, 1 }},
		{"no completed runs", func(t *target) { t.Findings, t.Done = failed, 1 }}, // as read from a state file
	} {
		target := planned(1, Options{}).targets[0]
		c.set(target)
		if got := target.outcome(false).Ran; got != c.want {
			t.Errorf("it says %q, want %q", got, c.want)
		}
	}
}

// TestProgress: the state of a target, and the text that reports it.
func TestProgress(t *testing.T) {
	for _, c := range []struct {
		want State
		o    Options
		set  func(*target)
	}{
		{Searching, Options{}, func(*target) {}},
		{Waiting, Options{}, func(t *target) { t.Begun = false }},
		{Complete, Options{}, func(t *target) { t.Complete = "all" }},
		{GivenUp, Options{}, func(t *target) { t.GivenUp, t.Begun = "why", false }},
		{Saturated, Options{Saturated: 0.1}, func(t *target) { t.Saturated = 0.1 }},
		{Over, Options{Runs: 64}, func(t *target) { t.next = 2 }},
		{Over, Options{First: true}, func(t *target) { t.Findings = []*Finding{{}} }},
		{Searching, Options{}, func(t *target) { t.Findings = []*Finding{{}} }},
	} {
		camp := planned(1, c.o)
		c.set(camp.targets[0])
		if got := camp.targets[0].progress(&camp.Options, true); got.State != c.want || got.High != 1 || got.Findings != len(camp.targets[0].Findings) {
			t.Errorf("%+v, want %s", got, c.want)
		}
	}
	c := planned(2, Options{})
	c.targets[0].learn(race(2))
	c.targets[0].Tally.By["pct"], c.targets[0].Tally.By["fair"] = 3, 1
	for _, fresh := range []int{2, 0, 1} { // the second chunk covers nothing new
		c.targets[0].gain(&search.Tally{Fresh: map[string]int{"pct": 3, "fair": 1}}, fresh)
	}
	c.targets[0].gain(&search.Tally{}, 5)
	var told []Event
	c.Tell = func(e Event) { told = append(told, e) }
	c.went()
	first := told[0].Properties[0]
	if first.Orders != 1 || first.Open != 1 || first.Likely != 1 || fmt.Sprint(first.Arms) != "[{fair 1 0.75} {pct 3 2.25}]" || len(told[0].Properties) != 2 {
		t.Errorf("told: %+v", told[0])
	}
	c.targets[0].learn(race(3))
	c.recount = time.Now().Add(time.Hour) // as if computing the counts had taken long
	c.went()
	if p := told[1].Properties[0]; p.Orders != 3 || p.Open != 1 {
		t.Errorf("counted anew: %+v", p)
	}
	c.recount = time.Time{}
	c.went()
	if p := told[2].Properties[0]; p.Orders != 3 || p.Open != 3 {
		t.Errorf("not counted anew: %+v", p)
	}
}

// TestBothAreTold: a campaign with a second search under the race detector reports the progress of both
// searches in one event. It does not matter which search has reported last. Progress is reported until both
// searches are over.
func TestBothAreTold(t *testing.T) {
	var told []string
	p := &pair{plain: planned(1, Options{}), told: map[string]bool{}, said: func(e Event) {
		text := string(e.Kind)
		for _, p := range e.Properties {
			text += " " + p.Subject
		}
		told = append(told, text)
	}}
	went := [2]Event{{Kind: Went, Properties: []Progress{{Subject: "plain"}}}, {Kind: Went, Properties: []Progress{{Subject: "race"}}}}
	for _, step := range []struct {
		of   int
		e    Event
		want string
	}{
		{1, went[1], ""},
		{0, went[0], "went plain race"},
		{1, Event{Kind: Noted}, "noted"},
		{0, Event{Kind: Noted}, "noted"},
		{0, went[0], "went plain race"},
		{1, went[1], ""},
		{0, Event{Kind: Ended}, ""},
		{1, went[1], "went plain race"},
	} {
		told = nil
		p.tell(step.of, step.e)
		if got := strings.Join(told, ", "); got != step.want {
			t.Errorf("%d, %s: told %q, want %q", step.of, step.e.Kind, got, step.want)
		}
	}
}

// TestLeft: the estimate of a campaign's remaining time, from its time limit and from its limit of runs.
func TestLeft(t *testing.T) {
	for _, c := range []struct {
		name  string
		o     Options
		made  [2]int
		set   func(*campaign)
		about time.Duration
	}{
		{"unknown", Options{}, [2]int{10, 10}, nil, 0},
		{"time", Options{For: 3 * time.Hour}, [2]int{}, nil, 2 * time.Hour},
		{"no time", Options{For: time.Minute}, [2]int{}, nil, 0},
		{"no run yet", Options{Runs: 100}, [2]int{}, nil, 0},
		{"runs", Options{Runs: 100}, [2]int{50, 0}, nil, 3 * time.Hour},
		{"all runs", Options{Runs: 100}, [2]int{100, 110}, nil, 0},
		{"runs before time", Options{Runs: 100, For: 9 * time.Hour}, [2]int{50, 0}, nil, 3 * time.Hour},
		{"time before runs", Options{Runs: 100, For: 2 * time.Hour}, [2]int{50, 0}, nil, time.Hour},
		{"complete", Options{Runs: 100}, [2]int{50, 0}, func(c *campaign) { c.targets[1].Complete = "all" }, time.Hour},
		{"over", Options{For: 3 * time.Hour}, [2]int{}, func(c *campaign) { c.over = true }, 0},
	} {
		camp := planned(2, c.o)
		camp.began, camp.before = time.Now(), time.Hour
		for i, n := range c.made {
			camp.targets[i].Tally.Runs = n
		}
		if c.set != nil {
			c.set(camp)
		}
		if got := camp.left(); got.Round(10*time.Minute) != c.about {
			t.Errorf("%s: %v, want %v", c.name, got, c.about)
		}
	}
}

// TestDiskIsBounded: the coverage in the state file has a limited size, even if each of many campaigns adds
// as many new pairs as it can store.
func TestDiskIsBounded(t *testing.T) {
	const room = 1 << 16
	file := filepath.Join(t.TempDir(), "state.json")
	var sizes []int64
	most := 0
	for night := range 12 {
		c := planned(1, Options{Seed: uint64(night + 1), File: file})
		c.room = room
		c.recall()
		target := c.targets[0]
		most = max(most, target.known.Memory())
		target.seen.Source, target.seen.Bytes = uint64(night+1), room
		for k := 0; target.seen.Memory() < room && k < 100; k++ {
			target.learn(shows(100*night+k, 30))
		}
		if target.seen.Memory() < room {
			t.Fatalf("a night has shown %d bytes, want %d", target.seen.Memory(), room)
		}
		c.checkpoint()
		info, err := os.Stat(file)
		if err != nil {
			t.Fatal(err)
		}
		sizes = append(sizes, info.Size())
	}
	first, last := slices.Max(sizes[:4]), slices.Max(sizes[4:])
	if last > first*5/4 || sizes[1] < sizes[0]*5/4 {
		t.Errorf("the file has %d bytes", sizes)
	}
	if most > 3*room || most < room {
		t.Errorf("%d bytes are known of the nights before, with room for %d", most, room)
	}
}
