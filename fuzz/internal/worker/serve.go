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

// Serve offers the property of a verb's call to the command that has started this process, and
// carries out its requests. A run without progress for stall is reported. Serve returns false if
// no command has started the process: then the verb does its own work.
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

// fewFor limits the attempt to run every order before a search.
const fewFor = 2 * time.Second

// process returns the worker of this process, nil if it is none.
var process = sync.OnceValue(open)

// A worker is the test binary's end of the connection.
type worker struct {
	mu    sync.Mutex     // held during an offer and its requests
	calls map[string]int // how many offers each test has made

	requests chan session.Request // closed when the command is gone
	enough   func()               // ends the last request; nil before the first
	turn     sync.Mutex           // held while runs must not begin, and briefly before each run
	paused   bool                 // read holds turn
	pipe     *os.File             // to the command

	// asked is done when the command has asked for the end or is gone; ask cancels it.
	asked context.Context
	ask   context.CancelFunc
	left  sync.Once

	// out guards the following fields. idle means that the worker waits for a request.
	out  sync.Mutex
	to   *json.Encoder
	idle bool
}

// setting is the value of Variable at the start of the process: TestMain may clear it later.
var setting = os.Getenv(Variable)

// open connects the process with its command.
func open() *worker {
	if setting == "" {
		return nil
	}
	os.Unsetenv(Variable) // child processes are not workers
	parts := strings.Fields(setting)
	if len(parts) != 3 {
		giveUp("%s is %q: only the command jostle may set it, to a version and two pipes", Variable, setting)
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

// giveUp ends a process that cannot work for its command.
func giveUp(format string, args ...any) {
	fmt.Fprint(os.Stderr, trace.Visible(fmt.Sprintf(format+"\n", args...)))
	os.Exit(gone)
}

// leave ends the work for a command that is gone. The tests and TestMain may finish within the
// time stopping.
func (w *worker) leave() {
	w.left.Do(func() {
		surviveBrokenPipe()
		w.ask()
		time.AfterFunc(stopping, func() { os.Exit(gone) })
	})
}

// gone is the exit code of a process without a command.
const gone = 86

// read passes on the requests of the command. If the command asks for the end or is gone, it ends
// the current runs.
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

// pause makes runs wait, or continue.
func (w *worker) pause(on bool) {
	switch {
	case on && !w.paused:
		w.turn.Lock()
	case !on && w.paused:
		w.turn.Unlock()
	}
	w.paused = on
}

// waitTurn waits until a run may begin.
func (w *worker) waitTurn() {
	w.turn.Lock()
	defer w.turn.Unlock()
}

// collect collects garbage and returns free memory to the operating system.
func (w *worker) collect() {
	debug.FreeOSMemory()
	w.say(Message{Beat: &Beat{Memory: Memory(), CPU: cpuTime(), Collected: true}})
}

// say sends a message. If that fails, the command is gone.
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

// next returns the next request, false if the command is gone.
func (w *worker) next() (session.Request, bool) {
	q, ok := <-w.requests
	w.out.Lock()
	defer w.out.Unlock()
	w.idle = false
	return q, ok
}

// beat sends ten beats a second.
func (w *worker) beat() {
	for range time.Tick(time.Second / 10) {
		w.sayUsed()
	}
}

// sayUsed sends a beat.
func (w *worker) sayUsed() { w.say(Message{Beat: &Beat{Memory: Memory(), CPU: cpuTime()}}) }

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
		w.sayUsed() // for a request that ends before the next beat
		w.say(m)
	}
}

// do carries out a request under a watchdog, and returns the reply.
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
