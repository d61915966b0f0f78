package worker

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/flight"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// A Command says how to start a process of a test binary.
type Command struct {
	Binary string // its path
	Dir    string // the folder of its package
	Tests  string // the pattern of the tests that it runs
	Env    []string
	// Memory bounds how many bytes the process may have from the operating system; zero
	// is no bound.
	Memory uint64
	// Silence is for how long the process may say nothing while it does what it is asked;
	// zero means a minute. StartUp is how long it may take to its first offer and to each
	// further one; zero means five.
	Silence, StartUp time.Duration
	// Beat, if it is not nil, is told of each beat while the process does something.
	Beat func(Beat)
}

const (
	usualSilence = time.Minute
	usualStartUp = 5 * time.Minute
)

// A Process is a process of a test binary: the end of the connection in the command. It
// is used by one goroutine at a time; the context of Do ends it from another.
type Process struct {
	Command
	cmd      *exec.Cmd
	out      flight.Tail
	asking   sync.Mutex // held while a request is written
	requests *json.Encoder
	pipe     *os.File // of the requests
	messages chan Message
	exited   chan struct{} // closed when the process is gone and all that it said was read
	status   string        // how it ended

	greeted bool             // it speaks this command's version
	at      session.At       // what it began with last
	decided session.Decision // the last decision that it told of
	told    bool             // it has told of a decision
	stalled bool             // it has told of a run that stands still
	beat    Beat             // the last

	collects time.Time // when it was asked to collect garbage; zero if it has answered
}

// A Death is the end of a process that had more to do.
type Death struct {
	// Cause is why the command ended the process, "" when it ended by itself; Status is
	// how it ended, Reason the line of its output that says why, "" if there is none, and
	// Said the lines that tell most.
	Cause, Status, Reason, Said string
	// Stalled reports that a run stood still.
	Stalled bool
	// At is what the process began with last.
	At session.At
	// Last is the last decision that it told of, if it was to tell of them; else nil.
	Last *session.Decision
}

// Headline says in a line why the process ended.
func (d *Death) Headline() string {
	text, _, _ := strings.Cut(cmp.Or(d.Cause, d.Reason, d.Status), "\n")
	return text
}

// Error says how the process ended.
func (d *Death) Error() string {
	text := cmp.Or(d.Cause, d.Status)
	if d.Said != "" {
		text += "\n" + words.Indented(d.Said)
	}
	return strings.TrimRight(text, "\n")
}

// Record returns the failing run with which the process died.
func (d *Death) Record() *record.Record {
	detail := strings.TrimRight(d.Said, "\n")
	if _, more, _ := strings.Cut(d.Cause, "\n"); more != "" {
		detail = strings.TrimLeft(detail+"\n"+d.Cause, "\n")
	}
	return &record.Record{Format: record.Format, Died: true, Failure: "the process ended: " + d.Headline(), Detail: detail}
}

// Outside reports whether the process was ended by neither itself nor its command: by
// somebody, or by an operating system without memory. On Windows that may be so of any
// that exits with 1.
func (d *Death) Outside() bool {
	if runtime.GOOS == "windows" && d.Cause == "" && d.Status == "exit status 1" {
		return true
	}
	return d.Cause == "" && slices.Contains([]string{"signal: killed", "signal: terminated", "signal: interrupt", "signal: hangup"}, d.Status)
}

// Asked reports whether somebody has asked the process to end, by a signal that its command
// may have been sent, too: a terminal or a manager of services sends it to both.
func (d *Death) Asked() bool { return d.Outside() && d.Status != "signal: killed" }

// Failed reports whether the process came to its end, and some of its tests had failed.
func (d *Death) Failed() bool { return d.Cause == "" && d.Status == "exit status 1" }

// Start starts a process. Offer waits for its first words.
func Start(c Command) (*Process, error) {
	toIn, toOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromIn, fromOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, toIn.Close(), toOut.Close())
	}
	p := &Process{Command: c, cmd: exec.Command(c.Binary, "-test.run="+c.Tests, "-test.paniconexit0"), pipe: toOut,
		requests: json.NewEncoder(toOut), messages: make(chan Message, 16), exited: make(chan struct{})}
	apart(p.cmd)
	p.cmd.Dir = c.Dir
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = &p.out, &p.out, time.Second
	p.cmd.Env = append(append(os.Environ(), c.Env...), environment(inherit(p.cmd, toIn, fromOut)), "PWD="+c.Dir)
	err = p.cmd.Start()
	toIn.Close()
	fromOut.Close()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("the test binary cannot be started: %w", err), toOut.Close(), fromIn.Close())
	}
	go p.read(fromIn)
	return p, nil
}

// check returns an error unless the process speaks as this command does.
func (p *Process) check(m *Message) error {
	if p.greeted = p.greeted || m.Hello != nil && m.Hello.Version == Version; p.greeted {
		return nil
	}
	p.Kill()
	return fmt.Errorf("the test binary speaks version %d of the protocol, and this command version %d: "+
		"have the module and the command of one version of jostle", helloVersion(m), Version)
}

func helloVersion(m *Message) int {
	if m.Hello == nil {
		return 0
	}
	return m.Hello.Version
}

// read reads what the process says until it is gone.
func (p *Process) read(from *os.File) {
	d := json.NewDecoder(bufio.NewReader(from))
	for {
		var m Message
		err := d.Decode(&m)
		if err != nil {
			if err != io.EOF { // it is no worker's
				p.cmd.Process.Kill()
			}
			break
		}
		p.messages <- m
	}
	from.Close()
	close(p.messages)
	err := p.cmd.Wait()
	p.status = "exit status 0"
	if err != nil {
		p.status = err.Error()
	}
	close(p.exited)
}

// hear returns the next message that is for the caller. The process may say nothing for a
// time only, but there may be beats and the like in between, unless once is set. The error
// is a *Death if the process is gone; then it was ended if need be.
func (p *Process) hear(ctx context.Context, silence time.Duration, once bool) (Message, error) {
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			p.Stop()
			return Message{}, ctx.Err()
		case <-quiet.C:
			return Message{}, p.end(fmt.Sprintf("nothing came of it for %s", words.Elapsed(silence)))
		case m, ok := <-p.messages:
			if !ok {
				return Message{}, p.end("")
			}
			if !once {
				quiet.Reset(silence)
			}
			if cause := p.note(&m); cause != "" {
				return Message{}, p.end(cause)
			} else if m.Hello != nil || m.Offer != nil || m.Done != nil || m.Error != "" {
				return m, nil
			}
		}
	}
}

// note notes what a message tells of the process, and returns why it must be ended, ""
// when it need not be.
func (p *Process) note(m *Message) (cause string) {
	switch {
	case m.At != nil:
		p.at = *m.At
	case m.Decide != nil:
		p.decided, p.told = *m.Decide, true
	case m.Stall != "":
		p.stalled = true
		return m.Stall
	case m.Beat != nil:
		if p.beat = *m.Beat; p.Beat != nil {
			p.Beat(p.beat)
		}
		if p.isTooLarge() {
			return fmt.Sprintf("it had more than %d MB of memory", p.Memory>>20)
		}
	}
	return ""
}

// A process that has more memory than it may is asked to collect its garbage. That may take
// it collecting, if it does not take tooLarge times as much memory meanwhile.
const (
	collecting = 30 * time.Second
	tooLarge   = 4
)

// isTooLarge reports whether the process keeps more memory than it may. Garbage does not
// count: it is asked to collect that first.
func (p *Process) isTooLarge() bool {
	switch over := p.Memory > 0 && p.beat.Memory > p.Memory; {
	case !over:
		p.collects = time.Time{}
	case p.collects.IsZero() && !p.beat.Collected:
		p.collects = time.Now()
		p.ask(session.Request{Do: collect})
	case p.beat.Collected, p.beat.Memory/tooLarge > p.Memory, time.Since(p.collects) > collecting:
		return true
	}
	return false
}

// ask writes a request. If the process is gone hear says so.
func (p *Process) ask(q session.Request) error {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.requests.Encode(q)
}

// Pause has Do begin no further run, if that is of Run, until Resume. They are called by
// another goroutine than the one that waits for it.
func (p *Process) Pause() { p.ask(session.Request{Do: pause}) }

// Resume ends Pause.
func (p *Process) Resume() { p.ask(session.Request{Do: resume}) }

// Enough has Do end after the run that is on, if that is of Run. It is called by another
// goroutine than the one that waits for it.
func (p *Process) Enough() { p.ask(session.Request{Do: enough}) }

// Used returns how many bytes the process had when it said so last, while it did something.
func (p *Process) Used() uint64 { return p.beat.Memory }

// end ends the process, and returns what is known of its death.
func (p *Process) end(cause string) error {
	if cause != "" {
		p.cmd.Process.Kill()
	}
	for range p.messages {
		// what it said before does not matter any more
	}
	<-p.exited
	p.pipe.Close()
	d := &Death{Cause: cause, Status: p.status, Reason: p.out.Reason(), Said: p.out.LastWords(), Stalled: p.stalled, At: p.at}
	if p.told {
		d.Last = &p.decided
	}
	return d
}

// Interrupt asks the process to come to its end, while another goroutine waits for it, and
// ends it if it does not.
func (p *Process) Interrupt() {
	p.pipe.Close()
	time.AfterFunc(stopping, func() { p.cmd.Process.Kill() })
}

// Kill ends the process at once.
func (p *Process) Kill() { p.end("it was ended") }

// Offer returns the next property that the process offers; an error that is io.EOF when
// its tests are over. Answer it by Answer.
func (p *Process) Offer() (Property, error) {
	for {
		m, err := p.hear(context.Background(), cmp.Or(p.StartUp, usualStartUp), true)
		var d *Death
		switch {
		case errors.As(err, &d) && d.Cause == "" && d.Status == "exit status 0":
			return Property{}, io.EOF
		case err == nil:
			err = p.check(&m)
		}
		if err != nil || m.Offer != nil {
			return offered(&m), err
		}
	}
}

func offered(m *Message) (p Property) {
	if m.Offer != nil {
		p = *m.Offer
	}
	return p
}

// Answer takes an offer or declines it.
func (p *Process) Answer(taken bool) error {
	if taken {
		return p.ask(session.Request{Do: take})
	}
	return p.ask(session.Request{Do: pass})
}

// Do has the process do something and returns what came of it. The process does not
// outlive an error, which is a *Death if it ended, by itself or because it broke a bound,
// and that of the context if that is done.
func (p *Process) Do(ctx context.Context, q session.Request) (*session.Reply, error) {
	p.at, p.told, p.collects = session.At{Batch: q.First}, false, time.Time{}
	p.ask(q)
	m, err := p.hear(ctx, cmp.Or(p.Silence, usualSilence), false)
	if err != nil {
		return nil, err
	}
	if m.Error != "" {
		return nil, &Refusal{m.Error}
	}
	if m.Done == nil {
		p.Kill()
		return nil, errors.New("the test binary sent an unexpected message")
	}
	return m.Done, nil
}

// A Refusal is why a process could not do what it was asked for. It lives on.
type Refusal struct{ Text string }

func (r *Refusal) Error() string { return r.Text }

// stopping is how long a process may take to its end once its command has asked for that, or
// has gone: it ends the run that is on, and then its tests and TestMain clean up.
const stopping = 5 * time.Second

// Stop asks the process to come to its end, whatever it is at, and ends it if it does not.
func (p *Process) Stop() {
	p.ask(session.Request{Do: stop})
	p.pipe.Close()
	late := time.AfterFunc(stopping, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	p.end("")
}
