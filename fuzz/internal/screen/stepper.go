package screen

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// These constants limit the memory of a Stepper for a long run.
const (
	window   = 256 // the number of steps that are fetched at once
	mostKept = 4   // the number of series of fetched steps that are kept
)

// A Stepper steps through a run: it executes commands and describes steps. Use NewStepper to
// create one.
type Stepper struct {
	// Columns returns the number of columns of the terminal. It is nil if the text is not shown on a
	// terminal.
	Columns func() int

	fetch  func(first, count int) (*record.Walk, error)
	walk   *record.Walk
	kept   []*record.Walk // series of fetched steps, the most recently used last
	steps  int            // the number of steps of the run
	at     int            // the current step, from 0; the number of steps at the end of the run
	broken string         // why no more steps can be fetched, "" if more can be fetched
}

// NewStepper returns a stepper at the first step of a run. The function fetch must return at most
// count steps of the run, from the step with number first. If this step exists, fetch must return
// at least one step. NewStepper calls fetch once and returns its error.
func NewStepper(fetch func(first, count int) (*record.Walk, error)) (*Stepper, error) {
	w, err := fetch(0, window)
	if err != nil {
		return nil, err
	}
	return &Stepper{fetch: fetch, walk: w, kept: []*record.Walk{w}, steps: len(w.Receivers), broken: w.Unsteady}, nil
}

// Help lists the commands.
const Help = `n  the next step             p  the previous step
17 step 17                   f  where the run failed
s  the first step            e  the end, and what was never received
a  the next step of the actor that is shown (a NAME: of the actor NAME)
b  the previous step of the actor that is shown (b NAME: of the actor NAME)
d  what was drawn            l  the steps nearby
h  this list                 q  quit
`

// Do executes a command line and returns the text to show. Quit is true after the command to quit.
func (s *Stepper) Do(line string) (text string, quit bool) {
	line = strings.TrimSpace(line)
	word, rest, _ := strings.Cut(line, " ")
	rest = strings.TrimSpace(rest)
	if number, err := strconv.Atoi(line); err == nil {
		return s.to(number), false
	}
	if rest != "" && word != "a" && word != "b" {
		return unknown(line), false
	}
	switch word {
	case "n", "":
		return s.to(s.at + 1), false
	case "p":
		return s.to(s.at - 1), false
	case "s":
		return s.to(0), false
	case "e":
		return s.to(s.steps), false
	case "f":
		return s.toFailure(), false
	case "a":
		return s.toActor(rest, 1), false
	case "b":
		return s.toActor(rest, -1), false
	case "d":
		return s.drawn(), false
	case "l":
		return s.around(), false
	case "h", "?", "help":
		return Help, false
	case "q", "quit", "exit":
		return "", true
	}
	return unknown(line), false
}

func unknown(line string) string {
	return fmt.Sprintf("%s is not a command: type h to list the commands\n", strconv.QuoteToGraphic(Cut(line, 40)))
}

// to goes to a step, or to the end if step is the number of steps. It returns the text to show.
func (s *Stepper) to(step int) string {
	switch {
	case step < 0 && s.at == 0:
		return "this is the first step\n"
	case step < 0:
		return fmt.Sprintf("there is no step %d: the first is 0\n", step)
	case step > s.steps && s.at == s.steps && step == s.at+1:
		return "this is the end\n"
	case step > s.steps:
		return fmt.Sprintf("there is no step %d: %s\n", step, s.size())
	}
	if step < s.steps {
		if _, problem := s.moment(step); problem != "" {
			return problem
		}
	}
	s.at = step
	return s.Show()
}

// size returns a text with the number of the last step.
func (s *Stepper) size() string {
	if s.steps == 0 {
		return "the run has no steps"
	}
	return fmt.Sprintf("the last is %d", s.steps-1)
}

// toFailure goes to the step in which the run failed, and returns the text to show.
func (s *Stepper) toFailure() string {
	if s.walk.Failed < 0 {
		return "the run did not fail\n"
	}
	return s.to(s.walk.Failed)
}

// toActor goes to the next step of an actor if by is 1, or to its previous step if by is -1. It
// returns the text to show. If name is "", the actor is that of the current step.
func (s *Stepper) toActor(name string, by int) string {
	actor := -1
	if s.at < s.steps {
		actor = s.walk.Receivers[s.at]
	}
	if name != "" {
		actor = slices.IndexFunc(s.walk.Actors, func(a string) bool { return Inline(a) == name || a == name })
		if actor < 0 {
			return fmt.Sprintf("there is no actor %s: the actors are %s\n", strconv.QuoteToGraphic(Cut(name, 40)), s.names())
		}
	}
	if actor < 0 {
		return "no actor is shown: type a or b with a name\n"
	}
	for i := s.at + by; i >= 0 && i < s.steps; i += by {
		if s.walk.Receivers[i] == actor {
			return s.to(i)
		}
	}
	if by > 0 {
		return s.actor(actor) + " has no step after this\n"
	}
	return s.actor(actor) + " has no step before this\n"
}

// mostNames limits the number of actors that the method names lists.
const mostNames = 20

// names returns the names of the actors, without the test.
func (s *Stepper) names() string {
	list := s.walk.Actors[min(1, len(s.walk.Actors)):]
	text := Inline(strings.Join(list[:min(len(list), mostNames)], ", "))
	if n := len(list) - mostNames; n > 0 {
		text += fmt.Sprintf(" and %d more", n)
	}
	return text
}

// columns returns the number of columns of the terminal, 0 if there is none.
func (s *Stepper) columns() int {
	if s.Columns == nil {
		return 0
	}
	return s.Columns()
}

// actor returns the name of an actor, given its index in Walk.Actors.
func (s *Stepper) actor(i int) string {
	if i < 0 || i >= len(s.walk.Actors) {
		return "nobody"
	}
	return Inline(s.walk.Actors[i])
}

// moment returns a step, or nil and a text that says why the step is unknown.
func (s *Stepper) moment(step int) (*record.Moment, string) {
	for i, w := range s.kept {
		if k := step - w.First; k >= 0 && k < len(w.Moments) {
			s.kept = append(slices.Delete(s.kept, i, i+1), w)
			return &w.Moments[k], ""
		}
	}
	if s.broken != "" {
		return nil, fmt.Sprintf("step %d is not known: the program does not repeat itself, so its run cannot be replayed\n", step)
	}
	first := step / window * window
	if n := len(s.walk.Moments); n > 0 && n < window { // with many actors fetch returns fewer steps
		first = step / n * n
	}
	w, err := s.fetch(first, window)
	if err != nil {
		return nil, fmt.Sprintf("step %d is not known: %s\n", step, Inline(err.Error()))
	}
	if w.Unsteady != "" || w.Hash != s.walk.Hash || step-w.First < 0 || step-w.First >= len(w.Moments) {
		s.broken = "the replay was another run"
		return s.moment(step)
	}
	w.Actors, w.Receivers = nil, nil // s.walk has them
	if s.kept = append(s.kept, w); len(s.kept) > mostKept {
		s.kept = s.kept[1:]
	}
	return &w.Moments[step-w.First], ""
}
