package pulse

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/internal/self"
)

// The runtime ends the whole process when a goroutine switches to or from a
// coroutine while it is locked to a thread (runtime.LockOSThread) in another way than
// the goroutine was that made the coroutine. No Go code can ask whether it is. So the
// pool looks where the runtime keeps it.

// A lockPlace is where the runtime keeps how a goroutine is locked to a thread.
type lockPlace struct {
	known   bool    // it was looked for
	found   bool    // if not, nothing is noticed
	thread  uintptr // the offset of the thread's address in what it knows of a goroutine; that is zero when it is not locked
	counter uintptr // the offset of how often it is locked, in what it knows of the thread
}

// The runtime knows more of a goroutine and of a thread than these words.
const (
	wordsOfGoroutine = 40
	wordsOfThread    = 128
)

const wordSize = unsafe.Sizeof(uintptr(0))

// lock returns how a goroutine is locked: zero if it is not.
func (p *lockPlace) lock(g uintptr) uintptr {
	if !p.found {
		return 0
	}
	m := readWord(g + p.thread)
	if m == 0 {
		return 0
	}
	return m + uintptr(*(*uint32)(pointerTo(m + p.counter)))
}

// find looks what changes when a goroutine is locked and unlocked.
func (p *lockPlace) find() {
	p.known = true
	done := make(chan signal)
	go func() {
		defer close(done)
		p.found = p.findThread() && p.findCounter()
	}()
	<-done
}

// findThread finds the word of a goroutine that is zero while the goroutine is not
// locked, and equals an earlier word, its thread's address, while it is. It reports
// whether there is just one.
func (p *lockPlace) findThread() bool {
	word := func(i int) uintptr { return readWord(self.Goroutine() + uintptr(i)*wordSize) }
	var locked [wordsOfGoroutine]uintptr
	runtime.LockOSThread()
	for i := range locked {
		locked[i] = word(i)
	}
	runtime.UnlockOSThread()
	found := 0
	for i, thread := range locked {
		if thread != 0 && word(i) == 0 && slices.Contains(locked[:i], thread) {
			found++
			p.thread = uintptr(i) * wordSize
		}
	}
	return found == 1
}

// findCounter finds the half word of a thread that counts how often it is locked, and
// reports whether there is just one.
func (p *lockPlace) findCounter() bool {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := readWord(self.Goroutine() + p.thread)
	var seen [2 * wordsOfThread]int
	look := func(depth uint32) {
		for i := range seen {
			if *(*uint32)(pointerTo(m + uintptr(i)*4)) == depth {
				seen[i]++
			}
		}
	}
	look(1)
	runtime.LockOSThread()
	look(2)
	runtime.LockOSThread()
	look(3)
	runtime.UnlockOSThread()
	look(2)
	runtime.UnlockOSThread()
	look(1)
	const always = 5
	at := slices.Index(seen[:], always)
	p.counter = uintptr(at) * 4
	return at >= 0 && !slices.Contains(seen[at+1:], always)
}

func readWord(at uintptr) uintptr { return *(*uintptr)(pointerTo(at)) }

// pointerTo returns an address as a pointer. What it points to is the runtime's, and
// stays where it is while the goroutine that asks is alive.
func pointerTo(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

const lockText = "the goroutine was locked to a thread by runtime.LockOSThread, or unlocked, in a step: " +
	"then it can switch to no process; lock it before the first actor is spawned, and leave it so"

// fits reports whether a goroutine, the one that runs, can switch to the coroutine, or
// from it if it is its own.
//
// It is part of a process's step, and small enough to be inlined: where nothing is
// locked, or nothing is known, one word is read.
func (c *Coroutine) fits(g uintptr) bool {
	p := c.pool
	return c.lock|readWord(g+p.locks.thread) == 0 || p.locks.lock(g) == c.lock
}

// mustFit fails the step if its goroutine does not fit.
func (c *Coroutine) mustFit(g uintptr) {
	if !c.fits(g) {
		c.unlock(g)
		panic(&Failure{Kind: KindMisuse, Text: lockText})
	}
}

// unlock takes back how often more than when the coroutine was made the goroutine g,
// the one that runs, was locked.
func (c *Coroutine) unlock(g uintptr) {
	for n := 0; n < mostLocks && !c.fits(g) && (c.lock == 0 || c.pool.locks.lock(g)-c.lock < mostLocks); n++ {
		runtime.UnlockOSThread()
	}
}

const mostLocks = 1000

// elsewhere calls f, which switches to the coroutine, on a goroutine that may do that.
// What was made on a locked thread can only go on there: it stays where it is, and
// elsewhere reports false.
func (c *Coroutine) elsewhere(f func()) bool {
	if c.lock != 0 {
		return false
	}
	gone := make(chan signal)
	go func() {
		defer close(gone)
		f()
	}()
	<-gone
	return true
}
