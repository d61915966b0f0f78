package pulse

import (
	"runtime"
	"unsafe"
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
		runtime.LockOSThread()
		found := p.findThread()
		runtime.UnlockOSThread()
		p.found = found && p.findCounter()
	}()
	<-done
}

// findThread finds the word that is zero while the goroutine is not locked, and while
// it is locked what an earlier word is too, the one for the goroutine's thread. It is
// called when the goroutine is locked, and reports whether there is just one such word.
func (p *lockPlace) findThread() (found bool) {
	g := goroutine()
	var locked [wordsOfGoroutine]uintptr
	for i := range locked {
		locked[i] = readWord(g + uintptr(i)*wordSize)
	}
	runtime.UnlockOSThread()
	defer runtime.LockOSThread()
	for i, x := range locked {
		if x == 0 || readWord(g+uintptr(i)*wordSize) != 0 {
			continue
		}
		for _, y := range locked[:i] {
			if x == y && found {
				return false
			}
			if x == y {
				found, p.thread = true, uintptr(i)*wordSize
				break
			}
		}
	}
	return found
}

// findCounter finds the half word of a thread that counts, and reports whether there
// is just one. The goroutine that calls it is not locked.
func (p *lockPlace) findCounter() bool {
	var seen [2 * wordsOfThread]int
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	m := readWord(goroutine() + p.thread)
	if m == 0 {
		return false
	}
	look := func(n uint32) {
		for i := range seen {
			if *(*uint32)(pointerTo(m + uintptr(i)*4)) == n {
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
	count := 0
	for i, n := range seen {
		if n == 5 {
			count++
			p.counter = uintptr(i) * 4
		}
	}
	return count == 1
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
