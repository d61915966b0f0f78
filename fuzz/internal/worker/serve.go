package worker

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Serve offers the property of a call of a verb to the command that has started this process,
// and does with it what that asks for. A run may stand still for a while. It reports false
// when no command has: then the verb has to do its work.
func Serve(verb string, of *session.Session, stall time.Duration) bool {
	w := process()
	if w == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.serve(verb, &session.Session{Property: of.Property, Folder: of.Folder, Portfolio: of.Portfolio, FewFor: fewFor, Later: true,
		Explore: search.ExploreOptions{Method: of.Explore.Method, Inputs: of.Explore.Inputs}, Turn: w.waitTurn,
		Say: func(e session.Event) { w.say(Message{Event: e}) }}, stall)
	return true
}

// fewFor is how long every order may be tried to be run before a search begins.
const fewFor = 2 * time.Second

// process returns this process as a worker, nil if it is none. There is one, with the
// one connection that the process was given.
var process = sync.OnceValue(open)

// A worker is the end of the connection in the test binary.
type worker struct {
	mu    sync.Mutex     // held while an offer is made and served
	calls map[string]int // how many offers each test has made

	requests chan session.Request // closed when the command has gone
	enough   func()               // ends the request that was read last; nil before the first
	turn     sync.Mutex           // held while runs are not to begin, and for a moment before each
	paused   bool                 // of the reader: it holds turn
	pipe     *os.File             // to the command

	// asked is done when the command has asked for the end, by ask, or has gone.
	asked context.Context
	ask   context.CancelFunc
	left  sync.Once

	// out guards what follows: idle reports that nothing is done until the command asks for
	// more.
	out  sync.Mutex
	to   *json.Encoder
	idle bool
}

// setting is what the command has set the variable to. It is read when the process begins:
// a TestMain may clear the environment.
var setting = os.Getenv(Variable)

// open connects the process with its command.
func open() *worker {
	if setting == "" {
		return nil
	}
	os.Unsetenv(Variable) // processes that this one starts are no workers
	parts := strings.Fields(setting)
	if len(parts) != 3 {
		giveUp("%s is %q: it is for the command jostle, which sets it to a version and two pipes", Variable, setting)
	}
	in, out := inherited(parts[1]), inherited(parts[2])
	if in == nil || out == nil {
		giveUp("%s is %q: they are not pipes", Variable, setting)
	}
	w := &worker{calls: map[string]int{}, requests: make(chan session.Request), pipe: out, to: json.NewEncoder(out)}
	w.asked, w.ask = context.WithCancel(context.Background())
	w.say(Message{Hello: &Hello{Version}})
	go w.read(in)
	go w.beat()
	newCollector().watch()
	return w
}

// giveUp ends the process, which can do nothing for its command.
func giveUp(format string, args ...any) {
	fmt.Fprint(os.Stderr, trace.Visible(fmt.Sprintf(format+"\n", args...)))
	os.Exit(gone)
}

// leave ends what is done for a command that has gone. The tests come to their end, and
// TestMain may clean up, but they do not take long.
func (w *worker) leave() {
	w.left.Do(func() {
		surviveBrokenPipe()
		w.ask()
		time.AfterFunc(stopping, func() { os.Exit(gone) })
	})
}

// gone is the exit code of a process without a command.
const gone = 86

// read passes on what the command asks for. When it asks for the end, or has died, the runs
// that are on are for nobody.
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

// pause has runs wait, or go on. They go on with any request that is not Collect.
func (w *worker) pause(on bool) {
	switch {
	case on && !w.paused:
		w.turn.Lock()
	case !on && w.paused:
		w.turn.Unlock()
	}
	w.paused = on
}

// waitTurn returns when a run may begin.
func (w *worker) waitTurn() {
	w.turn.Lock()
	defer w.turn.Unlock()
}

// collect collects garbage and gives back to the operating system what is free.
func (w *worker) collect() {
	debug.FreeOSMemory()
	w.say(Message{Beat: &Beat{Memory: Memory(), CPU: cpuTime(), Collected: true}})
}

// say sends a message. If nobody reads it the command has gone.
func (w *worker) say(m Message) {
	w.out.Lock()
	defer w.out.Unlock()
	if m.Beat != nil && w.idle {
		return // nobody listens
	}
	if m.Done != nil || m.Error != "" {
		w.idle = true
	}
	if err := w.to.Encode(m); err != nil {
		w.leave()
	}
}

// next returns what the command asks for; false when it has gone.
func (w *worker) next() (session.Request, bool) {
	q, ok := <-w.requests
	w.out.Lock()
	defer w.out.Unlock()
	w.idle = false
	return q, ok
}

// beat says ten times a second what the process uses.
func (w *worker) beat() {
	for range time.Tick(time.Second / 10) {
		w.sayUsed()
	}
}

// sayUsed says what the process uses.
func (w *worker) sayUsed() { w.say(Message{Beat: &Beat{Memory: Memory(), CPU: cpuTime()}}) }

// serve offers a property and does what is asked for. Of a command that has gone, it does
// nothing more.
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
		w.sayUsed() // also of a request that is done before the next beat
		w.say(m)
	}
}

// do does what is asked for, under a watchdog of its own, and returns what to say of it.
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

// environment returns the variable by which a process knows its pipes.
func environment(names []string) string {
	return Variable + "=" + strconv.Itoa(Version) + " " + strings.Join(names, " ")
}
