package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"runtime/metrics"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/garbage"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Serve offers a property to the command that has started this process, and carries out the
// requests of the command. It reports a run that makes no progress for the time stall. If no
// command has started this process, Serve does nothing and returns false.
func Serve(verb string, of *session.Session, stall time.Duration) bool {
	w := process()
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serve(verb, &session.Session{Property: of.Property, Folder: of.Folder, Portfolio: of.Portfolio, FewFor: fewFor, Later: true,
		Explore: search.ExploreOptions{Method: of.Explore.Method, Inputs: of.Explore.Inputs}, Turn: w.waitTurn,
		Say: w.event}, stall)
	return true
}

// fewFor limits the time that a session tries to run every order before a search.
const fewFor = 2 * time.Second

// process returns the worker of this process, nil if the process is not a worker.
var process = sync.OnceValue(open)

// A worker is the test binary's end of the connection to the command jostle.
type worker struct {
	mu    sync.Mutex     // held during an offer and its requests
	calls map[string]int // the number of offers of each test

	requests chan session.Request // the requests of the command; closed when the command has ended or has closed its pipe
	enough   func()               // ends the last request after its current run; nil before the first request
	turn     sync.Mutex           // held while no run may begin, and briefly before each run
	paused   bool                 // set while no run may begin, because the method read holds the lock turn
	pipe     *os.File             // carries the messages
	place    place                // where the worker writes the number of its current batch
	before   bool                 // set while the command knows that the worker runs something other than a batch

	asked context.Context    // done when the command has asked for the end, has ended or has closed its pipe
	ask   context.CancelFunc // ends the context asked
	left  sync.Once          // makes the method leave run only once

	out  sync.Mutex    // guards the following fields
	to   *json.Encoder // writes the messages
	idle bool          // set while the worker waits for a request
	busy *sync.Cond    // signaled when the field idle becomes false; uses the lock out
}

// setting is the value of Variable at the start of the process, before TestMain can clear it.
var setting = os.Getenv(Variable)

// open connects the process to its command. It returns nil if no command has started the process.
func open() *worker {
	if setting == "" {
		return nil
	}
	os.Unsetenv(Variable) // child processes are not workers
	parts := strings.Fields(setting)
	if len(parts) != 4 {
		giveUp("%s is %q: only the command jostle may set it, to a version and three files", Variable, setting)
	}
	in, out, at := inherited(parts[1]), inherited(parts[2]), inherited(parts[3])
	if in == nil || out == nil || at == nil {
		giveUp("%s is %q: it names files that are not open", Variable, setting)
	}
	w := &worker{calls: map[string]int{}, requests: make(chan session.Request), pipe: out, place: mapped(at), to: json.NewEncoder(out)}
	w.busy = sync.NewCond(&w.out)
	w.asked, w.ask = context.WithCancel(context.Background())
	w.say(Message{Hello: &Hello{Version}})
	go w.read(in)
	go w.beat()
	garbage.Watch()
	return w
}

// giveUp prints a message and ends the process, which cannot reach its command.
func giveUp(format string, args ...any) {
	fmt.Fprint(os.Stderr, trace.Visible(fmt.Sprintf(format+"\n", args...)))
	os.Exit(gone)
}

// leave is called when the command is gone. It ends the current request, and ends the process
// unless its tests and TestMain finish within the time stopping.
func (w *worker) leave() {
	w.left.Do(func() {
		surviveBrokenPipe()
		w.ask()
		time.AfterFunc(stopping, func() { os.Exit(gone) })
	})
}

// gone is the exit code of a worker whose command is gone or cannot be reached.
const gone = 86

// read passes the requests of the command to w.requests. If the command asks for the end or is
// gone, it also ends the current request.
func (w *worker) read(in *os.File) {
	from := json.NewDecoder(bufio.NewReader(in))
	for {
		var q session.Request
		if err := from.Decode(&q); err != nil {
			w.pause(false)
			w.leave()
			close(w.requests)
			return
		}
		if q.Do != collect {
			w.pause(q.Do == pause)
		}
		switch q.Do {
		case stop:
			w.ask()
		case pause, resume:
			continue
		case enough:
			if w.enough != nil {
				w.enough()
			}
			continue
		case collect:
			go w.collect()
			continue
		}
		q.Enough, w.enough = context.WithCancel(w.asked)
		w.requests <- q
	}
}

// pause makes further runs wait if `on` is set. Otherwise it lets the runs continue.
func (w *worker) pause(on bool) {
	switch {
	case on && !w.paused:
		w.turn.Lock()
	case !on && w.paused:
		w.turn.Unlock()
	}
	w.paused = on
}

// waitTurn waits while runs are paused. It is called before each run.
func (w *worker) waitTurn() {
	w.turn.Lock()
	defer w.turn.Unlock()
}

// collect collects garbage, returns free memory to the operating system, and sends a beat.
func (w *worker) collect() {
	debug.FreeOSMemory()
	w.say(Message{Beat: &Beat{Memory: garbage.Memory(), CPU: cpuTime(), Collected: true}})
}

// say sends a message, except a beat while the worker is idle. If the write fails, the command is
// gone.
func (w *worker) say(m Message) {
	w.out.Lock()
	defer w.out.Unlock()
	if m.Beat != nil && w.idle {
		return // between requests the command does not read messages
	}
	if m.Done != nil || m.Error != "" {
		w.idle = true
	}
	if err := w.to.Encode(m); err != nil {
		w.leave()
	}
}

// event passes an event of the session on to the command. It writes the number of a batch to the
// file place. It also sends a message for the first batch after work that was not a batch.
func (w *worker) event(e session.Event) {
	batch := e.At != nil && e.At.String() == ""
	if batch {
		w.place.set(e.At.Batch)
	}
	if !batch || w.before {
		w.say(Message{Event: e})
	}
	w.before = !batch && (w.before || e.At != nil)
}

// next returns the next request and true, or false if the command is gone.
func (w *worker) next() (session.Request, bool) {
	q, ok := <-w.requests
	w.out.Lock()
	defer w.out.Unlock()
	w.idle = false
	w.busy.Signal()
	return q, ok
}

// beat sends ten beats a second, except while the worker is idle. An idle worker uses no processor
// time, because a campaign may keep many of them.
func (w *worker) beat() {
	for range time.Tick(time.Second / 10) {
		w.out.Lock()
		for w.idle {
			w.busy.Wait()
		}
		w.out.Unlock()
		w.sayUsed()
	}
}

// sayUsed sends a beat with the memory and the processor time used.
func (w *worker) sayUsed() {
	w.say(Message{Beat: &Beat{Memory: garbage.Memory(), CPU: cpuTime(), Busy: isBusy()}})
}

// isBusy reports whether a goroutine other than that of the caller runs or could run.
func isBusy() bool {
	counts := []metrics.Sample{{Name: "/sched/goroutines/running:goroutines"}, {Name: "/sched/goroutines/runnable:goroutines"}}
	metrics.Read(counts)
	return counts[0].Value.Uint64()+counts[1].Value.Uint64() > 1
}

// serve offers a property and carries out requests until the command stops it or is gone.
func (w *worker) serve(verb string, s *session.Session, stall time.Duration) {
	p := &s.Property
	offer := Property{Test: p.Test, Verb: verb, Call: w.calls[p.Test], Name: p.Name, Folder: s.Folder.Dir, Func: p.FuncName()}
	w.calls[p.Test]++
	w.say(Message{Offer: &offer})
	if q, ok := w.next(); !ok || q.Do != take {
		return
	}
	for {
		q, ok := w.next()
		if !ok || q.Do == stop {
			return
		}
		m := w.do(s, &q, stall)
		w.sayUsed() // send a beat, because the request may have ended before the first regular one
		w.say(m)
	}
}

// do carries out a request, with a watchdog for runs without progress, and returns the reply.
func (w *worker) do(s *session.Session, q *session.Request, stall time.Duration) Message {
	dog := &search.Watchdog{Limit: stall, Tell: func(headline, lines string) {
		w.say(Message{Stall: headline + "\n" + lines})
	}}
	s.Property.Made = dog.Look
	dog.Start()
	defer dog.Stop()
	r, err := s.Do(w.asked, q)
	if err != nil {
		return Message{Error: err.Error()}
	}
	return Message{Done: r}
}

// environment returns the setting of Variable, with the version and the names of the files.
func environment(names []string) string {
	return Variable + "=" + strconv.Itoa(Version) + " " + strings.Join(names, " ")
}
