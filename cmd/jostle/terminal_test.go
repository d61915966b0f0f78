package main

import (
	"errors"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/creack/pty"
	"github.com/rogpeppe/go-internal/testscript"
)

// onTerminal runs the command on a terminal of the given columns and rows, as a person
// would. Each line of a file has a text to wait for, and the keys to press then.
// Afterwards the file screen has everything that was sent to the terminal.
func onTerminal(ts *testscript.TestScript, _ bool, args []string) {
	if len(args) < 4 {
		ts.Fatalf("usage: terminal COLUMNSxROWS file code arguments of jostle")
	}
	columns, rows, _ := strings.Cut(args[0], "x")
	size := &pty.Winsize{Cols: uint16(number(ts, columns)), Rows: uint16(number(ts, rows))}
	path, err := exec.LookPath("jostle")
	ts.Check(err)
	cmd := exec.Command(path, args[3:]...)
	cmd.Dir = ts.MkAbs(".")
	cmd.Env = []string{"PWD=" + cmd.Dir, "TERM=xterm"}
	for _, name := range append(strings.Fields("PATH HOME WORK GOCACHE GOMODCACHE GOFLAGS GOPROXY GOWORK JOSTLE_CACHE TMPDIR TERM NO_COLOR CI"), realGo, linkDir) {
		if v := ts.Getenv(name); v != "" {
			cmd.Env = append(cmd.Env, name+"="+v)
		}
	}
	f, err := pty.StartWithSize(cmd, size)
	ts.Check(err)
	defer f.Close()
	late := time.AfterFunc(5*time.Minute, func() { cmd.Process.Kill() })
	defer late.Stop()
	got := &person{ts: ts, terminal: f}
	for line := range strings.Lines(ts.ReadFile(args[1])) {
		text, keys, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " =>")
		got.wait(text)
		keys, err := strconv.Unquote(`"` + strings.TrimPrefix(keys, " ") + `"`)
		ts.Check(err)
		_, err = f.WriteString(keys)
		ts.Check(err)
	}
	got.wait("")
	code := 0
	var exit *exec.ExitError
	if err := cmd.Wait(); errors.As(err, &exit) {
		code = exit.ExitCode()
	} else {
		ts.Check(err)
	}
	ts.Check(os.WriteFile(ts.MkAbs("screen"), []byte(got.all), 0o644))
	if code != number(ts, args[2]) {
		ts.Fatalf("exit code %d, want %s; the terminal was sent\n%q", code, args[2], got.all)
	}
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

// A person plays a user at a terminal, and reads what the command writes there.
type person struct {
	ts       *testscript.TestScript
	terminal *os.File
	all      string
	seen     int // the length of the part of all that earlier calls of wait have searched
}

// wait waits for a text, or for the end if the text is "".
func (p *person) wait(text string) {
	for buffer := make([]byte, 4096); ; {
		if at := strings.Index(p.all[p.seen:], text); text != "" && at >= 0 {
			p.seen += at + len(text)
			return
		}
		n, err := p.terminal.Read(buffer)
		if p.all += string(buffer[:n]); err != nil { // on Linux it is EIO at the end
			if text != "" {
				p.ts.Fatalf("%q did not come; the terminal was sent\n%q", text, p.all)
			}
			return
		}
	}
}
