package pulse

import (
	"runtime"
	"slices"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/internal/self"
)

// A goroutine may be locked to a thread by runtime.LockOSThread. A coroutine
// inherits the lock of the goroutine that made it. The runtime ends the
// process if a goroutine with a different lock switches to the coroutine. Go
// has no function that returns the lock. So the pool of coroutines finds the
// lock in the runtime's memory.

// A lockPlace says where the runtime stores a goroutine's lock to a thread.
type lockPlace struct {
	known   bool    // set if find was called
	found   bool    // set if find succeeded; otherwise locks are not detected
	thread  uintptr // offset of a word in a goroutine's data: the address of the thread to which the goroutine is locked, or zero
	counter uintptr // offset of the lock count in a thread's data
}

// The runtime's data of a goroutine and of a thread have at least this many
// words.
const (
	wordsOfGoroutine = 40
	wordsOfThread    = 128
)

const wordSize = unsafe.Sizeof(uintptr(0))

// lock returns a value that identifies the thread and the lock count of a
// goroutine's lock. It returns zero if the goroutine is not locked.
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

// find sets p.thread, p.counter and p.found. It locks and unlocks a goroutine
// and looks for the words that change.
func (p *lockPlace) find() {
	p.known = true
	done := make(chan signal)
	go func() {
		defer close(done)
		p.found = p.findThread() && p.findCounter()
	}()
	<-done
}

// findThread sets p.thread, the offset of the word that points to the thread to
// which a goroutine is locked. That word is zero while the goroutine is not
// locked. While the goroutine is locked, an earlier word has the same value.
// findThread reports whether exactly one word behaves like this.
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

// findCounter sets p.counter, the offset of the 32-bit number that counts the
// locks of a thread. It reports whether exactly one number changes as such a
// count does.
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

// pointerTo converts an address in the runtime's memory to a pointer. That
// memory does not move while the calling goroutine lives.
func pointerTo(at uintptr) unsafe.Pointer { return *(*unsafe.Pointer)(unsafe.Pointer(&at)) }

const lockText = "a step has called runtime.LockOSThread or UnlockOSThread, so its goroutine cannot switch to a process: " +
	"call LockOSThread before the first actor is spawned, and do not unlock"

// fits reports whether the running goroutine g can switch to coroutine c. If g
// is the goroutine of c, fits reports whether g can switch back.
//
// fits is part of every step of a process, so it is small enough to be
// inlined. If no goroutine is locked, or locks are not detected, fits reads
// one word.
func (c *Coroutine) fits(g uintptr) bool {
	p := c.pool
	return c.lock|readWord(g+p.locks.thread) == 0 || p.locks.lock(g) == c.lock
}

// unlock undoes the calls to LockOSThread that the running goroutine g has made
// since the coroutine was made.
func (c *Coroutine) unlock(g uintptr) {
	for n := 0; n < mostLocks && !c.fits(g) && (c.lock == 0 || c.pool.locks.lock(g)-c.lock < mostLocks); n++ {
		runtime.UnlockOSThread()
	}
}

const mostLocks = 1000
