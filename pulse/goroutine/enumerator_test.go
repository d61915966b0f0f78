package goroutine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// The enumerator runs a model of a program in every order. It shares no code
// with package goroutine, package explore or the runtime, and is simple enough
// to be trusted. The model represents a Go value (such as a channel or a mutex)
// by a few fields. It copies the whole run at each choice.

// A model is the state of a run of a program after some step.
type model struct {
	program  *program
	threads  []modelThread
	channels []modelChannel
	mutexes  []modelMutex // first the mutexes of type sync.Mutex, then the mutex inside of each RWMutex
	rws      []modelRW
	groups   []modelGroup
	tries    bool                   // set if unlocking is an operation
	ended    []bool                 // for each wait of a goroutine in a select, whether the wait has ended
	uses     map[string][]modelUsed // for each object (channel, mutex, …), the goroutines that have used it, in order
}

type modelUsed int32

// A modelThread is one goroutine of the model.
type modelThread struct {
	is     threadState
	at     int    // the index of the goroutine's next operation in its body
	phase  int    // 0 before the operation, 1 or 2 while the operation waits: the number of the place where it waits
	waited bool   // set if the goroutine has waited for the mutex in this operation
	lifo   bool   // set if the goroutine waits at the front of a semaphore's queue
	waits  int    // number of waits in a select so far
	woken  int    // the index of the select case that woke the goroutine; 0 outside of a select
	value  int    // the value that the goroutine has received
	ok     bool   // false if the wait ended because the channel was closed
	log    string // the results of the goroutine's operations so far
	chosen string // the select cases that the goroutine has taken when several were ready
}

type threadState uint8

const (
	absent threadState = iota
	begins
	ready
	resumes // it was woken
	waiting
	gone
)

type modelWaiter struct{ thread, wait, index, value int }

type modelChannel struct {
	buffer       []int
	size         int
	closed       bool
	sends, takes []modelWaiter
}

// A modelSema is one of the counting semaphores on which Go's runtime builds
// locks.
type modelSema struct {
	n     int
	queue []int
}

type modelMutex struct {
	locked, woken bool
	waiters       int
	modelSema
}

type modelRW struct {
	readers, leaving int // the fields readerCount and readerWait of sync.RWMutex
	read, write      modelSema
}

type modelGroup struct {
	n, waiters int
	modelSema
}

// tried is the phase of a goroutine that TryLock has let into its critical section.
const tried = 3

// pendingWriter is subtracted from the number of readers while a writer waits or writes.
const pendingWriter = 1 << 20

func newModel(p *program) *model {
	m := &model{program: p, threads: make([]modelThread, len(p.bodies)), mutexes: make([]modelMutex, p.mutexes+p.rws),
		rws: make([]modelRW, p.rws), groups: make([]modelGroup, p.groups), uses: map[string][]modelUsed{}}
	for _, size := range p.channels {
		m.channels = append(m.channels, modelChannel{size: size})
	}
	m.threads[0].is = begins
	return m
}

func (m *model) clone() *model {
	c := *m
	c.threads, c.mutexes, c.rws = slices.Clone(m.threads), slices.Clone(m.mutexes), slices.Clone(m.rws)
	c.groups, c.channels, c.ended = slices.Clone(m.groups), slices.Clone(m.channels), slices.Clone(m.ended)
	for i := range c.channels {
		ch := &c.channels[i]
		ch.buffer, ch.sends, ch.takes = slices.Clone(ch.buffer), slices.Clone(ch.sends), slices.Clone(ch.takes)
	}
	for i := range c.mutexes {
		c.mutexes[i].queue = slices.Clone(c.mutexes[i].queue)
	}
	for i := range c.rws {
		c.rws[i].read.queue, c.rws[i].write.queue = slices.Clone(c.rws[i].read.queue), slices.Clone(c.rws[i].write.queue)
	}
	for i := range c.groups {
		c.groups[i].queue = slices.Clone(c.groups[i].queue)
	}
	c.uses = maps.Clone(m.uses)
	for k, v := range c.uses {
		c.uses[k] = slices.Clip(v)
	}
	return &c
}

// A tally has the results of a program in all orders: the number of orders, the
// distinct orders and the distinct ends.
type tally struct {
	orders         int
	distinct, ends map[string]bool
}

// enumerate counts all orders. It returns false if there are more than limit.
func (m *model) enumerate(t *tally, limit int) bool {
	last := true
	for i := range m.threads {
		if is := m.threads[i].is; is != begins && is != ready && is != resumes {
			continue
		}
		last = false
		for _, next := range m.clone().step(i) {
			if !next.enumerate(t, limit) {
				return false
			}
		}
	}
	if last {
		t.orders++
		t.ends[m.end()] = true
		t.distinct[m.end()+m.used()] = true
	}
	return t.orders <= limit
}

// end describes the result of a run: the log of each goroutine, with a dot if
// the goroutine has ended.
func (m *model) end() string {
	var logs []string
	for _, t := range m.threads {
		text := t.log
		if t.is == gone {
			text += "."
		}
		logs = append(logs, text)
	}
	return strings.Join(logs, "|")
}

// used describes the order in which goroutines used each object, and the cases
// they took in selects.
func (m *model) used() (text string) {
	for _, of := range slices.Sorted(maps.Keys(m.uses)) {
		text += fmt.Sprint(";", of, m.uses[of])
	}
	for _, t := range m.threads {
		text += ";" + t.chosen
	}
	return text
}

func (m *model) use(thread int, kind string, number int) {
	of := fmt.Sprint(kind, number)
	m.uses[of] = append(m.uses[of], modelUsed(thread))
}

// step lets a goroutine take a step, and returns the runs that can follow.
// There are several if the step is a select with several ready cases.
func (m *model) step(i int) []*model {
	t := &m.threads[i]
	was := t.is
	t.is = ready
	switch was {
	case begins:
		return m.goOn(i)
	case ready:
		o := &m.program.bodies[i][t.at]
		if o.kind == aSelect {
			return m.choose(i, o)
		}
		m.begin(i, o)
	case resumes:
		m.resume(i, &m.program.bodies[i][t.at])
	}
	return m.goOn(i)
}

// goOn runs a goroutine until it waits, ends, or comes to an operation before
// which another goroutine may run. Starting a goroutine is no such operation.
// Unlocking is one only if the program may call TryLock.
func (m *model) goOn(i int) []*model {
	t := &m.threads[i]
	for t.is == ready && t.phase == 0 {
		if t.at == len(m.program.bodies[i]) {
			t.is = gone
			break
		}
		o := &m.program.bodies[i][t.at]
		if o.kind != aStart && (m.tries || !m.unlocks(i, o)) {
			break
		}
		if o.kind == aStart {
			m.threads[o.object].is = begins
		}
		t.at++
	}
	return []*model{m}
}

// unlocks does an operation that unlocks. It returns false if o is another one.
func (m *model) unlocks(i int, o *op) bool {
	switch o.kind {
	case anUnlock:
		m.unlock(i, o.object)
	case anRWUnlock:
		m.use(i, "rw", o.object)
		m.rwUnlock(i, o.object)
	case anRUnlock:
		m.use(i, "rw", o.object)
		m.rUnlock(o.object)
	default:
		return false
	}
	return true
}

// done ends a goroutine's operation and adds the result to the goroutine's log.
func (m *model) done(i int, saw string) {
	t := &m.threads[i]
	t.log += saw
	t.at, t.phase, t.waited, t.is = t.at+1, 0, false, ready
}

func (m *model) block(i, phase int) { m.threads[i].is, m.threads[i].phase = waiting, phase }

// begin begins an operation that is not a select. If the operation need not
// wait, begin also ends it.
func (m *model) begin(i int, o *op) {
	if m.unlocks(i, o) {
		m.done(i, "")
		return
	}
	if m.threads[i].phase == tried {
		m.unlock(i, o.object)
		m.done(i, "t")
		return
	}
	switch o.kind {
	case aSend, aTrySend, aTake, aTryTake, aClose:
		m.use(i, "ch", o.object)
	case anAdd, aWait:
		m.use(i, "wg", o.object)
	case aLock, aTryLock:
		m.use(i, "mu", o.object)
	default:
		m.use(i, "rw", o.object)
	}
	switch o.kind {
	case aSend, aTrySend, aTake, aTryTake:
		m.communicate(i, o)
	case aClose:
		m.close(i, o.object)
	case anAdd:
		m.add(i, o)
	case aWait:
		if g := &m.groups[o.object]; g.n == 0 {
			m.done(i, "")
		} else {
			g.waiters++
			if m.acquire(i, &g.modelSema, false, 1) {
				m.waited(i, g)
			}
		}
	case aLock:
		if m.lock(i, &m.mutexes[o.object], false) {
			m.done(i, "")
		}
	case aTryLock:
		if m.mutexes[o.object].locked {
			m.done(i, "f")
			return
		}
		m.mutexes[o.object].locked = true
		m.threads[i].phase = tried
	case anRWLock:
		if m.lock(i, m.inner(o.object), false) {
			m.awaitReaders(i, o.object)
		}
	case anRLock:
		if rw := &m.rws[o.object]; rw.enter() || m.acquire(i, &rw.read, false, 1) {
			m.done(i, "")
		}
	}
}

// resume continues an operation after a wait of the goroutine has ended.
func (m *model) resume(i int, o *op) {
	t := &m.threads[i]
	switch o.kind {
	case aSend, aTake:
		m.done(i, m.saw(i, o.kind == aSend))
	case aSelect:
		for _, c := range o.cases {
			m.use(i, "ch", c.object)
		}
		for k := range m.channels {
			here := func(w modelWaiter) bool { return w.thread == i }
			ch := &m.channels[k]
			ch.sends, ch.takes = slices.DeleteFunc(ch.sends, here), slices.DeleteFunc(ch.takes, here)
		}
		m.done(i, sawCase(t.woken, m.saw(i, o.cases[t.woken].send)))
	case aWait:
		m.use(i, "wg", o.object)
		if g := &m.groups[o.object]; m.acquire(i, &g.modelSema, t.lifo, 1) {
			m.waited(i, g)
		}
	case aLock:
		m.use(i, "mu", o.object)
		if m.lock(i, &m.mutexes[o.object], true) {
			m.done(i, "")
		}
	case anRWLock:
		m.use(i, "rw", o.object)
		if t.phase == 2 {
			if m.acquire(i, &m.rws[o.object].write, t.lifo, 2) {
				m.done(i, "")
			}
		} else if m.lock(i, m.inner(o.object), true) {
			m.awaitReaders(i, o.object)
		}
	case anRLock:
		m.use(i, "rw", o.object)
		if m.acquire(i, &m.rws[o.object].read, t.lifo, 1) {
			m.done(i, "")
		}
	}
}

// saw returns the result of a channel operation that has waited: "p" for a
// panic, "s" for a send, or "v" with the received value.
func (m *model) saw(i int, send bool) string {
	t := &m.threads[i]
	switch {
	case send && !t.ok:
		return "p"
	case send:
		return "s"
	}
	return fmt.Sprint("v", t.value, t.ok)
}

// waited ends a call to WaitGroup.Wait that had to wait. The call panics if the
// WaitGroup was used again before.
func (m *model) waited(i int, g *modelGroup) {
	if g.n != 0 || g.waiters != 0 {
		m.done(i, "p")
		return
	}
	m.done(i, "")
}

// acquire decrements a semaphore and returns true. If the semaphore is zero,
// acquire makes the goroutine wait and returns false.
func (m *model) acquire(i int, s *modelSema, front bool, phase int) bool {
	if s.n > 0 {
		s.n--
		return true
	}
	at := len(s.queue)
	if front {
		at = 0
	}
	s.queue = slices.Insert(s.queue, at, i)
	m.threads[i].lifo = front
	m.block(i, phase)
	return false
}

func (m *model) release(s *modelSema) {
	s.n++
	if len(s.queue) > 0 {
		m.threads[s.queue[0]].is = resumes
		s.queue = s.queue[1:]
	}
}

// lock locks a mutex and returns true, or makes the goroutine wait and returns
// false. A goroutine that was woken competes with goroutines that call Lock
// later.
func (m *model) lock(i int, mu *modelMutex, awoke bool) bool {
	t := &m.threads[i]
	if awoke && !m.acquire(i, &mu.modelSema, t.lifo, 1) {
		return false
	}
	for mu.locked {
		mu.waiters++
		if awoke {
			mu.woken = false
		}
		front := t.waited
		t.waited, awoke = true, true
		if !m.acquire(i, &mu.modelSema, front, 1) {
			return false
		}
	}
	mu.locked = true
	if awoke {
		mu.woken = false
	}
	return true
}

func (m *model) unlock(i, object int) {
	m.use(i, "mu", object)
	m.free(&m.mutexes[object])
}

func (m *model) free(mu *modelMutex) {
	mu.locked = false
	if mu.waiters > 0 && !mu.woken {
		mu.waiters--
		mu.woken = true
		m.release(&mu.modelSema)
	}
}

// inner returns the mutex inside of an RWMutex.
func (m *model) inner(object int) *modelMutex { return &m.mutexes[m.program.mutexes+object] }

// enter counts a reader. It returns true if the reader need not wait.
func (rw *modelRW) enter() bool {
	rw.readers++
	return rw.readers > 0
}

// awaitReaders makes a writer wait for the readers that came before it.
func (m *model) awaitReaders(i, object int) {
	rw := &m.rws[object]
	n := rw.readers
	rw.readers -= pendingWriter
	if rw.leaving += n; n != 0 && rw.leaving != 0 && !m.acquire(i, &rw.write, false, 2) {
		return
	}
	m.done(i, "")
}

func (m *model) rUnlock(object int) {
	rw := &m.rws[object]
	if rw.readers--; rw.readers >= 0 {
		return
	}
	if rw.leaving--; rw.leaving == 0 {
		m.release(&rw.write)
	}
}

func (m *model) rwUnlock(i, object int) {
	rw := &m.rws[object]
	rw.readers += pendingWriter
	for range rw.readers {
		m.release(&rw.read)
	}
	m.free(m.inner(object))
}

func (m *model) add(i int, o *op) {
	g := &m.groups[o.object]
	g.n += o.n
	switch {
	case g.n < 0 || g.waiters != 0 && o.n > 0 && g.n == o.n:
		m.done(i, "p")
		return
	case g.n == 0 && g.waiters > 0:
		n := g.waiters
		g.waiters = 0
		for range n {
			m.release(&g.modelSema)
		}
	}
	m.done(i, "")
}

// pop removes the first goroutine of a channel's queue that still waits, and
// returns it. An entry that belongs to a select may have ended by another case
// of that select. The parameter by is the goroutine that calls pop. Reading such
// an entry counts as an operation of that goroutine on the select.
func (m *model) pop(by int, queue *[]modelWaiter) (w modelWaiter, ok bool) {
	for len(*queue) > 0 {
		w, *queue = (*queue)[0], (*queue)[1:]
		if w.wait < 0 {
			return w, true
		}
		m.useWait(by, w)
		if !m.ended[w.wait] {
			m.ended[w.wait] = true
			return w, true
		}
	}
	return w, false
}

// alive reports whether an entry of a channel's queue still waits.
func (m *model) alive(by int, queue []modelWaiter) bool {
	for _, w := range queue {
		if w.wait < 0 {
			return true
		}
		if m.useWait(by, w); !m.ended[w.wait] {
			return true
		}
	}
	return false
}

// useWait records that goroutine by uses the select wait of w. The wait is
// named by its goroutine and its number, because a goroutine has one wait at a
// time.
func (m *model) useWait(by int, w modelWaiter) {
	m.use(by, fmt.Sprint("wait", w.thread, "."), m.threads[w.thread].waits)
}

func (m *model) wake(w modelWaiter, value int, ok bool) {
	t := &m.threads[w.thread]
	t.is, t.woken, t.value, t.ok = resumes, w.index, value, ok
}

// transfer sends or receives without waiting, and returns the result as text.
// ok is false if that is impossible.
func (m *model) transfer(i, object int, send bool, value int) (saw string, ok bool) {
	ch := &m.channels[object]
	if send {
		if ch.closed {
			return "p", true
		}
		if w, ok := m.pop(i, &ch.takes); ok {
			m.wake(w, value, true)
			return "s", true
		}
		if len(ch.buffer) < ch.size {
			ch.buffer = append(ch.buffer, value)
			return "s", true
		}
		return "", false
	}
	if len(ch.buffer) > 0 {
		value = ch.buffer[0]
		ch.buffer = ch.buffer[1:]
		if w, ok := m.pop(i, &ch.sends); ok {
			ch.buffer = append(ch.buffer, w.value)
			m.wake(w, 0, true)
		}
		return fmt.Sprint("v", value, true), true
	}
	if ch.closed {
		return fmt.Sprint("v", 0, false), true
	}
	if w, ok := m.pop(i, &ch.sends); ok {
		m.wake(w, 0, true)
		return fmt.Sprint("v", w.value, true), true
	}
	return "", false
}

// communicate does a channel operation of a goroutine, which may be a select
// with a default.
func (m *model) communicate(i int, o *op) {
	send := o.kind == aSend || o.kind == aTrySend
	saw, ok := "", false
	if ch := &m.channels[o.object]; ch.closed || ch.size == 0 || o.kind == aSend || o.kind == aTake || send == (len(ch.buffer) < ch.size) || !send == (len(ch.buffer) > 0) {
		saw, ok = m.transfer(i, o.object, send, o.n)
	}
	switch {
	case ok:
		m.done(i, saw)
	case o.kind == aTrySend || o.kind == aTryTake:
		m.done(i, "d")
	default:
		m.enqueue(oneCase{o.object, send, o.n}, modelWaiter{i, -1, 0, o.n})
		m.block(i, 1)
	}
}

func (m *model) enqueue(c oneCase, w modelWaiter) {
	ch := &m.channels[c.object]
	if c.send {
		ch.sends = append(ch.sends, w)
	} else {
		ch.takes = append(ch.takes, w)
	}
}

func (m *model) close(i, object int) {
	ch := &m.channels[object]
	if ch.closed {
		m.done(i, "p")
		return
	}
	ch.closed = true
	for _, queue := range []*[]modelWaiter{&ch.takes, &ch.sends} {
		for w, ok := m.pop(i, queue); ok; w, ok = m.pop(i, queue) {
			m.wake(w, 0, false)
		}
	}
	m.done(i, "")
}

// canGo reports whether a case of a select is ready.
func (m *model) canGo(i int, c oneCase) bool {
	ch := &m.channels[c.object]
	switch {
	case ch.closed:
		return true
	case c.send:
		return len(ch.buffer) < ch.size || m.alive(i, ch.takes)
	}
	return len(ch.buffer) > 0 || m.alive(i, ch.sends)
}

// choose does a select, and returns one run for each case that is ready. If no
// case is ready, it takes the default or makes the goroutine wait.
func (m *model) choose(i int, o *op) (list []*model) {
	var can []int
	for k, c := range o.cases {
		if m.canGo(i, c) {
			can = append(can, k)
		}
	}
	for _, c := range o.cases {
		m.use(i, "ch", c.object)
	}
	for _, k := range can {
		next := m.clone()
		saw, _ := next.transfer(i, o.cases[k].object, o.cases[k].send, o.cases[k].value)
		if len(can) > 1 {
			next.threads[i].chosen += fmt.Sprint(k)
		}
		next.done(i, sawCase(k, saw))
		list = append(list, next.goOn(i)...)
	}
	if len(can) > 0 {
		return list
	}
	if o.orElse {
		m.done(i, "d")
		return m.goOn(i)
	}
	m.threads[i].waits++
	m.ended = append(m.ended, false)
	for k := range o.cases { // queue sends in the order of the cases, and receives in the opposite order, as the compiler numbers them
		if o.cases[k].send {
			m.enqueue(o.cases[k], modelWaiter{i, len(m.ended) - 1, k, o.cases[k].value})
		}
		if back := len(o.cases) - 1 - k; !o.cases[back].send {
			m.enqueue(o.cases[back], modelWaiter{i, len(m.ended) - 1, back, 0})
		}
	}
	m.block(i, 1)
	return []*model{m}
}
