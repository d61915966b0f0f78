package record

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/stack"
	"github.com/jostle-go/jostle/pulse/trace"
)

func visible(text string) string { return trace.Visible(text) }

// why returns r.Why, or an empty explanation if r.Why is nil.
func (r *Record) why() *corpus.Explanation {
	if r.Why == nil {
		return &corpus.Explanation{}
	}
	return r.Why
}

// Orders describes in which orders the run's draws fail, "" if that is unknown.
func (r *Record) Orders() string { return r.ordersIn(math.MaxInt) }

// ordersIn returns the text of Orders, with the lines of whyIn.
func (r *Record) ordersIn(most int) string {
	text := whyIn(r.Why, most)
	if told := r.why().Told; told != "" {
		text = told
	}
	if r.Filed && text != "" {
		return "its file says: " + text
	}
	return text
}

// Again returns the shell command that runs the saved case of the record. path is the file of the
// case, as it is to be printed.
func (r *Record) Again(path string) string {
	if r.Existing {
		flags := ""
		if r.Race {
			flags = "-race"
		}
		return words.Command(words.TestTool(flags), words.Pattern(r.Test), r.Package)
	}
	return "jostle replay " + words.Argument(path)
}

// Columns is the usual width of a text, and Indent the usual indentation of its lines.
const (
	Columns = 100
	Indent  = 8
)

// Text returns the complete description of the failing run for a terminal with the given number of
// columns. Zero stands for the usual width of output that is no terminal. Only prose may have longer lines.
func (r *Record) Text(columns int) string {
	columns = cmp.Or(max(0, columns), Columns)
	most := columns - Indent
	var b strings.Builder
	r.writeFailure(&b, most)
	for _, line := range wrapped("", 4, r.code(), ";", most) {
		fmt.Fprintf(&b, "        %s\n", visible(line))
	}
	WriteDraws(&b, r.Drawn(), most)
	WriteLogs(&b, r.Logs)
	for _, face := range r.Faces {
		fmt.Fprintf(&b, "        same cause, another failure: %s\n", visible(face))
	}
	for _, other := range r.Also {
		fmt.Fprintf(&b, "        also failed while shrinking: %s\n", visible(other))
	}
	if len(r.Rows) > 0 {
		indent := min(Indent, columns/10) // a narrow terminal has no room for a wide margin
		b.WriteByte('\n')
		for line := range strings.Lines(r.Rows.Text(columns - indent)) {
			b.WriteString(strings.Repeat(" ", indent) + line)
		}
		b.WriteByte('\n')
	}
	for _, remark := range r.Remarks {
		fmt.Fprintf(&b, "        %s\n", visible(remark))
	}
	return b.String()
}

// writeFailure writes what failed and where, in which run, and in which orders. If the process
// died, the description of the run comes before the output of the process.
func (r *Record) writeFailure(b *strings.Builder, most int) {
	fmt.Fprintf(b, "    %s\n", r.FullHeadline())
	if r.Died && r.Where != "" {
		fmt.Fprintf(b, "        %s\n", r.Where)
	}
	for _, line := range r.hints() {
		for _, line := range trace.Fold(visible(line), most, hang, true) {
			fmt.Fprintf(b, "        %s\n", line)
		}
	}
	if r.Detail != "" {
		b.WriteString(words.Indented(visible(r.Detail)))
	}
	if r.Died {
		return
	}
	run := r.Where
	if shrunk := r.shrunk(); shrunk != "" {
		run += "; " + shrunk
	}
	first, more, _ := strings.Cut(run+", "+r.repeats(), "\n")
	if faults := needs(r.why().Needs); faults != "" && trace.Width(first+", "+faults) > most {
		first = faults + "\n        " + first
	} else if faults != "" {
		first += ", " + faults
	}
	fmt.Fprintf(b, "        %s\n", first)
	if more != "" {
		b.WriteString(words.Indented(more))
	}
	if why := r.ordersIn(most); why != "" {
		b.WriteString(words.Indented(visible(why)))
	}
}

// shrunk describes the result of shrinking, and the setting that would improve it.
func (r *Record) shrunk() string {
	text := r.Shrunk
	if r.Unfinished {
		text += ": JOSTLE_SHRINK gives it more time"
	}
	return text
}

// Comment returns the comment for the case's file.
func (r *Record) Comment() []string {
	lines := strings.Split(r.FullHeadline(), "\n")
	if r.Differs != "" {
		lines = append(lines, corpus.Doubt)
	}
	if why := r.ordersIn(mostInLine); why != "" {
		lines = append(lines, strings.Split(why, "\n")...)
	}
	if faults := needs(r.why().Needs); faults != "" {
		lines = append(lines, faults)
	}
	lines = append(lines, r.hints()...)
	lines = append(lines, wrapped(drewPrefix, len(drewPrefix), r.Drawn(), ",", mostInLine)...)
	if len(r.Rows) > 0 {
		lines = append(lines, "")
	}
	for _, line := range r.Rows.Lines(mostInLine) {
		lines = append(lines, line)
	}
	return lines
}

// Headline returns the location and the message of the failure in one line.
func (r *Record) Headline() string {
	line, _, _ := strings.Cut(r.FullHeadline(), "\n")
	return line
}

// FullHeadline returns the location and the whole message of the failure. Lines after the first one are
// indented.
func (r *Record) FullHeadline() string { return strings.ReplaceAll(r.located(), "\n", "\n        ") }

// located returns the location, if it is known, and the whole message of the failure.
func (r *Record) located() string {
	if at := (stack.Frame{File: r.File, Line: r.Line}).Place(); at != "" {
		return at + ": " + visible(r.Failure)
	}
	return visible(r.Failure)
}

// hints returns what may help: the advice of the failure, and a line about early timers, which says
// how many fired, whether the failure needs them, what that means in production, and which setting
// forbids them.
func (r *Record) hints() (lines []string) {
	if r.Advice != "" {
		lines = append(lines, r.Advice)
	}
	if r.Early == 0 {
		return lines
	}
	slow := "messages waited"
	if r.Slow != "" {
		slow = "a message took over " + r.Slow
	}
	count := words.Count(r.Early, "early timer")
	if r.why().Early {
		count = "needs " + count
	}
	if r.Existing {
		return append(lines, count+", as if the code were slower than a timer; without -early no timer fires early")
	}
	return append(lines, fmt.Sprintf("%s, as if %s; EarlyTimers: pulse.NeverEarly forbids it", count, slow))
}

// repeats says whether the replays were the same, and if not, what may be the reason. It also
// gives the depth, which is the distance between the run's order and the order "oldest message
// first".
func (r *Record) repeats() string {
	s := fmt.Sprintf("replayed %d of %d", r.Replays, r.Tried)
	if r.Elsewhere {
		s += ", and in a new process"
	}
	if r.Shrunk == "" {
		s = words.Count(r.Length, "step") + ", " + s
	}
	if n := r.why().Depth; n > 0 {
		s += fmt.Sprintf(", depth %d", n)
	}
	if r.why().Interruptible {
		s += ", " + words.Count(r.why().Preemptions, "preemption")
	}
	if r.Differs != "" {
		s += "\nIT DOES NOT REPEAT, and so is neither shrunk nor explained: " + r.Differs +
			"\nsomething other than messages decides: the clock, math/rand, the order of a map, other goroutines,\nor a variable that outlives a run"
	}
	return s
}

// Drawn returns the draws with remarks on other values.
func (r *Record) Drawn() []string {
	list := append([]string(nil), r.Draws...)
	for i := range list {
		remark := ""
		if i < len(r.why().Draws) && r.why().Draws[i] != "" {
			remark = " (" + r.why().Draws[i] + ")"
		}
		list[i] = trace.Shortened(list[i], mostInLine-len(drewPrefix)-1-trace.Width(remark)) + remark
	}
	return list
}

// A constraint is a constraint of Why with the lines of code of its messages.
type constraint struct {
	*corpus.Constraint
	first, second Place
}

// constraints returns the main constraints of Why.
func (r *Record) constraints() (list []constraint) {
	main := r.why().Main()
	for i := range main {
		c := &main[i]
		list = append(list, constraint{c, r.placeOf(c.First.Send), r.placeOf(c.Second.Send)})
	}
	return list
}

func (r *Record) placeOf(send int) Place {
	for _, p := range r.Places {
		if p.Send == send {
			return p
		}
	}
	return Place{Send: send, Step: int(trace.None)}
}

// inWords describes the lines of code that send and handle a message.
func (p *Place) inWords() string {
	var parts []string
	if p.SentAt != "" {
		parts = append(parts, "sent at "+p.SentAt)
	}
	if what, at := handled(p.Handled, p.Handler); at != "" {
		parts = append(parts, what+at)
	}
	return strings.Join(parts, ", ")
}

// handled returns the line that handles a message, or else the first line of its handler.
func handled(at, handler string) (what, place string) {
	if at != "" {
		return "handled at ", at
	}
	return "handler at ", handler
}

// code describes in one line the lines of code that send and handle the messages that decide:
// "flush: sent at writer.go:83 (finish), handled :45; write(1): sent :99". The functions in parentheses
// are those that the line calls. If there is room, it names more messages than two, and all that a
// message contains. It returns nil if nothing is known.
func (r *Record) code() []string {
	w := codeLine{said: map[string]bool{}}
	for i := range r.Places {
		if w.add(&r.Places[i]) {
			w.extend(len(w.parts)-1, func(p *placeText) *bool { return &p.helpers })
		}
	}
	for i := range w.parts {
		w.extend(i, func(p *placeText) *bool { return &p.by })
		w.extend(i, func(p *placeText) *bool { return &p.whole })
	}
	return w.texts()
}

// A codeLine builds the line of text that the method code returns.
type codeLine struct {
	parts []placeText
	said  map[string]bool // what the parts mention already: places, and the lines that handle messages
}

// extend sets a field of a part, if there is room for what it adds.
func (w *codeLine) extend(part int, field func(*placeText) *bool) {
	more := field(&w.parts[part])
	*more = true
	*more = w.fits()
}

// add adds a place, if there is room and its lines are known and not said already.
func (w *codeLine) add(of *Place) bool {
	p := placeText{Place: of}
	what, at := handled(p.Handled, p.Handler)
	key := p.kind() + p.SentAt + at
	if !w.said[at] {
		p.what, p.at = what, at
	}
	if w.said[key] || p.SentAt == "" && p.at == "" {
		return false
	}
	if w.parts = append(w.parts, p); !w.fits() && p.at != "" {
		w.parts[len(w.parts)-1].unsent = true
	}
	if !w.fits() {
		w.parts = w.parts[:len(w.parts)-1]
		return false
	}
	w.said[key], w.said[at] = true, true
	return true
}

func (w *codeLine) fits() bool { return trace.Width(strings.Join(w.texts(), "; ")) <= mostInLine }

// texts returns the texts of the line. A place in the same file as the previous place is only ":"
// and the line number.
func (w *codeLine) texts() (list []string) {
	file := ""
	short := func(what, place string) string {
		of, number, _ := strings.Cut(place, ":")
		if of == file && number != "" {
			return strings.TrimSuffix(what, "at ") + ":" + number
		}
		file = of
		return what + place
	}
	for i := range w.parts {
		p := &w.parts[i]
		text, sent, received := p.kind(), "", ""
		if p.whole {
			text = p.Text
		}
		if p.SentAt != "" && !p.unsent {
			sent = short("sent at ", cmp.Or(p.SentFrom, p.SentAt))
		}
		if p.by && !p.unsent && p.SentFrom != "" {
			sent += " (" + p.SentBy + ")"
		}
		if p.at != "" {
			received = short(p.what, p.at)
		}
		if p.helpers && len(p.Helpers) > 0 {
			received += " (" + strings.Join(p.Helpers, ", ") + ")"
		}
		list = append(list, text+": "+strings.Trim(sent+", "+received, ", "))
	}
	return list
}

// A placeText describes one message of a codeLine, and the lines that send and handle the message.
type placeText struct {
	*Place
	what, at string // the line that handles the message; "" if it is said already
	unsent   bool   // set if there is no room for SentAt
	whole    bool   // set if the whole message is printed, and not only its type
	helpers  bool   // set if the functions that the case calls are printed
	by       bool   // set if SentBy is printed
}

// kind returns the type of the message.
func (p *placeText) kind() string { return trace.Shortened(p.Kind, 2*fewestCut) }

const drewPrefix = "drew "

// WriteDraws writes the draws of a run in lines of at most the given number of columns, without indentation.
func WriteDraws(b *strings.Builder, draws []string, most int) {
	for _, line := range wrapped(drewPrefix, len(drewPrefix), draws, ",", most) {
		fmt.Fprintf(b, "        %s\n", line)
	}
}

// WriteLogs writes the lines that a run has logged.
func WriteLogs(b *strings.Builder, logs []string) {
	for _, line := range logs {
		fmt.Fprintf(b, "        log: %s\n", strings.ReplaceAll(visible(line), "\n", "\n             "))
	}
}

// wrapped returns items, each followed by a separator except the last one, as lines that begin with a prefix or, after the
// first one, with an indentation. It breaks an item only if the item alone is too long for a line, and then between words.
func wrapped(prefix string, indent int, items []string, separator string, most int) (lines []string) {
	margin := strings.Repeat(" ", indent)
	for i, item := range items {
		if i < len(items)-1 {
			item += separator
		}
		if n := len(lines) - 1; n >= 0 && trace.Width(lines[n]+" "+item) <= most {
			lines[n] += " " + item
			continue
		}
		parts := []string{margin + item}
		if begin := prefix + item; i == 0 && trace.Width(begin) <= most {
			parts[0] = begin
		} else if parts = trace.Fold(parts[0], most, 2, true); i == 0 {
			parts[0] = prefix + strings.TrimPrefix(parts[0], margin)
		}
		lines = append(lines, parts...)
	}
	return lines
}

// InWords says where the case was saved and, in a second line, where its page is. when says
// when the case runs first. show formats paths.
func (k *Kept) InWords(when string, show func(string) string) string {
	text := k.line("runs first "+when, show)
	if k.Page != "" {
		text += "\n        page: " + show(k.Page)
	}
	return text
}

func (k *Kept) line(when string, show func(string) string) string {
	var names []string
	for _, path := range k.Alike {
		names = append(names, filepath.Base(path))
	}
	others := strings.Join(names, ", ")
	what, whose := "the same failure", "shows the same failure"
	if k.OneCause {
		what, whose = "another failure with the same cause", "shows another failure with the same cause"
	}
	switch {
	case len(names) == 0:
		return fmt.Sprintf("saved: %s (%s)", show(k.Path), when)
	case k.Fewer:
		return fmt.Sprintf("saved: %s (%s, in place of %s, which showed %s)", show(k.Path), when, others, what)
	}
	return fmt.Sprintf("not saved: %s %s, and is no larger", show(k.Path), whose)
}
