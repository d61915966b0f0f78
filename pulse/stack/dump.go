package stack

import (
	"runtime"
	"strconv"
	"strings"
)

// A Goroutine is one goroutine in a dump of all stacks.
type Goroutine struct {
	ID      uint64
	Creator uint64          // the ID of the goroutine that started this one, or 0 if unknown
	State   string          // what the goroutine does or waits for, such as "running" or "chan receive"
	Calls   []runtime.Frame // innermost first, with only Function, File and Line set
}

// Parked reports whether the goroutine is a coroutine that waits to be resumed.
func (g *Goroutine) Parked() bool { return g.State == "coroutine" }

// Current returns the ID of the calling goroutine. It is slow.
func Current() uint64 {
	var buf [64]byte
	g, _ := header(string(buf[:runtime.Stack(buf[:], false)]))
	return g.ID
}

// mostDump limits the size of a dump.
const mostDump = 64 << 20

// Goroutines returns all goroutines. It stops the whole process briefly.
func Goroutines() []Goroutine {
	for size := 1 << 16; ; size *= 4 {
		buf := make([]byte, size)
		if n := runtime.Stack(buf, true); n < size || size >= mostDump {
			return parse(string(buf[:n]))
		}
	}
}

// parse parses the output of runtime.Stack. It skips parts that it does not understand.
func parse(text string) (list []Goroutine) {
	for part := range strings.SplitSeq(text, "\n\n") {
		first, rest, _ := strings.Cut(strings.TrimLeft(part, "\n"), "\n")
		g, ok := header(first)
		if !ok {
			continue
		}
		g.calls(rest)
		list = append(list, g)
	}
	return list
}

// header parses a line such as "goroutine 7 [chan receive, 2 minutes]:".
func header(line string) (g Goroutine, ok bool) {
	rest, ok := strings.CutPrefix(line, "goroutine ")
	if !ok {
		return g, false
	}
	number, rest, _ := strings.Cut(rest, " ")
	id, err := strconv.ParseUint(number, 10, 64)
	_, state, _ := strings.Cut(rest, "[")
	g.ID = id
	g.State, _, _ = strings.Cut(state, "]")
	g.State, _, _ = strings.Cut(g.State, ",")
	return g, err == nil
}

// calls parses the calls of a goroutine. Each call has a line with the function and its
// arguments, and a line with the place. The last call is the function whose go
// statement started the goroutine.
func (g *Goroutine) calls(text string) {
	function := ""
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\n")
		place, isPlace := strings.CutPrefix(line, "\t")
		maker, isMaker := strings.CutPrefix(line, "created by ")
		switch {
		case isMaker:
			_, id, _ := strings.Cut(maker, " in goroutine ")
			g.Creator, _ = strconv.ParseUint(id, 10, 64)
			return
		case isPlace && function != "":
			g.Calls = append(g.Calls, callAt(function, place))
			function = ""
		default:
			function = line[:max(0, strings.LastIndexByte(line, '('))]
		}
	}
}

// callAt returns a call of function. place is a text such as "/src/a.go:12 +0x1d".
func callAt(function, place string) runtime.Frame {
	place, _, _ = strings.Cut(place, " +0x")
	colon := max(0, strings.LastIndexByte(place, ':'))
	line, _ := strconv.Atoi(strings.TrimPrefix(place[colon:], ":"))
	if function == "panic" { // a dump has the name panic for the function runtime.gopanic
		function = "runtime.gopanic"
	}
	return runtime.Frame{Function: function, File: place[:colon], Line: line}
}
