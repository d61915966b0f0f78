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
	// Memory limits the bytes that the process may have from the operating system; zero is no
	// limit.
	Memory uint64
	// Silence is how long the process may send nothing during a request; zero means a minute.
	// StartUp is how long it may take to each offer; zero means five minutes.
	Silence, StartUp time.Duration
	// Beat, if not nil, is called for each beat during a request.
	Beat func(Beat)
}

const (
	usualSilence = time.Minute
	usualStartUp = 5 * time.Minute
)

// A Process is a process of a test binary: the command's end of the connection. One goroutine at a
// time uses it; another may end it by the context of Do.
type Process struct {
	Command
	cmd      *exec.Cmd
	out      flight.Tail
	asking   sync.Mutex // held while a request is written
	requests *json.Encoder
	pipe     *os.File // of the requests
	messages chan Message
	exited   chan struct{} // closed when the process is gone and its output was read
	status   string        // how it ended

	greeted bool             // it speaks this command's version
	at      session.At       // the last thing that it began
	decided session.Decision // the last decision that it reported
	told    bool             // it has reported a decision
	stalled bool             // it has reported a run without progress
	beat    Beat             // the last

	collects time.Time // when it was asked to collect garbage; zero if it has answered
}

// A Death is the unexpected end of a process.
type Death struct {
	// Cause is why the command ended the process, "" if it ended by itself. Status is how it
	// ended, Reason the line of its output that says why ("" if none), Said its most telling
	// lines.
	Cause, Status, Reason, Said string
	// Stalled reports that a run made no progress.
	Stalled bool
	// At is the last thing that the process began.
	At session.At
	// Last is the last decision that it reported, if the request asked for them; else nil.
	Last *session.Decision
}

// Headline says in one line why the process ended.
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

// Outside reports whether neither the process nor its command ended it, but somebody else or an
// operating system short of memory. On Windows it reports this for every exit status 1.
func (d *Death) Outside() bool {
	if runtime.GOOS == "windows" && d.Cause == "" && d.Status == "exit status 1" {
		return true
	}
	return d.Cause == "" && slices.Contains([]string{"signal: killed", "signal: terminated", "signal: interrupt", "signal: hangup"}, d.Status)
}

// Asked reports whether a signal asked the process to end. The command may have got it too: a
// terminal or service manager sends it to both.
func (d *Death) Asked() bool { return d.Outside() && d.Status != "signal: killed" }

// Failed reports whether the process ended normally with failing tests.
func (d *Death) Failed() bool { return d.Cause == "" && d.Status == "exit status 1" }

// Start starts a process. Offer waits for its first message.
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

// check returns an error unless the process uses this version of the protocol.
func (p *Process) check(m *Message) error {
	if p.greeted = p.greeted || m.Hello != nil && m.Hello.Version == Version; p.greeted {
		return nil
	}
	p.Kill()
	return fmt.Errorf("the test binary speaks version %d of the protocol, and this command version %d: "+
		"install one version of jostle for the module and the command", helloVersion(m), Version)
}

func helloVersion(m *Message) int {
	if m.Hello == nil {
		return 0
	}
	return m.Hello.Version
}

// read reads the messages of the process until it is gone.
func (p *Process) read(from *os.File) {
	d := json.NewDecoder(bufio.NewReader(from))
	for {
		var m Message
		err := d.Decode(&m)
		if err != nil {
			if err != io.EOF { // not a message of a worker
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

// hear returns the next message for the caller. It ends a process that is silent for too long. Any
// message, such as a beat, counts as a sign of life, unless once is set. On a *Death the process
// is gone.
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

// note records what a message says about the process. It returns why the process must be ended, ""
// if it need not be.
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

// A process above its memory limit is asked to collect garbage. It has the time collecting for
// this, unless it exceeds tooLarge times its limit meanwhile.
const (
	collecting = 30 * time.Second
	tooLarge   = 4
)

// isTooLarge reports whether the process exceeds its memory limit even after collecting garbage.
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

// ask writes a request. If the process is gone, hear reports that.
func (p *Process) ask(q session.Request) error {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.requests.Encode(q)
}

// Pause makes a Do of Run begin no further run until Resume. Another goroutine calls them while
// Do waits.
func (p *Process) Pause() { p.ask(session.Request{Do: pause}) }

// Resume ends Pause.
func (p *Process) Resume() { p.ask(session.Request{Do: resume}) }

// Enough makes a Do of Run end after its current run. Another goroutine calls it while Do waits.
func (p *Process) Enough() { p.ask(session.Request{Do: enough}) }

// Used returns the bytes that the process last reported.
func (p *Process) Used() uint64 { return p.beat.Memory }

// end ends the process, and returns what is known of its death.
func (p *Process) end(cause string) error {
	if cause != "" {
		p.cmd.Process.Kill()
	}
	for range p.messages {
		// the messages before its end no longer matter
	}
	<-p.exited
	p.pipe.Close()
	d := &Death{Cause: cause, Status: p.status, Reason: p.out.Reason(), Said: p.out.LastWords(), Stalled: p.stalled, At: p.at}
	if p.told {
		d.Last = &p.decided
	}
	return d
}

// Interrupt asks the process to end, while another goroutine waits for it, and kills it if it does
// not.
func (p *Process) Interrupt() {
	p.pipe.Close()
	time.AfterFunc(stopping, func() { p.cmd.Process.Kill() })
}

// Kill ends the process at once.
func (p *Process) Kill() { p.end("it was ended") }

// Offer returns the next property that the process offers, or io.EOF when its tests are over.
// Answer replies to it.
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

// Do sends a request and returns the reply. A *Refusal leaves the process alive. On any other
// error the process is gone: the error is *Death if it died or exceeded a limit, or ctx.Err().
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

// A Refusal says why a process could not carry out a request. The process is still alive.
type Refusal struct{ Text string }

func (r *Refusal) Error() string { return r.Text }

// stopping is how long a process may take to end once its command has asked for it, or is gone: it
// ends its current run, then its tests and TestMain clean up.
const stopping = 5 * time.Second

// Stop asks the process to end, whatever it is doing, and kills it if it does not.
func (p *Process) Stop() {
	p.ask(session.Request{Do: stop})
	p.pipe.Close()
	late := time.AfterFunc(stopping, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	p.end("")
}
