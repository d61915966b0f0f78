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
	Binary string   // the path of the test binary
	Dir    string   // the folder of the package, in which the binary runs
	Tests  string   // the pattern of the tests to run, as for go test -run
	Env    []string // additional environment variables
	// Memory limits the bytes that the process may have from the operating system; zero is no
	// limit.
	Memory uint64
	// Silence limits the time for which the process may send nothing during a request; zero means a
	// minute.
	Silence time.Duration
	// StartUp limits the time until the process offers its next property; zero means five minutes.
	StartUp time.Duration
	// Beat, if not nil, is called for each beat during a request.
	Beat func(Beat)
}

const (
	usualSilence = time.Minute
	usualStartUp = 5 * time.Minute
)

// A Process is the command's end of the connection to a worker, which is a process of a test
// binary. Only one goroutine at a time may use it, except for methods that say otherwise.
type Process struct {
	Command
	cmd      *exec.Cmd
	out      flight.Tail
	asking   sync.Mutex // held while a request is written
	requests *json.Encoder
	pipe     *os.File // carries the requests
	place    place    // has the number of the batch that the process runs
	messages chan Message
	exited   chan struct{} // closed when the process is gone and its output was read
	status   string        // exit status or signal; valid after the channel exited was closed

	greeted bool             // set if the process uses this command's version of the protocol
	at      session.At       // what the process began most recently: a saved case, the search, or other work; the file place has the number of the batch
	decided session.Decision // the last decision that the process reported
	told    bool             // set if the field decided is valid
	stalled bool             // set if the process has reported a run without progress
	beat    Beat             // the last beat

	collects time.Time // when the process was asked to collect garbage; zero if it has answered
}

// A Death is the unexpected end of a process.
type Death struct {
	// Cause says why the command killed the process, "" if the command did not kill it.
	Cause string
	// Status is the exit status or the signal: "exit status 2".
	Status string
	// Reason is the line of the process's output that says why it ended, "" if there is none.
	Reason string
	// Said is the part of the process's output that best explains its end.
	Said string
	// Stalled is set if the process was killed because a run made no progress.
	Stalled bool
	// At is what the process last began to do.
	At session.At
	// Last is the last decision that the process reported, nil if the request asked for no
	// decisions.
	Last *session.Decision
}

// Headline returns one line that says why the process ended.
func (d *Death) Headline() string {
	text, _, _ := strings.Cut(cmp.Or(d.Cause, d.Reason, d.Status), "\n")
	return text
}

// Error returns why or how the process ended, followed by Said.
func (d *Death) Error() string {
	text := cmp.Or(d.Cause, d.Status)
	if d.Said != "" {
		text += "\n" + words.Indented(d.Said)
	}
	return strings.TrimRight(text, "\n")
}

// Record returns a record of the death as a failure. The record does not describe the run.
func (d *Death) Record() *record.Record {
	detail := strings.TrimRight(d.Said, "\n")
	if _, more, _ := strings.Cut(d.Cause, "\n"); more != "" {
		detail = strings.TrimLeft(detail+"\n"+d.Cause, "\n")
	}
	return &record.Record{Format: record.Format, Died: true, Failure: "the process ended: " + d.Headline(), Detail: detail}
}

// Outside reports whether the process was killed from outside: by somebody other than the command,
// or by the operating system for lack of memory. On Windows this includes every exit status 1.
func (d *Death) Outside() bool {
	if runtime.GOOS == "windows" && d.Cause == "" && d.Status == "exit status 1" {
		return true
	}
	return d.Cause == "" && slices.Contains([]string{"signal: killed", "signal: terminated", "signal: interrupt", "signal: hangup"}, d.Status)
}

// Asked reports whether a signal asked the process to end. The command may have received the same
// signal, because a terminal or service manager sends it to both.
func (d *Death) Asked() bool { return d.Outside() && d.Status != "signal: killed" }

// Failed reports whether the process ended normally with failing tests.
func (d *Death) Failed() bool { return d.Cause == "" && d.Status == "exit status 1" }

// Start starts a process, and does not wait for its first message.
func Start(c Command) (*Process, error) {
	toIn, toOut, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	fromIn, fromOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, toIn.Close(), toOut.Close())
	}
	place, err := newPlace()
	if err != nil {
		return nil, errors.Join(err, toIn.Close(), toOut.Close(), fromIn.Close(), fromOut.Close())
	}
	p := &Process{Command: c, place: place, cmd: exec.Command(c.Binary, "-test.run="+c.Tests, "-test.paniconexit0"), pipe: toOut,
		requests: json.NewEncoder(toOut), messages: make(chan Message, 16), exited: make(chan struct{})}
	apart(p.cmd)
	p.cmd.Dir = c.Dir
	p.cmd.Stdout, p.cmd.Stderr, p.cmd.WaitDelay = &p.out, &p.out, time.Second
	p.cmd.Env = append(append(os.Environ(), c.Env...), environment(inherit(p.cmd, toIn, fromOut, place.file)), "PWD="+c.Dir)
	err = p.cmd.Start()
	toIn.Close()
	fromOut.Close()
	if err != nil {
		place.close()
		return nil, errors.Join(fmt.Errorf("the test binary cannot be started: %w", err), toOut.Close(), fromIn.Close())
	}
	go p.read(fromIn)
	return p, nil
}

// check returns an error if the first message m does not have this command's version of the
// protocol. In this case it also kills the process.
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

// read passes the messages of the process to p.messages until the process is gone.
func (p *Process) read(from *os.File) {
	d := json.NewDecoder(bufio.NewReader(from))
	for {
		var m Message
		err := d.Decode(&m)
		if err != nil {
			if err != io.EOF { // other errors: the text is not a message
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

// hear returns the next message that is a Hello, Offer, Done or Error. It kills a process that
// sends nothing for the time silence. If once is set, only these four messages end the silence: the
// process must send one of them within that time. After an error the process is gone. The error may
// be a *Death.
func (p *Process) hear(ctx context.Context, silence time.Duration, once bool) (Message, error) {
	quiet := time.NewTimer(silence)
	defer quiet.Stop()
	for {
		select {
		case <-ctx.Done():
			p.Stop()
			return Message{}, ctx.Err()
		case <-quiet.C:
			return Message{}, p.end(fmt.Sprintf("it sent nothing for %s", words.Elapsed(silence)))
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

// note records what a message says about the process. It returns why the process must be killed, ""
// if it may continue.
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

// A process above its memory limit is asked to collect garbage before it is killed.
const (
	collecting = 30 * time.Second // the time for collecting garbage
	tooLarge   = 4                // a process with more than tooLarge times its limit is killed at once
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

// ask writes a request. Callers may ignore the error, because hear reports that the process is
// gone.
func (p *Process) ask(q session.Request) error {
	p.asking.Lock()
	defer p.asking.Unlock()
	return p.requests.Encode(q)
}

// Pause keeps a request of the kind session.Run from beginning further runs until Resume is called.
// It may be called by another goroutine while Do waits.
func (p *Process) Pause() { p.ask(session.Request{Do: pause}) }

// Resume lets runs begin again after Pause. It may be called by another goroutine while Do waits.
func (p *Process) Resume() { p.ask(session.Request{Do: resume}) }

// Used returns the memory of the process in bytes, as reported by its last beat.
func (p *Process) Used() uint64 { return p.beat.Memory }

// end kills the process if cause is not "", waits until it is gone, and returns a *Death.
func (p *Process) end(cause string) error {
	if cause != "" {
		p.cmd.Process.Kill()
	}
	for range p.messages {
		// discard the last messages
	}
	<-p.exited
	p.pipe.Close()
	if p.at.String() == "" {
		p.at.Batch = p.place.batch()
	}
	p.place.close()
	d := &Death{Cause: cause, Status: p.status, Reason: p.out.Reason(), Said: p.out.LastWords(), Stalled: p.stalled, At: p.at}
	if p.told {
		d.Last = &p.decided
	}
	return d
}

// Interrupt asks the process to end, and kills it if it does not end in time. It may be called
// while another goroutine uses the process.
func (p *Process) Interrupt() {
	p.pipe.Close()
	time.AfterFunc(stopping, func() { p.cmd.Process.Kill() })
}

// Kill ends the process at once.
func (p *Process) Kill() { p.end("it was ended") }

// Offer returns the next property that the process offers, or io.EOF when its tests are over.
// Answer accepts or declines the offer.
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

// Answer tells the process whether its last offer is taken or declined.
func (p *Process) Answer(taken bool) error {
	if taken {
		return p.ask(session.Request{Do: take})
	}
	return p.ask(session.Request{Do: pass})
}

// Do sends a request and returns the reply. If ctx is done first, it ends the process and returns
// ctx.Err(). If the process dies or exceeds a limit, the error is a *Death. After a *Refusal the
// process is still alive; after any other error it is gone.
func (p *Process) Do(ctx context.Context, q session.Request) (*session.Reply, error) {
	return p.DoUntil(ctx, context.Background(), q)
}

// DoUntil is like Do, but once end is done, a request of the kind session.Run ends after its
// current run.
func (p *Process) DoUntil(ctx, end context.Context, q session.Request) (*session.Reply, error) {
	p.at, p.told, p.collects = session.At{}, false, time.Time{}
	p.place.set(q.First)
	p.ask(q)
	defer context.AfterFunc(end, func() { p.ask(session.Request{Do: enough}) })() // only after the request was sent, because the worker would apply this message to the previous request
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

// stopping is how long a process may continue after the command has asked it to end or has ended
// itself. In this time the current run ends, and the tests and TestMain clean up.
const stopping = 5 * time.Second

// Stop asks the process to end and waits until it is gone. If it does not end in time, Stop kills
// it.
func (p *Process) Stop() {
	p.ask(session.Request{Do: stop})
	p.pipe.Close()
	late := time.AfterFunc(stopping, func() { p.cmd.Process.Kill() })
	defer late.Stop()
	p.end("")
}
