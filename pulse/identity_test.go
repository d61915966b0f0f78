package pulse_test

import (
	"fmt"
	"hash/fnv"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A growth is a random program in which the actions of a step depend only on
// its message, so that the same causal steps occur in every order. Each message
// carries its causal history in a form that pulse does not use: the path of
// sends and spawns that led to the message.
type growth struct {
	seed   uint64
	names  string // prefix of the actors' names; identities must not depend on it
	fixed  []pulse.Ref
	depth  int
	widest int
}

type (
	plainPath struct{ path string }
	otherPath struct{ path string } // the same content as plainPath in a different type
)

func pathOf(body any) string {
	switch b := body.(type) {
	case plainPath:
		return b.path
	case otherPath:
		return b.path
	}
	return ""
}

// draw returns a number that depends only on a path.
func (g *growth) draw(path, what string) int {
	h := fnv.New64a()
	fmt.Fprint(h, g.seed, path, what)
	return int(h.Sum64() >> 33)
}

func (g *growth) message(path string) any {
	if g.draw(path, "type")%2 == 0 {
		return plainPath{path}
	}
	return otherPath{path}
}

func (g *growth) Receive(ctx *pulse.Ctx, msg any) {
	path := pathOf(msg)
	if strings.Count(path, "/") == g.depth {
		return
	}
	for n := range g.draw(path, "width") % (g.widest + 1) {
		next := path + "/" + strconv.Itoa(n)
		switch g.draw(next, "what") % 5 {
		case 0:
			ctx.Send(ctx.Spawn(g.names+next, g), g.message(next+" to the new"))
		default:
			to := g.draw(next, "to") % len(g.fixed)
			ctx.Send(g.fixed[to], g.message(next+" to "+strconv.Itoa(to)))
		}
	}
}

// grow runs the program and returns the identity of each step, by the path of
// the step's message.
func (g *growth) grow(t *testing.T, sys *pulse.System, seed uint64) (ids map[string]uint64, order string) {
	sys.Reset(seed)
	g.fixed = g.fixed[:0]
	for i := range 4 {
		g.fixed = append(g.fixed, sys.Spawn(g.names+strconv.Itoa(i), g))
	}
	for i := range 3 {
		sys.Send(g.fixed[i], g.message(strconv.Itoa(i)))
	}
	mustRun(t, sys)
	ids = map[string]uint64{}
	var b strings.Builder
	for _, st := range sys.Trace().Steps {
		path := pathOf(sys.Trace().Sends[st.Send].Body)
		if _, twice := ids[path]; twice {
			t.Fatalf("two steps have the path %s", path)
		}
		ids[path] = st.ID
		b.WriteString(path + ", ")
	}
	return ids, b.String()
}

// distinct reports whether no two of the values are equal.
func distinct(ids map[string]uint64) bool {
	list := slices.Sorted(maps.Values(ids))
	return len(slices.Compact(list)) == len(ids)
}

// TestIdentity checks that steps have the same identity in two orders exactly if
// they have the same causal history. The names of the actors do not matter.
func TestIdentity(t *testing.T) {
	reordered, steps := 0, 0
	for _, d := range []pulse.Delivery{pulse.DeliveryFIFO, pulse.DeliveryUnordered} {
		sys := newSystem(t, pulse.Options{Delivery: d, Record: true, Strategy: strategy.Random()})
		for seed := range uint64(200) {
			g := &growth{seed: seed, depth: 4, widest: 3}
			first, order := g.grow(t, sys, 1)
			g.names = "other"
			second, other := g.grow(t, sys, 2)
			if !maps.Equal(first, second) {
				t.Fatalf("program %d: identities differ between two orders:\n%s\n%s", seed, order, other)
			}
			if !distinct(first) {
				t.Fatalf("program %d: two steps share an identity", seed)
			}
			if order != other {
				reordered++
			}
			steps += len(first)
		}
	}
	if reordered < 300 || steps < 4000 {
		t.Errorf("only %d of 400 programs ran in two orders, %d steps: the test tests little", reordered, steps)
	}
}

// TestIdentitiesAreDistinct checks that a million steps have a million
// identities; -short uses fewer.
func TestIdentitiesAreDistinct(t *testing.T) {
	each := 300
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		each = 1000
	}
	sys := newSystem(t, pulse.Options{Record: true, Steps: 2 * each * each, Pending: 2 * each * each})
	leaf := sys.Spawn("leaf", pulse.Func(idle))
	for range each - 1 {
		sys.Send(sys.Spawn("node", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			for range each {
				ctx.Send(leaf, signal{})
			}
		})), signal{})
	}
	mustRun(t, sys)
	ids := make([]uint64, 0, each*each)
	for _, st := range sys.Trace().Steps {
		ids = append(ids, st.ID)
	}
	slices.Sort(ids)
	if n := len(slices.Compact(ids)); n != (each-1)*(each+1) {
		t.Errorf("%d identities for %d steps", n, (each-1)*(each+1))
	}
}

type signal struct{}

// TestIdentityIgnoresWhoWaits checks that an answer counts as sent even if nobody
// waits for it. So the later messages of the same step keep their identities.
func TestIdentityIgnoresWhoWaits(t *testing.T) {
	after := func(early int) (id uint64, answered bool) {
		sys := newSystem(t, pulse.Options{Record: true, EarlyTimers: early, Strategy: &decider{
			pick:   wakesFirst,
			choose: func(_ choice.Kind, n int) int { return n - 1 },
		}})
		logger := sys.Spawn("logger", pulse.Func(idle))
		server := sys.Spawn("server", pulse.Func(func(ctx *pulse.Ctx, _ any) {
			ctx.Reply("answer")
			ctx.Send(logger, "answered")
		}))
		sys.Go("client", func(p *pulse.Process) { _, answered = p.AskTimeout(server, "question", 1) })
		mustRun(t, sys)
		for _, st := range sys.Trace().Steps {
			if sys.Trace().Sends[st.Send].Body == "answered" {
				id = st.ID
			}
		}
		return id, answered
	}
	inTime, yes := after(0)
	late, no := after(1)
	if !yes || no || inTime == 0 || inTime != late {
		t.Errorf("answered in time: %t, identity %x; late: %t, %x", yes, inTime, no, late)
	}
}

// TestIdentityInAnotherProcess checks that identities are the same in every
// process.
func TestIdentityInAnotherProcess(t *testing.T) {
	const env = "JOSTLE_TEST_IDENTITIES"
	sum := fnv.New64a()
	sys := newSystem(t, pulse.Options{Record: true, Strategy: strategy.Random()})
	for seed := range uint64(20) {
		ids, order := (&growth{seed: seed, depth: 4, widest: 3}).grow(t, sys, seed)
		fmt.Fprint(sum, order, ids, sys.Trace().Hash) // fmt sorts maps
	}
	digest := fmt.Sprintf("digest %x", sum.Sum64())
	if os.Getenv(env) != "" {
		fmt.Println(digest)
		return
	}
	cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$", "-test.v")
	cmd.Env = append(os.Environ(), env+"=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), digest+"\n") {
		t.Errorf("another process does not print %q: %v\n%s", digest, err, out)
	}
}

// wakesFirst picks a timer before all other messages.
func wakesFirst(e *pulse.Enabled) int {
	for i := range e.Len() {
		if e.Send(i).Kind == trace.Timer {
			return i
		}
	}
	return e.Oldest()
}
