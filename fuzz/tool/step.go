package tool

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/fuzz/internal/session"
)

// step lets the user step through the run of a case.
func (c *caseCommand) step(call *Call, args []string) error {
	o, err := c.open(call, args)
	defer o.done()
	if err != nil {
		return err
	}
	r, err := o.desk.DoRun(call.Context, &o.run, session.Request{Do: session.Replay})
	if err != nil {
		return err
	}
	if len(r.Findings) > 0 && r.Findings[0].Died {
		return told(call.Out, r, c.folder)
	}
	walk, err := screen.NewStepper(func(first, count int) (*record.Walk, error) {
		return o.desk.Walk(call.Context, o.run.File, first, count)
	})
	if err != nil {
		return err
	}
	if err := stepThrough(call, heading(r), walk); err != nil {
		return err
	}
	if len(r.Findings)+len(r.Problems) > 0 {
		return errFailed
	}
	return nil
}

// heading returns the notes and findings of the replayed case, as text above the steps.
func heading(r *session.Reply) string {
	var b strings.Builder
	for _, text := range r.Notes {
		fmt.Fprintln(&b, text)
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		fmt.Fprintf(&b, "%s\n    %s\n", f.Headline(), f.Where)
		if !f.Confirmed() {
			b.WriteString("    IT DOES NOT REPEAT: these are the steps of one run; another run may differ\n")
		}
	}
	return b.String()
}

// stepThrough executes the user's commands. The commands are keys if input and output are
// terminals. Otherwise each line of the input is a command.
func stepThrough(call *Call, heading string, walk *screen.Stepper) error {
	in, out := call.In, call.Out
	keys := call.keyboard()
	to, size := call.display()
	if size != nil {
		walk.Columns = to.Columns
	}
	if keys != nil && to != nil && obeys(os.Getenv, runtime.GOOS) {
		restore, err := call.Terminal.Raw(int(keys.Fd()))
		if err == nil {
			defer restore()
			return stepByKeys(call.Context, keys, &screen.Sheet{Out: to, Size: size, Heading: heading}, walk)
		}
	}
	prompt := ""
	if keys != nil {
		prompt = "> "
	}
	fmt.Fprint(out, heading, "\n", walk.Show(), prompt)
	lines := bufio.NewScanner(in)
	return received(call.Context, func(give func(string)) error {
		for lines.Scan() {
			give(lines.Text())
		}
		if errors.Is(lines.Err(), bufio.ErrTooLong) {
			return errors.New("a line of the input is too long: each line must be a command such as n or 17 (h lists the commands)")
		}
		return lines.Err()
	}, func(line string) (quit bool) {
		text, quit := walk.Do(line)
		if !quit {
			fmt.Fprint(out, text, prompt)
		}
		return quit
	})
}

// received runs the function read in a new goroutine. It calls the function do with each value that
// read passes to give. It returns when do returns true, read returns or the context is done. The
// goroutine may outlive received.
func received[T any](ctx context.Context, read func(give func(T)) error, do func(T) (last bool)) error {
	given, ended, over := make(chan T), make(chan error, 1), make(chan struct{})
	defer close(over)
	go func() {
		ended <- read(func(v T) {
			select {
			case given <- v:
			case <-over:
			}
		})
	}()
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case err := <-ended:
			return err
		case v := <-given:
			if do(v) {
				return nil
			}
		}
	}
}

// stepByKeys executes keys as commands, and shows the step on the whole screen.
func stepByKeys(ctx context.Context, keyboard io.Reader, s *screen.Sheet, walk *screen.Stepper) error {
	var keys screen.Keys
	text := walk.Show()
	s.Show(text, "")
	defer s.Close()
	return received(ctx, func(give func(byte)) error {
		for b := make([]byte, 1); ; {
			if n, err := keyboard.Read(b); n == 0 || err != nil {
				return nil // the terminal is gone
			}
			give(b[0])
		}
	}, func(b byte) (quit bool) {
		command, complete := keys.Take(b)
		if complete {
			text, quit = walk.Do(command)
		}
		if !quit {
			s.Show(text, keys.Typed())
		}
		return quit
	})
}
