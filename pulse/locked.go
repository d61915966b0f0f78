package pulse

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/internal/self"
)

// The runtime ends the process when a goroutine switches to or from a coroutine
// while its lock to a thread (runtime.LockOSThread) differs from that of the
// goroutine that made the coroutine. Go has no way to ask for the lock. So the
// pool finds it in the runtime's memory.

// A lockPlace says where the runtime stores a goroutine's lock to a thread.
type lockPlace struct {
	known   bool    // find was called
	found   bool    // if false, locks are not detected
	thread  uintptr // offset in a goroutine's data of the address of the thread it is locked to; that is zero if it is not locked
	counter uintptr // offset in a thread's data of how many times it is locked
}

// The runtime's data of a goroutine and of a thread are at least this long.
const (
	wordsOfGoroutine = 40
	wordsOfThread    = 128
)

const wordSize = unsafe.Sizeof(uintptr(0))

// lock returns a value that identifies the lock of a goroutine: zero if it is
// not locked.
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

// find finds the words that change when a goroutine is locked and unlocked.
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

// pointerTo converts an address to a pointer. It points into the runtime's
// memory, which does not move while the calling goroutine lives.
func pointerTo(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

const lockText = "a step has called runtime.LockOSThread or UnlockOSThread, so its goroutine cannot switch to a process: " +
	"call LockOSThread before the first actor is spawned, and do not unlock"

// fits reports whether the running goroutine g can switch to the coroutine, or
// from it if it is the coroutine's own.
//
// It is part of every step of a process and small enough to be inlined. If
// nothing is locked, or locks are not detected, it reads one word.
func (c *Coroutine) fits(g uintptr) bool {
	p := c.pool
	return c.lock|readWord(g+p.locks.thread) == 0 || p.locks.lock(g) == c.lock
}

// mustFit fails the step if goroutine g cannot switch.
func (c *Coroutine) mustFit(g uintptr) {
	if !c.fits(g) {
		c.unlock(g)
		panic(&Failure{Kind: KindMisuse, Text: lockText})
	}
}

// unlock undoes locks of the running goroutine g that were made since the
// coroutine was made.
func (c *Coroutine) unlock(g uintptr) {
	for n := 0; n < mostLocks && !c.fits(g) && (c.lock == 0 || c.pool.locks.lock(g)-c.lock < mostLocks); n++ {
		runtime.UnlockOSThread()
	}
}

const mostLocks = 1000

// elsewhere calls f, which switches to the coroutine, on a new goroutine. A
// coroutine made on a locked thread can run only there: then elsewhere does
// nothing and returns false.
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
