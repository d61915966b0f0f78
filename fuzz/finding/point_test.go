package finding

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A mistake names the step of a subject's shrunk run in which, in a person's judgment,
// the program makes its mistake.
type mistake struct {
	subject, label string
	number         int // distinguishes steps with equal labels; counted from 1
}

// mistakes returns the contents of testdata/mistakes.txt.
func mistakes(t *testing.T) (list []mistake) {
	t.Helper()
	text, err := os.ReadFile("testdata/mistakes.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		m := mistake{number: 1}
		var rest string
		m.subject, rest, _ = strings.Cut(line, ": ")
		m.label, _, _ = strings.Cut(rest, " | ")
		if label, number, several := strings.Cut(m.label, " #"); several {
			m.label = label
			m.number, _ = strconv.Atoi(number)
		}
		list = append(list, m)
	}
	return list
}

// stepOf returns the index of the step in a run, None if there is none. The trace must be of the last
// run.
func (m *mistake) stepOf(t *trace.Trace) int {
	n, names := 0, t.Names()
	for i := range t.Steps {
		label := t.Steps[i].Kind.String() + " of " + names.Of(t.Steps[i].Actor)
		if t.Steps[i].Kind == trace.Receive {
			d := &t.Sends[t.Steps[i].Send]
			label = fmt.Sprintf("%s ──%s──▶ %s", names.Of(d.From), d.Label(), names.Of(d.To))
			if d.Kind == trace.Copy {
				label = strings.Replace(label, "──▶", " (copy)──▶", 1)
			}
		}
		if label == m.label {
			if n++; n == m.number {
				return i
			}
		}
	}
	return int(trace.None)
}

// caseOf returns the saved case of a subject, shrunk from the failing run that seed 1 found. The
// case is saved so that a change of the shrinker does not change the test.
func (m *mistake) caseOf(t *testing.T, s *subjects.Subject) *corpus.Case {
	t.Helper()
	path := "testdata/mistakes/" + m.subject + ".case"
	if os.Getenv("JOSTLE_REWRITE") != "" {
		if _, err := os.Stat(path); err != nil {
			out := shrunkBy(t, s.Property(false), 1, 5_000)
			c := out.Finding.Case
			c.Property, c.Test, c.Explanation, c.Condition = m.subject, m.subject, nil, ""
			c.Comment = strings.Split(strings.TrimRight(out.Finding.Chart(), "\n"), "\n")
			text, err := corpus.Encode(c)
			if err == nil {
				err = os.WriteFile(path, text, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	c, err := corpus.Decode(path, text)
	if err != nil {
		t.Fatal(err)
	}
	return &c
}

// pointIn returns the point of no return of a saved case, and the step with the
// mistake.
func (m *mistake) pointIn(t *testing.T) (p *corpus.Point, wanted int, last *trace.Trace) {
	t.Helper()
	s, _ := subjects.ByName(m.subject)
	c := m.caseOf(t, &s)
	r := props.NewRunner(m.subject, s.Property(false))
	defer r.Close()
	played := Replay(r, c)
	if !played.Exact || played.Result.Failure == nil {
		t.Fatalf("%s: %s: remove the case, and write down the mistake of the new one", m.subject, played.How)
	}
	if wanted = m.stepOf(played.Result.System.Trace()); wanted < 0 && m.label != "-" {
		t.Errorf("%s: no step %s", m.subject, m.label)
	}
	f := From(Origin{}, &played.Result)
	by, start := &shrinking{runner: r, early: c.EarlyTimers}, time.Now()
	p = by.pointOf(t.Context(), f, nil)
	t.Logf("%s: %v for %d steps", m.subject, time.Since(start), len(f.Trace.Steps))
	return p, wanted, f.Trace
}

// near returns how the marked step is related to the mistake: the same step, the next or previous
// step, its cause or effect, or none of these.
func near(t *trace.Trace, got, want int) string {
	causes := func(a, b int) bool { // reports whether step b receives a message that step a sent, or is the next step of a's actor
		for i := range t.Steps[a+1 : b+1] {
			st := &t.Steps[a+1+i]
			if st.Actor == t.Steps[a].Actor {
				if a+1+i == b {
					return true
				}
				break
			}
		}
		st := &t.Steps[b]
		return st.Kind == trace.Receive && t.Sends[st.Send].Step == int32(a)
	}
	switch first, second := min(got, want), max(got, want); {
	case got == want:
		return "same"
	case first < 0:
		return "other"
	case second-first == 1:
		return "next to it"
	case causes(first, second):
		return "cause or effect"
	}
	return "other"
}

// TestPointsOfSubjects compares the deciding step that jostle marks in each subject's run with
// the step that a person has named. The file testdata/points.txt has the distance of the two for
// each subject. By day the test compares every third subject.
func TestPointsOfSubjects(t *testing.T) {
	trial.Long(t)
	var b strings.Builder
	count, of := map[string]int{}, 0
	for i, m := range mistakes(t) {
		if i%3 > 0 && !golden.Whole() {
			continue
		}
		p, want, tr := m.pointIn(t)
		if p == nil {
			t.Fatalf("%s: no point", m.subject)
		}
		how := near(tr, p.Step, want)
		count[how]++
		of++
		fmt.Fprintf(&b, "%s: %s\n    %s\n", m.subject, how, strings.ReplaceAll(record.Why(&corpus.Explanation{Sampled: &corpus.Sampled{Free: p.Chances[0].Share}, Point: p}), "\n", "\n    "))
	}
	if !golden.Whole() {
		golden.Rows(t, "testdata/points.txt", b.String())
		return
	}
	fmt.Fprintf(&b, "\nof %d: %d the same, %d next to it, %d its cause or effect, %d another\n", of,
		count["same"], count["next to it"], count["cause or effect"], count["other"])
	golden.File(t, "testdata/points.txt", b.String())
}

// exactChances returns, for each step of a run, the probability before that step that the run
// fails. It computes this from all orders of the run's draws, and returns nil if there are too many
// orders.
func exactChances(r *props.Runner, f *Finding) []float64 {
	picks := slices.Clone(f.Case.Record.Deliveries)
	all, failing := make([]float64, len(picks)), make([]float64, len(picks))
	const most = 2000 // this limit keeps the test to about a second
	whole := trial.EachOrder(r, props.Plan{Inputs: f.Case.Inputs}, most, func(res *props.Result, p float64) {
		made := res.System.Record().Deliveries
		for i := range picks {
			if i > len(made) || !slices.Equal(made[:i], picks[:i]) {
				break
			}
			if all[i] += p; res.Failure != nil && res.Failure.Signature() == f.Failure.Signature() {
				failing[i] += p
			}
		}
	})
	if !whole {
		return nil
	}
	for i := range all {
		failing[i] /= all[i]
	}
	return failing
}

// doubtful reports whether a share of failing runs is very unlikely if each run fails with probability
// p.
func doubtful(s corpus.Share, p float64) bool {
	n := float64(s.Of)
	return math.Abs(float64(s.Failed)-n*p) > 4.5*math.Sqrt(n*p*(1-p))+1e-9
}

// TestPointAgainstAllOrders compares the chances of small random programs with the exact chances, which
// it computes from all orders. It also compares the marked step with the step at which the exact chance
// rises most. To check the comparison itself, it also tries the chances of the next step, which must
// differ.
func TestPointAgainstAllOrders(t *testing.T) {
	tested, states, shifted, best := 0, 0, 0, 0
	eachFailing(&tested, slowPrograms()/2, func(seed uint64, r *props.Runner, res *props.Result) (next bool) {
		f := From(Origin{}, res)
		exact := exactChances(r, f)
		if exact == nil || exact[0] > 0.6 {
			return false
		}
		by := &shrinking{runner: r}
		point := by.pointOf(t.Context(), f, nil)
		if point == nil {
			t.Fatalf("seed %d: no point", seed)
		}
		tested++
		most, at := 0.0, -1
		rises := append(slices.Clone(exact), 1)
		for i := range exact {
			if up := rises[i+1] - rises[i]; up >= most {
				most, at = up, i
			}
		}
		for i, c := range point.Chances {
			if states++; doubtful(c.Share, exact[i]) {
				t.Errorf("seed %d: before step %d %d of %d fail, and exactly %.3f", seed, c.Step, c.Failed, c.Of, exact[i])
			}
			if i+1 < len(exact) && math.Abs(exact[i]-exact[i+1]) > 0.4 && doubtful(c.Share, exact[i+1]) {
				shifted++
			}
		}
		switch got := slices.IndexFunc(point.Chances, func(c corpus.Chance) bool { return c.Step == point.Step }); {
		case got < 0 && most > 0.35:
			t.Errorf("seed %d: no step decides, and at step %d the chance rises by %.2f", seed, at, most)
		case got >= 0 && rises[got+1]-rises[got] < most-0.2:
			t.Errorf("seed %d: step %d decides, where the chance rises by %.2f, and at step %d by %.2f", seed, got, rises[got+1]-rises[got], at, most)
		case got == at:
			best++
		}
		return true
	})
	t.Logf("%d programs, %d states; the best step in %d; shifted chances are doubted in %d", tested, states, best, shifted)
	if best*10 < tested*7 || shifted < tested/5 {
		t.Errorf("the best step in %d of %d, and %d shifted chances are doubted", best, tested, shifted)
	}
}
