package goroutine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unsafe"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A program is what the goroutines of a run do. The first body is that of main.
type program struct {
	channels             []int // their sizes
	mutexes, rws, groups int
	bodies               [][]op
}

// tries reports whether the program calls TryLock.
func (p *program) tries() bool {
	return slices.ContainsFunc(p.bodies, func(body []op) bool {
		return slices.ContainsFunc(body, func(o op) bool { return o.kind == aTryLock })
	})
}

// An op is an operation of a goroutine.
type op struct {
	kind   opKind
	object int
	n      int // the value that is sent, or the number that is added
	cases  []oneCase
	orElse bool
}

type oneCase struct {
	object int
	send   bool
	value  int
}

type opKind uint8

const (
	aSend opKind = iota
	aTrySend
	aTake
	aTryTake
	aClose
	aSelect
	anAdd
	aWait
	aLock
	aTryLock
	anRWLock
	anRLock
	aStart
	anUnlock // unlocks the lock that was locked last
	anRWUnlock
	anRUnlock
)

// randomProgram returns a program of two to four goroutines.
func randomProgram(r *rand.Rand) *program {
	p := &program{mutexes: 1 + r.IntN(2), rws: 1, groups: 1}
	for range 1 + r.IntN(2) {
		p.channels = append(p.channels, r.IntN(3)/2+r.IntN(2))
	}
	n := 2 + r.IntN(3)
	p.bodies = make([][]op, n)
	for i := range p.bodies {
		p.bodies[i] = p.randomBody(r, i, 1+r.IntN(3))
	}
	for i := 1; i < n; i++ { // each goroutine but the first is started by an earlier one
		by := r.IntN(i)
		at := 0
		if by > 0 || r.IntN(4) == 0 {
			at = r.IntN(len(p.bodies[by]) + 1)
		}
		p.bodies[by] = slices.Insert(p.bodies[by], at, op{kind: aStart, object: i})
	}
	return p
}

func (p *program) randomBody(r *rand.Rand, i, n int) (body []op) {
	for len(body) < n {
		o := op{kind: opKind(r.IntN(int(aStart))), n: 10*i + len(body)}
		switch o.kind {
		case aSend, aTrySend, aTake, aTryTake, aClose:
			o.object = r.IntN(len(p.channels))
		case aSelect:
			o.orElse = r.IntN(3) == 0
			for range 2 + r.IntN(2) {
				o.cases = append(o.cases, oneCase{r.IntN(len(p.channels)), r.IntN(2) == 0, 100*i + 10*len(body) + len(o.cases)})
			}
		case anAdd:
			o.n = 1 - 2*r.IntN(2)
		case aLock, aTryLock:
			o.object = r.IntN(p.mutexes)
		}
		if body = append(body, o); o.kind == aLock || o.kind == anRWLock || o.kind == anRLock {
			unlock := map[opKind]opKind{aLock: anUnlock, anRWLock: anRWUnlock, anRLock: anRUnlock}[o.kind]
			body = append(append(body, p.randomBody(r, i, r.IntN(2))...), op{kind: unlock, object: o.object})
		}
	}
	return body
}

// A stage runs a program as real Go code, with real channels and locks.
type stage struct {
	*program
	channels []chan int
	mutexes  []sync.Mutex
	rws      []sync.RWMutex
	groups   []sync.WaitGroup
	logs     []string
}

func newStage(p *program) *stage {
	return &stage{program: p, mutexes: make([]sync.Mutex, p.mutexes), rws: make([]sync.RWMutex, p.rws),
		groups: make([]sync.WaitGroup, p.groups), logs: make([]string, len(p.bodies))}
}

func (s *stage) main() {
	for _, size := range s.program.channels {
		s.channels = append(s.channels, make(chan int, size))
	}
	s.run(0)
}

func (s *stage) run(i int) {
	for k := range s.bodies[i] {
		s.do(i, &s.bodies[i][k])
	}
	s.logs[i] += "."
}

// do does an operation of goroutine i and adds its result to the log of i.
func (s *stage) do(i int, o *op) {
	saw := ""
	defer func() {
		if recover() != nil {
			saw = "p"
		}
		s.logs[i] += saw
	}()
	switch o.kind {
	case aSend:
		s.channels[o.object] <- o.n
		saw = "s"
	case aTrySend:
		select {
		case s.channels[o.object] <- o.n:
			saw = "s"
		default:
			saw = "d"
		}
	case aTake:
		v, ok := <-s.channels[o.object]
		saw = fmt.Sprint("v", v, ok)
	case aTryTake:
		select {
		case v, ok := <-s.channels[o.object]:
			saw = fmt.Sprint("v", v, ok)
		default:
			saw = "d"
		}
	case aClose:
		close(s.channels[o.object])
	case aSelect:
		saw = s.choose(o)
	case anAdd:
		s.groups[o.object].Add(o.n)
	case aWait:
		s.groups[o.object].Wait()
	case aTryLock:
		if saw = "f"; s.mutexes[o.object].TryLock() {
			s.mutexes[o.object].Unlock()
			saw = "t"
		}
	case aStart:
		go s.run(o.object)
	default:
		s.lock(o)
	}
}

func (s *stage) lock(o *op) {
	switch o.kind {
	case aLock:
		s.mutexes[o.object].Lock()
	case anUnlock:
		s.mutexes[o.object].Unlock()
	case anRWLock:
		s.rws[o.object].Lock()
	case anRWUnlock:
		s.rws[o.object].Unlock()
	case anRLock:
		s.rws[o.object].RLock()
	case anRUnlock:
		s.rws[o.object].RUnlock()
	}
}

// choose does a select of two or three cases. There are two selects, because a default cannot be
// conditional.
func (s *stage) choose(o *op) string {
	var in, out [3]chan int
	var values [3]int
	for k, c := range o.cases {
		if in[k] = s.channels[c.object]; c.send {
			in[k], out[k], values[k] = nil, in[k], c.value
		}
	}
	k, v, ok := 0, 0, false
	if o.orElse {
		select {
		case v, ok = <-in[0]:
		case v, ok = <-in[1]:
			k = 1
		case v, ok = <-in[2]:
			k = 2
		case out[0] <- values[0]:
		case out[1] <- values[1]:
			k = 1
		case out[2] <- values[2]:
			k = 2
		default:
			return "d"
		}
	} else {
		select {
		case v, ok = <-in[0]:
		case v, ok = <-in[1]:
			k = 1
		case v, ok = <-in[2]:
			k = 2
		case out[0] <- values[0]:
		case out[1] <- values[1]:
			k = 1
		case out[2] <- values[2]:
			k = 2
		}
	}
	if o.cases[k].send {
		return sawCase(k, "s")
	}
	return sawCase(k, fmt.Sprint("v", v, ok))
}

// sawCase returns the log entry for a select that took case k. An entry for a
// panic does not name the case.
func sawCase(k int, saw string) string {
	if saw == "p" {
		return saw
	}
	return fmt.Sprint("c", k, saw)
}

// An explorer implements the interface by which package explore runs a program.
type explorer struct {
	run  func(sys *pulse.System) (end string)
	sys  *pulse.System
	end  string
	ends map[string]bool
}

func (e *explorer) Run(s pulse.Strategy) explore.Run {
	if e.sys != nil {
		e.sys.Close()
	}
	e.sys = pulse.New(pulse.Options{Strategy: s, EarlyTimers: pulse.NeverEarly, Record: true})
	e.end = e.run(e.sys)
	return explore.Run{System: e.sys, Failure: e.sys.Failure()}
}

func (e *explorer) Done(explore.Run) { e.ends[e.end] = true }
func (e *explorer) Again()           { clear(e.ends) }

// differs explores a program with a reduction. It describes how the result
// differs from the model's, or returns "".
func (want *tally) differs(p *program, d *door, by explore.Reduction) string {
	e := &explorer{ends: map[string]bool{}, run: func(sys *pulse.System) string {
		stage := newStage(p)
		d.run(sys, stage.main)
		return strings.Join(stage.logs, "|")
	}}
	defer func() { e.sys.Close() }()
	r, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: by, CountDistinct: true, DepthFirst: true}, KeepOn: true}, e)
	switch {
	case err != nil || !r.Complete || r.Nondeterminism != "":
		return fmt.Sprint(err, r)
	case r.Reduction != by:
		return "it restarts with " + r.Reduction.String() + ", because " + r.Because
	case by == explore.Everything && r.Runs != want.orders:
		return fmt.Sprintf("%d orders, not %d", r.Runs, want.orders)
	case r.Distinct != len(want.distinct):
		return fmt.Sprintf("%d distinct orders, not %d", r.Distinct, len(want.distinct))
	case !maps.Equal(e.ends, want.ends):
		return fmt.Sprintf("%d ends, not %d: %q, %q", len(e.ends), len(want.ends), slices.Sorted(maps.Keys(e.ends)), slices.Sorted(maps.Keys(want.ends)))
	}
	runs[by] += r.Runs
	distinct[by] += r.Distinct
	return ""
}

var runs, distinct [9]int

// mostOrders is how many orders a program may have.
const mostOrders = 1000

// randomTally returns a random program and its results in all orders. Unlocking is an operation if the program
// calls TryLock, or if unlocks is set.
func randomTally(d *door, seed uint64, unlocks bool) (*program, *tally) {
	for r := rand.New(rand.NewPCG(seed, 0)); ; {
		p := randomProgram(r)
		t := &tally{distinct: map[string]bool{}, ends: map[string]bool{}}
		m := newModel(p)
		m.tries = unlocks || p.tries()
		*d.tries = m.tries
		if m.enumerate(t, mostOrders) && t.orders > 1 {
			return p, t
		}
	}
}

// controlled returns the functions of the changed runtime.
func controlled(t *testing.T) *door {
	t.Helper()
	if !Available() {
		t.Skip("go test -vet=off -overlay=$(jostle overlay) ./pulse/goroutine runs it") // Skips: in ordinary builds
	}
	return open()
}

// TestEveryOrder: explored by each reduction, random programs have as many orders, distinct
// orders and ends as the model. In at least every other program unlocking is an operation.
func TestEveryOrder(t *testing.T) {
	d, n := controlled(t), 300
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		n = 5000
	}
	tries := *d.tries
	defer func() { *d.tries = tries }()
	for seed := range uint64(n) {
		p, want := randomTally(d, seed, seed%2 == 0)
		for _, by := range []explore.Reduction{explore.Everything, explore.SourceSets} {
			if text := want.differs(p, d, by); text != "" {
				t.Fatalf("program %d by %v: %s\n%+v", seed, by, text, p)
			}
		}
	}
	t.Logf("%d programs: runs %v, distinct %v", n, runs, distinct)
}

// TestPlantedReductions: if a reduction ignores the conflicts of one kind of
// operation, the comparison with the model finds a difference.
func TestPlantedReductions(t *testing.T) {
	d := controlled(t)
	for _, ignored := range []operation{opSend, opReceive, opClose, opSelect, opSync} {
		wrong := *d
		wrong.touched = func(c control, i int) (operation, unsafe.Pointer, int) {
			op, object, n := d.touched(c, i)
			if op == ignored {
				object = nil
			}
			return op, object, n
		}
		seen := false
		for seed := uint64(0); seed < 100 && !seen; seed++ {
			p, want := randomTally(d, seed, true)
			seen = want.differs(p, &wrong, explore.SourceSets) != ""
		}
		if !seen {
			t.Errorf("it is not noticed that operations %v are ignored", ignored)
		}
	}
}

// TestTimersOfOneInstant: timers of one instant fire in each order.
func TestTimersOfOneInstant(t *testing.T) {
	d := controlled(t)
	for _, c := range []struct {
		name string
		main func() string
		want []string
	}{
		{"one select", func() string {
			a, b := time.After(time.Second), time.After(time.Second)
			select {
			case <-a:
				return "a"
			case <-b:
				return "b"
			}
		}, []string{"a", "b"}},
		{"each stops the next", func() (stopped string) {
			var list [3]*time.Timer
			for i := range list {
				list[i] = time.AfterFunc(time.Second, func() {
					if list[(i+1)%len(list)].Stop() {
						stopped += fmt.Sprint(i)
					}
				})
			}
			time.Sleep(time.Minute)
			return stopped
		}, []string{"", "0", "1", "2"}},
	} {
		e := &explorer{ends: map[string]bool{}, run: func(sys *pulse.System) (end string) {
			d.run(sys, func() { end = c.main() })
			return end
		}}
		r, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: explore.Everything}}, e)
		if ends := slices.Sorted(maps.Keys(e.ends)); err != nil || !r.Complete || !slices.Equal(ends, c.want) {
			t.Errorf("%s: %v, %v, %v", c.name, ends, r, err)
		}
		e.sys.Close()
	}
}

// TestEnds: goroutines end in each way that an order allows, by each reduction.
func TestEnds(t *testing.T) {
	d := controlled(t)
	for _, c := range []struct {
		name string
		main func(done *sync.WaitGroup) (end func() string)
		want []string
	}{
		{"TryLock while another goroutine is between Lock and Unlock", func(done *sync.WaitGroup) func() string {
			var mu sync.Mutex
			n := 0
			for range 2 {
				done.Go(func() {
					if mu.TryLock() {
						n++
						mu.Unlock()
					}
				})
			}
			return func() string { return fmt.Sprint(n) }
		}, []string{"1", "2"}},
		{"TryLock while another goroutine is between RLock and RUnlock", func(done *sync.WaitGroup) func() string {
			var mu sync.RWMutex
			locks := false
			done.Go(func() {
				mu.RLock()
				mu.RUnlock() //lint:ignore SA2001 another goroutine sees it
			})
			done.Go(func() {
				if locks = mu.TryLock(); locks {
					mu.Unlock()
				}
			})
			return func() string { return fmt.Sprint(locks) }
		}, []string{"false", "true"}},
		{"Range while the elements change", func(done *sync.WaitGroup) func() string {
			var m sync.Map
			m.Store("b", 1)
			m.Store("a", 0)
			done.Go(func() {
				m.Store("b", 0)
				m.Store("a", 1)
			})
			n := 0
			done.Go(func() { m.Range(func(_, v any) bool { n += v.(int); return true }) })
			return func() string { return fmt.Sprint(n) }
		}, []string{"0", "1", "2"}},
		{"Reset after Stop", func(done *sync.WaitGroup) func() string {
			fired := false
			timer := time.AfterFunc(time.Hour, func() { fired = true })
			var closed atomic.Bool
			done.Go(func() {
				if !closed.Load() {
					timer.Reset(time.Hour)
				}
			})
			done.Go(func() {
				closed.Store(true)
				timer.Stop()
			})
			return func() string { time.Sleep(2 * time.Hour); return fmt.Sprint(fired) }
		}, []string{"false", "true"}},
		{"Stop before the receive", func(done *sync.WaitGroup) func() string {
			timer := time.NewTimer(1)
			time.Sleep(2 * time.Nanosecond)
			got := false
			done.Go(func() { timer.Stop() })
			done.Go(func() {
				select {
				case <-timer.C:
					got = true
				default:
				}
			})
			return func() string { return fmt.Sprint(got) }
		}, []string{"false", "true"}},
		{"reflect.Value.TrySend, TryRecv and Close", func(done *sync.WaitGroup) func() string {
			var closed atomic.Bool
			ch, saw := reflect.ValueOf(make(chan int, 1)), ""
			done.Go(func() {
				defer func() {
					if recover() != nil {
						saw = "panic"
					}
				}()
				if saw = "closed"; !closed.Load() {
					saw = fmt.Sprint("sent ", ch.TrySend(reflect.ValueOf(1)))
				}
			})
			done.Go(func() {
				closed.Store(true)
				ch.Close()
			})
			return func() string { v, ok := ch.TryRecv(); return fmt.Sprint(saw, v, ok) }
		}, []string{"closed0 false", "panic0 false", "sent true1 true"}},
	} {
		for _, by := range []explore.Reduction{explore.Everything, explore.SourceSets} {
			e := &explorer{ends: map[string]bool{}, run: func(sys *pulse.System) (end string) {
				d.run(sys, func() {
					var done sync.WaitGroup
					f := c.main(&done)
					done.Wait()
					end = f()
				})
				return end
			}}
			r, err := explore.Explore(explore.Options{Method: explore.Method{Reduction: by}}, e)
			if ends := slices.Sorted(maps.Keys(e.ends)); err != nil || !r.Complete || !slices.Equal(ends, c.want) {
				t.Errorf("%s by %v: %q, %v, %v", c.name, by, ends, r, err)
			}
			e.sys.Close()
		}
	}
}

// TestPools: concurrent runs share no items of a sync.Pool.
func TestPools(t *testing.T) {
	d := controlled(t)
	type item struct{ users int }
	pool := sync.Pool{New: func() any { return new(item) }}
	var workers sync.WaitGroup
	for range 4 {
		workers.Go(func() {
			for range 100 {
				sys := pulse.New(pulse.Options{Strategy: strategy.Random(), EarlyTimers: pulse.NeverEarly})
				d.run(sys, func() {
					for range 1000 {
						x := pool.Get().(*item)
						if x.users++; x.users != 1 {
							panic("Get returns an item that is in use")
						}
						x.users--
						pool.Put(x)
					}
				})
				if f := sys.Failure(); f != nil {
					t.Error(f)
				}
				sys.Close()
			}
		})
	}
	workers.Wait()
}
