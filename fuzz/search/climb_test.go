package search

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// say is what a property says of its runs.
type say func(t *props.T, progress int)

func nothing(*props.T, int)        {}
func feature(t *props.T, n int)    { t.Feature("progress", n) }
func maximize(t *props.T, n int)   { t.Maximize("progress", float64(n)) }
func situations(t *props.T, n int) { t.Sometimes(fmt.Sprintf("stage %d", n), true) }

// lock opens when nine senders' numbers come in one of 362,880 orders. A number that
// comes too early jams it.
func lock(say say) func(*props.T) {
	return func(t *props.T) {
		const stages = 9
		sys := t.System()
		opened, jammed := 0, false
		ref := sys.Spawn("lock", pulse.Func(func(_ *pulse.Ctx, msg any) {
			if jammed = jammed || msg != opened*4%stages; !jammed {
				opened++
				say(t, opened)
			}
		}))
		for i := range stages {
			sys.Go("sender", func(p *pulse.Process) { p.Send(ref, i) })
		}
		sys.Run()
		if opened == stages {
			t.Error("open")
		}
	}
}

// maze is walked through by moves of four processes: # is a wall, and who walks into
// one stays there.
const maze = `
##########
#S.#.....#
##.#.###.#
##...#.#.#
######.#.#
#E.......#
##########`

func walk(say func(t *props.T, x, y int)) func(*props.T) {
	rows := strings.Split(maze, "\n")[1:]
	return func(t *props.T) {
		sys := t.System()
		x, y := 1, 1
		ref := sys.Spawn("walker", pulse.Func(func(_ *pulse.Ctx, msg any) {
			if rows[y][x] == '#' {
				return
			}
			d := msg.([2]int)
			x, y = x+d[0], y+d[1]
			say(t, x, y)
			if rows[y][x] == 'E' {
				t.Error("out of the maze")
			}
		}))
		for _, move := range [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}} {
			sys.Go("legs", func(p *pulse.Process) {
				for range 8 {
					p.Send(ref, move)
				}
			})
		}
		sys.Run()
	}
}

// hill fails for one of 262,144 inputs.
func hill(say say) func(*props.T) {
	return func(t *props.T) {
		right := 0
		for i := range 6 {
			if props.Draw(t, rapid.Uint8(), fmt.Sprint("digit ", i))%8 == uint8(i*3+1)%8 {
				right++
			}
		}
		sys := t.System()
		sys.Send(sys.Spawn("hill", pulse.Func(func(*pulse.Ctx, any) {})), right)
		sys.Run()
		say(t, right)
		if right == 6 {
			t.Error("on top")
		}
	}
}

// chosen is the lock again, whose numbers the program itself chooses.
func chosen(say say) func(*props.T) {
	return func(t *props.T) {
		const stages = 10
		sys := t.System()
		opened := 0
		ref := sys.Spawn("lock", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if n := msg.(int); ctx.Choose(4) == n%4 && opened == n {
				opened++
				say(t, opened)
			}
		}))
		for i := range stages {
			sys.Send(ref, i)
		}
		sys.Run()
		if opened == stages {
			t.Error("open")
		}
	}
}

// TestHintsLead finds in a few thousand runs what random runs do not find in a
// hundred thousand, in each of 50 searches, and finds it in none if the property says
// nothing.
func TestHintsLead(t *testing.T) {
	at := func(t *props.T, x, y int) { t.Feature("at", [2]int{x, y}) }
	for _, c := range []struct {
		name     string
		property func(*props.T)
		arm      string
		most     int
		found    bool
	}{
		{"lock, Feature", lock(feature), "guided", 4096, true},
		{"lock, Sometimes", lock(situations), "guided", 4096, true},
		{"lock, Maximize", lock(maximize), "guided", 4096, true},
		{"chosen, Feature", chosen(feature), "guided", 4096, true},
		{"maze, Feature", walk(at), "guided", 8192, true},
		{"hill, Maximize", hill(maximize), "guided", 8192, true},
		{"hill, Feature", hill(feature), "guided", 8192, true},
		{"lock", lock(nothing), "guided", 50_000, false},
		{"chosen", chosen(nothing), "guided", 50_000, false},
		{"hill", hill(nothing), "guided", 50_000, false},
		{"maze", walk(func(*props.T, int, int) {}), "guided", 50_000, false},
		{"lock by random", lock(feature), "random", 100_000, false},
	} {
		var runs []int
		searches := 50
		if !c.found {
			searches = 1
		}
		missed := 0
		for seed := range uint64(searches) {
			res := searchBy(t, c.property, Options{Seed: seed + 1, Runs: c.most}, c.arm)
			if (res.Finding != nil) != c.found {
				missed++
			}
			runs = append(runs, res.Runs)
		}
		slices.Sort(runs)
		t.Logf("%s: median %d, most %d runs", c.name, runs[len(runs)/2], runs[len(runs)-1])
		if missed > 0 {
			t.Errorf("%s: %d of %d searches", c.name, missed, searches)
		}
	}
}
