// Package kernels has small programs with the concurrency bugs of known projects. They
// are written after the descriptions in the study GoBench (CGO 2021) and in the issues
// whose numbers are in the names of the programs, and are simplified. No code is copied.
package kernels

import (
	"context"
	"math/rand/v2"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"
)

// ended fails the test if goroutines that the test has started are left.
func ended(t *testing.T, before int) {
	for wait := time.Microsecond; wait < 50*time.Millisecond; wait *= 2 {
		if runtime.NumGoroutine() <= before {
			return
		}
		time.Sleep(wait)
	}
	t.Error("goroutines are left")
}

func all(t *testing.T, fs ...func()) {
	before := runtime.NumGoroutine()
	for _, f := range fs {
		go f()
	}
	ended(t, before)
}

// A log call under the lock logs again if the exit function fails.
func TestBlockingCockroach9935(t *testing.T) {
	var mu sync.Mutex
	broken := make(chan bool, 1)
	exit := func() { mu.Lock(); mu.Unlock() }
	all(t, func() { broken <- true }, func() {
		mu.Lock()
		defer mu.Unlock()
		select {
		case <-broken:
			exit()
		default:
		}
	})
}

// A broadcaster is stopped under the lock that its own goroutine needs to end.
func TestBlockingEtcd6873(t *testing.T) {
	var mu sync.Mutex
	updates, done := make(chan int), make(chan bool)
	all(t, func() {
		for range updates {
			mu.Lock()
			mu.Unlock()
		}
		close(done)
	}, func() {
		updates <- 1
		mu.Lock()
		close(updates)
		<-done
		mu.Unlock()
	})
}

// A benchmark's worker reports to a channel that nobody reads after an error.
func TestBlockingGrpc660(t *testing.T) {
	done, stop := make(chan bool), make(chan bool)
	all(t, func() { close(stop) }, func() { done <- true }, func() {
		select {
		case <-done:
		case <-stop:
		}
	})
}

// A request times out and leaves behind the goroutine that would answer it.
func TestBlockingKubernetes5316(t *testing.T) {
	answer, fail := make(chan int), make(chan int)
	all(t, func() {
		time.Sleep(time.Millisecond)
		select {
		case answer <- 1:
		case fail <- 1:
		}
	}, func() {
		select {
		case <-answer:
		case <-fail:
		case <-time.After(time.Millisecond):
		}
	})
}

// Two functions lock the device set and a device in opposite orders.
func TestBlockingMoby4951(t *testing.T) {
	var set, device sync.Mutex
	all(t, func() {
		set.Lock()
		device.Lock()
		device.Unlock()
		set.Unlock()
	}, func() {
		device.Lock()
		set.Lock()
		set.Unlock()
		device.Unlock()
	})
}

// A mapping is cleared under its lock, and notifies subscribers, which take that lock.
func TestBlockingSyncthing4829(t *testing.T) {
	var mu sync.RWMutex
	mappings := map[int]int{}
	addresses := func() { mu.RLock(); mu.RUnlock() }
	all(t, func() {
		mu.Lock()
		mappings[1] = 1
		mu.Unlock()
	}, func() {
		mu.Lock()
		if len(mappings) > 0 {
			addresses()
		}
		mu.Unlock()
	})
}

// A lock of one URL is taken while the lock of the table is held, which unlocking needs.
func TestBlockingHugo3251(t *testing.T) {
	var table sync.RWMutex
	urls := map[string]*sync.Mutex{}
	work := func() {
		table.Lock()
		if urls["u"] == nil {
			urls["u"] = &sync.Mutex{}
		}
		urls["u"].Lock()
		table.Unlock()
		table.RLock()
		urls["u"].Unlock()
		table.RUnlock()
	}
	all(t, work, work)
}

// A config store waits under its lock for an event. The handler that sends the event
// takes the same lock.
func TestBlockingIstio16224(t *testing.T) {
	var mu sync.Mutex
	events := make(chan int)
	all(t, func() {
		mu.Lock()
		defer mu.Unlock()
		<-events
	}, func() {
		mu.Lock()
		mu.Unlock()
		events <- 1
	})
}

// The first of two requests must end first, but the second holds the only place of the
// breaker.
func TestBlockingServing2137(t *testing.T) {
	pending, active := make(chan bool, 2), make(chan bool, 1)
	var locks [2]sync.Mutex
	var done [2]chan bool
	for i := range locks {
		locks[i].Lock()
		done[i] = make(chan bool)
	}
	request := func(i int) {
		pending <- true
		active <- true
		locks[i].Lock()
		<-active
		<-pending
		close(done[i])
	}
	all(t, func() { request(0) }, func() { request(1) }, func() {
		for i := range locks {
			locks[i].Unlock()
			<-done[i]
		}
	})
}

// A watcher stops under the lock while the distributor holds it and sends.
func TestBlockingKubernetes1321(t *testing.T) {
	var mu sync.Mutex
	result, stopped := make(chan int), false
	all(t, func() {
		mu.Lock()
		if !stopped {
			result <- 1
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		stopped = true
		mu.Unlock()
		select {
		case <-result:
		default:
		}
	})
}

// A connection writes a reset under a lock that the reader of resets needs.
func TestBlockingKubernetes6632(t *testing.T) {
	var mu sync.Mutex
	reset := make(chan int)
	all(t, func() {
		<-reset
		mu.Lock()
		mu.Unlock()
	}, func() {
		mu.Lock()
		reset <- 1
		mu.Unlock()
	}, func() {
		select {
		case <-reset:
		case <-time.After(time.Microsecond):
		}
	})
}

// A status manager sends to a full channel under the lock that the receiver takes.
func TestBlockingKubernetes10182(t *testing.T) {
	var mu sync.Mutex
	ch := make(chan int)
	set := func() { mu.Lock(); ch <- 1; mu.Unlock() }
	all(t, func() {
		for range 2 {
			<-ch
			mu.Lock()
			mu.Unlock()
		}
	}, set, set)
}

// A watch reports an error after its reader has gone.
func TestBlockingKubernetes25331(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	errs := make(chan error)
	all(t, func() {
		select {
		case err := <-errs:
			_ = err
		case <-ctx.Done():
		}
		cancel()
	}, func() { errs <- nil }, func() { cancel() })
}

// A read lock is taken again while a writer waits.
func TestBlockingKubernetes58107(t *testing.T) {
	var mu sync.RWMutex
	all(t, func() {
		mu.RLock()
		mu.RLock()
		mu.RUnlock()
		mu.RUnlock()
	}, func() {
		mu.Lock()
		mu.Unlock()
	})
}

// A token is added under a lock by a send to the expiry loop, which takes that lock.
func TestBlockingEtcd7492(t *testing.T) {
	var mu sync.Mutex
	add, tick := make(chan int), make(chan int, 1)
	all(t, func() { tick <- 1 }, func() {
		for range 2 {
			select {
			case <-add:
			case <-tick:
				mu.Lock()
				mu.Unlock()
			}
		}
	}, func() {
		mu.Lock()
		add <- 1
		mu.Unlock()
	})
}

// A balancer's watcher and Close lock the connection and the balancer in opposite orders.
func TestBlockingGrpc1353(t *testing.T) {
	var conn, balancer sync.Mutex
	updates := make(chan int, 1)
	all(t, func() {
		conn.Lock()
		updates <- 1
		balancer.Lock()
		balancer.Unlock()
		conn.Unlock()
	}, func() {
		balancer.Lock()
		select {
		case <-updates:
			conn.Lock()
			conn.Unlock()
		default:
		}
		balancer.Unlock()
	})
}

// The reader of a stream waits for data after the transport was closed without notice
// to it.
func TestBlockingGrpc1275(t *testing.T) {
	data, closed := make(chan int), make(chan bool)
	open := true
	var mu sync.Mutex
	all(t, func() {
		mu.Lock()
		ok := open
		mu.Unlock()
		if ok {
			<-data
		}
	}, func() {
		mu.Lock()
		open = false
		mu.Unlock()
		close(closed)
	}, func() {
		select {
		case data <- 1:
		case <-closed:
		}
	})
}

// A keepalive loop waits on a condition that was signaled before the wait.
func TestBlockingGrpc1460(t *testing.T) {
	var mu sync.Mutex
	cond, active := sync.NewCond(&mu), false
	all(t, func() {
		mu.Lock()
		idle := !active
		mu.Unlock()
		mu.Lock()
		if idle {
			cond.Wait()
		}
		mu.Unlock()
	}, func() {
		mu.Lock()
		active = true
		cond.Signal()
		mu.Unlock()
	})
}

// A plugin's waiter misses the broadcast of its activation.
func TestBlockingMoby30408(t *testing.T) {
	var mu sync.Mutex
	cond, err := sync.NewCond(&mu), make(chan error, 1)
	all(t, func() {
		mu.Lock()
		if len(err) == 0 {
			mu.Unlock()
			mu.Lock()
			cond.Wait()
		}
		mu.Unlock()
	}, func() {
		err <- nil
		mu.Lock()
		cond.Broadcast()
		mu.Unlock()
	})
}

// A health monitor is stopped under the lock of the container. Its probe needs that
// lock to end.
func TestBlockingMoby28462(t *testing.T) {
	var mu sync.Mutex
	stop := make(chan bool)
	all(t, func() {
		for {
			select {
			case <-stop:
				return
			default:
				mu.Lock()
				mu.Unlock()
			}
		}
	}, func() {
		mu.Lock()
		stop <- true
		mu.Unlock()
	})
}

// A stopper is told to quiesce while a task registers itself after checking for that.
func TestBlockingCockroach1055(t *testing.T) {
	var mu sync.Mutex
	var tasks sync.WaitGroup
	drained := make(chan bool)
	draining := false
	all(t, func() {
		mu.Lock()
		ok := !draining
		mu.Unlock()
		if ok {
			tasks.Add(1)
			<-drained
			tasks.Done()
		}
	}, func() {
		mu.Lock()
		draining = true
		mu.Unlock()
		tasks.Wait()
		close(drained)
	})
}

// An error, which comes by chance, is sent before anybody can receive it.
func TestBlockingMoby33293(t *testing.T) {
	all(t, func() {
		if errs := make(chan bool); rand.IntN(4) == 3 {
			errs <- true
		}
	})
}

// An entry expires after a nanosecond. If it has been renewed by then, the lock stays locked.
func TestBlockingGrpc3017(t *testing.T) {
	var mu sync.Mutex
	all(t, func() {
		renewed := false
		expires := time.AfterFunc(time.Nanosecond, func() {
			mu.Lock()
			if !renewed {
				mu.Unlock()
			}
		})
		mu.Lock()
		renewed = !expires.Stop()
		mu.Unlock()
		mu.Lock()
		mu.Unlock()
	})
}

// A reader registers itself without a lock. Only if it has done so, closing tells it to wait for
// the end of an event that nobody receives.
func TestBlockingMoby27782(t *testing.T) {
	events := make(chan bool)
	all(t, func() {
		registered := false
		go func() { registered = true }()
		if registered {
			events <- true
		}
	})
}

// Many deletions lock in opposite orders. They deadlock in nearly every order, but hardly ever if
// each goroutine runs to its end, as mostly under go test.
func TestBlockingMoby4951Often(t *testing.T) {
	var set, device sync.Mutex
	both := func(x, y *sync.Mutex) func() {
		return func() {
			x.Lock()
			y.Lock()
			y.Unlock()
			x.Unlock()
		}
	}
	all(t, slices.Repeat([]func(){both(&set, &device), both(&device, &set)}, 20)...)
}

// TestMendedMoby4951 and TestMendedGrpc660 have mended programs, which no tool may
// report.
func TestMendedMoby4951(t *testing.T) {
	var set, device sync.Mutex
	both := func() {
		set.Lock()
		device.Lock()
		device.Unlock()
		set.Unlock()
	}
	all(t, both, both)
}

func TestMendedGrpc660(t *testing.T) {
	done, stop := make(chan bool, 1), make(chan bool)
	all(t, func() { close(stop) }, func() { done <- true }, func() {
		select {
		case <-done:
		case <-stop:
		}
	})
}
