package kernels

import (
	"sync"
	"sync/atomic"
	"testing"
)

// together runs functions concurrently and waits for them.
func together(fs ...func()) {
	var wg sync.WaitGroup
	for _, f := range fs {
		wg.Go(f)
	}
	wg.Wait()
}

// A goroutine uses a variable that its creator changes.
func TestNonblockingCockroach35501(t *testing.T) {
	name := "a"
	done := make(chan bool)
	go func() { _ = name; close(done) }()
	name = "b"
	<-done
}

// A stream writes after the transport has closed its channel.
func TestNonblockingGrpc1687(t *testing.T) {
	var mu sync.Mutex
	writes, closed := make(chan int, 1), false
	together(func() {
		mu.Lock()
		ok := !closed
		mu.Unlock()
		if ok {
			writes <- 1
		}
	}, func() {
		mu.Lock()
		closed = true
		mu.Unlock()
		close(writes)
	})
}

// Two goroutines close one channel.
func TestNonblockingGrpc2371(t *testing.T) {
	done := make(chan bool)
	end := func() {
		select {
		case <-done:
		default:
			close(done)
		}
	}
	together(end, end)
}

// The reset of a timer is checked without holding the lock.
func TestNonblockingGrpc1748(t *testing.T) {
	var mu sync.Mutex
	minimum := 0
	together(func() { mu.Lock(); minimum = 1; mu.Unlock() }, func() { _ = minimum })
}

// A counter is loaded and stored, not added to.
func TestNonblockingIstio8967(t *testing.T) {
	var n atomic.Int64
	add := func() { n.Store(n.Load() + 1) }
	together(add, add)
	if n.Load() != 2 {
		t.Errorf("n is %d", n.Load())
	}
}

// A wait group's Wait may come before its Add.
func TestNonblockingKubernetes80284(t *testing.T) {
	var wg sync.WaitGroup
	var n atomic.Int32
	started := make(chan bool)
	go func() {
		close(started)
		wg.Add(1)
		n.Add(1)
		wg.Done()
	}()
	<-started
	wg.Wait()
	if n.Load() != 1 {
		t.Error("it has not waited")
	}
}

// A map is read by one goroutine and changed by another.
func TestNonblockingKubernetes81091(t *testing.T) {
	m := map[int]int{}
	together(func() { m[1] = 1 }, func() { _ = len(m) })
}

// A value is checked, and used after it was reset.
func TestNonblockingServing5865(t *testing.T) {
	var mu sync.Mutex
	value := new(int)
	get := func() *int { mu.Lock(); defer mu.Unlock(); return value }
	together(func() {
		if get() != nil {
			*get() = 1
		}
	}, func() {
		mu.Lock()
		value = nil
		mu.Unlock()
	})
}

// An entry is looked up and created under two locks, so it is created twice.
func TestNonblockingEtcd8194(t *testing.T) {
	var mu sync.RWMutex
	leases, created := map[int]bool{}, 0
	grant := func() {
		mu.RLock()
		has := leases[1]
		mu.RUnlock()
		if !has {
			mu.Lock()
			leases[1] = true
			created++
			mu.Unlock()
		}
	}
	together(grant, grant)
	if created != 1 {
		t.Errorf("created %d times", created)
	}
}

// An error is sent to a channel that is closed when the first worker ends.
func TestNonblockingMoby18412(t *testing.T) {
	errs := make(chan error, 4)
	var ended atomic.Int32
	work := func() {
		errs <- nil
		if ended.Add(1) == 1 {
			close(errs)
		}
	}
	together(work, work)
}
