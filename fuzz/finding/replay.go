package finding

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Replayed is the result of replaying a case.
type Replayed struct {
	// Result is valid until the runner's next run.
	Result props.Result
	// Exact is set if the run was the saved one: it had the same draws, decisions and trace.
	// For a case with a schedule, it is set if all constraints held. Only an exact run shows
	// whether the case still fails.
	Exact bool
	// Mended is set if the property held in a run with all decisions of the case: every
	// delivery, in order, and every answer. If Exact is not set, the run also had further
	// deliveries, because the program has changed.
	Mended bool
	// How describes how the case was run.
	How string

	doubted    bool // set if the case did not repeat when it was saved: see corpus.Case.Doubtful
	impossible bool // the result of the function impossible
}

// Replay replays a case as it was saved. If the case was never run, it has a schedule in place
// of decisions, and Replay runs it with that schedule. If the program has changed, Replay
// replays the parts of the case that still apply.
func Replay(r *props.Runner, c *corpus.Case) Replayed {
	if c.Planned() {
		ordered := strategy.Ordered(&c.Schedule)
		res := r.Run(planOf(c, ordered))
		unmet := len(ordered.Unmet())
		how := fmt.Sprintf("by its schedule, %s not met", words.Count(unmet, "constraint"))
		if res.Stray != "" {
			how += "; " + res.Stray
		}
		return replayed(c, res, unmet == 0 && res.Stray == "", how)
	}
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{})
	res := r.Run(planOf(c, replayer))
	difference := firstDifference(&res, replayer, c)
	if difference == "" {
		return replayed(c, res, true, "as saved")
	}
	if res.System != nil && impossible(c, &res) {
		return replayLeniently(r, c, fmt.Sprintf("it fires more timers early than allowed, as only older versions of jostle did (early timers: %d, allowed: %d)",
			c.Record.Early(), res.System.Options().EarlyTimers), true)
	}
	return replayLeniently(r, c, "the program has changed: "+difference, false)
}

// ReplayText replays a case and describes it like Text, with the actors' states after each step
// that changes them and at the end. Use it to inspect a model whose property holds.
func ReplayText(r *props.Runner, c *corpus.Case) string {
	var states []string
	var kept changes
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{})
	plan := planOf(c, replayer)
	plan.Observer = &kept
	plan.Look = func(s *pulse.System) { states = s.Host().States() }
	res := r.Run(plan)
	var b strings.Builder
	steps := 0
	if res.System != nil {
		steps = res.System.Steps()
	}
	fmt.Fprintf(&b, "    a run that passed (%s), %s\n", c.Strategy, words.Count(steps, "step"))
	if how := firstDifference(&res, replayer, c); how != "" {
		fmt.Fprintf(&b, "        IT DOES NOT REPEAT: %s\n", how)
	}
	record.WriteDraws(&b, draws(&res), record.Columns-record.Indent)
	record.WriteLogs(&b, res.Logs)
	if res.System == nil {
		return b.String()
	}
	t := res.System.Trace()
	names := t.Names()
	fmt.Fprintf(&b, "\n%s", words.Indented(t.ChartWith(trace.ChartOptions{Failed: int(trace.None), Below: kept.after(t, names)}).Text(0)))
	if len(states) > 1 {
		b.WriteString("\n        at the end:\n")
	}
	for i, state := range states {
		if i != int(trace.Test) {
			fmt.Fprintf(&b, "            %s: %s\n", names.Of(int32(i)), trace.Visible(state))
		}
	}
	return b.String() + "\n"
}

// impossible reports whether a case fires more timers early than the options allow, although
// the options have not changed. Only an older version made such cases, and no run can repeat
// them.
func impossible(c *corpus.Case, res *props.Result) bool {
	most := res.System.Options().EarlyTimers
	return most >= 0 && c.Record.Early() > most && len(changedSettings(c.Settings, settingsOf(res))) == 0
}

// Finding returns the failing run of a case as a confirmed finding. If the run is the saved
// one, the finding gets the explanation of the case.
func (p *Replayed) Finding(r *props.Runner, o Origin, c *corpus.Case) *Finding {
	same := p.Exact && p.Result.Failure.Matches(c.Signature)
	f := From(o, &p.Result)
	if same {
		f.Case.Condition, f.Case.Explanation, f.Case.Faces = c.Condition, c.Explanation, c.Faces
		if p.Result.System != nil {
			f.draw(p.Result.System.Trace())
		}
	}
	f.Confirm(r)
	f.filed = same
	return f
}

// Held returns a message for a case whose property held. The message says whether the failure
// is mended, and what to do with the file. shared reports whether function literals of one test
// share the folder. In that case the file may belong to another function literal.
func (p *Replayed) Held(file string, shared bool) string {
	switch {
	case p.Result.Skipped:
		return fmt.Sprintf("case %s is skipped now (%s): not known whether its failure is mended; keep it", file, p.How)
	case p.impossible:
		return fmt.Sprintf("case %s shows no failure: no run can be as it was saved\n    (%s)\n"+
			"    JOSTLE_REPAIR=1 searches for a similar run with the same failure and saves it; delete the case if there is none", file, p.How)
	case p.Mended && !p.Exact && shared:
		return fmt.Sprintf("case %s passes now (%s): a regression test, as long as you keep it; delete it only if no other function literal "+
			"of the test has this failure", file, p.How)
	case p.Mended && !p.Exact:
		return fmt.Sprintf("case %s passes now (%s): its failure is mended, and it is a regression test, as long as you keep it\n"+
			"    JOSTLE_REPAIR=1 replaces it by today's run", file, p.How)
	case !p.Exact:
		return fmt.Sprintf("case %s: not known whether its failure is mended, since it could not be run as saved\n    (%s)\n"+
			"    keep it: every test run tries what still applies; JOSTLE_REPAIR=1 searches for a similar run with the same failure",
			file, p.How)
	case p.doubted:
		return fmt.Sprintf("case %s passes now (%s), and %s: not known whether its failure is mended; "+
			"keep it until the program is deterministic", file, p.How, corpus.Doubt)
	case shared:
		return fmt.Sprintf("case %s passes now (%s): a regression test, as long as you keep it; "+
			"delete it only if no other function literal of the test has this failure", file, p.How)
	}
	return fmt.Sprintf("case %s passes now (%s): a regression test, as long as you keep it", file, p.How)
}

// Unrepaired returns a message for a case that could not be repaired.
func (p *Replayed) Unrepaired(file string) string {
	advice := "only if its failure is known to be mended"
	if p.impossible {
		advice = "since no run can be as it was saved"
	}
	return fmt.Sprintf("case %s cannot be repaired: no similar run has its failure; delete it %s", file, advice)
}

// replayed returns the result of replaying a case. If the run failed differently than the saved
// run, How says so.
func replayed(c *corpus.Case, res props.Result, exact bool, how string) Replayed {
	p := Replayed{Result: res, Exact: exact, How: how, Mended: res.Failure == nil && !res.Skipped, doubted: c.Doubtful}
	if f := res.Failure; f != nil && c.Signature != "" && !f.Matches(c.Signature) {
		if exact && !c.Planned() {
			how = "its decisions " + how
		}
		p.How = fmt.Sprintf("%s; it now fails with %q, but was saved for %q", how, f.Lasting(), c.Signature)
	}
	return p
}

// replayLeniently replays the parts of a stale case that still apply, and otherwise delivers the
// oldest message first. impossible is set if no run can repeat the saved one.
func replayLeniently(r *props.Runner, c *corpus.Case, why string, impossible bool) Replayed {
	replayer := strategy.Replay(&c.Record, strategy.ReplayOptions{Lenient: true})
	res := r.Run(planOf(c, replayer))
	var now choice.Record
	if res.System != nil {
		now = *res.System.Record()
	}
	how := fmt.Sprintf("stale, since %s; %s", why, howMuch(&c.Record, &now))
	if res.System != nil {
		for _, change := range changedSettings(c.Settings, settingsOf(&res)) {
			how += "; " + change
		}
	}
	p := replayed(c, res, false, how)
	p.Mended = p.Mended && len(c.Record.Deliveries) > 0 && res.Stray == "" && len(res.Inputs) == len(c.Inputs) && replayer.Whole()
	p.impossible = impossible
	return p
}

// howMuch describes how many of the saved deliveries a lenient replay has made.
func howMuch(was, is *choice.Record) string {
	left := map[uint64]int{}
	for _, id := range is.Deliveries {
		left[id]++
	}
	made := 0
	for _, id := range was.Deliveries {
		if id != choice.Hold && left[id] > 0 {
			left[id]--
			made++
		}
	}
	switch n := was.Received(); {
	case n == 0:
		return "it has no deliveries"
	case made == 0:
		return fmt.Sprintf("none of its %d deliveries applied: was the type of a message or of an actor renamed, or moved to another package? "+
			"The identity of a step depends on these names", n)
	case made == n:
		return fmt.Sprintf("all of its %d deliveries still applied", n)
	default:
		return fmt.Sprintf("%d of its %d deliveries still applied", made, n)
	}
}

// firstDifference describes the first difference between a strict replay and the saved run. It
// returns "" if there is none.
func firstDifference(res *props.Result, replayer *strategy.Replayer, c *corpus.Case) string {
	switch {
	case res.Stray != "":
		return res.Stray
	case len(res.Inputs) != len(c.Inputs):
		return fmt.Sprintf("the property makes %s, the case has %d", words.Count(len(res.Inputs), "draw"), len(c.Inputs))
	case replayer.Done() != nil:
		return replayer.Done().Error()
	case res.System != nil && c.Hash != 0 && !replayer.Outdated() && res.System.Trace().Hash != c.Hash:
		return fmt.Sprintf("the trace differs (%016x, was %016x)", res.System.Trace().Hash, c.Hash)
	}
	return ""
}

// planOf returns the plan that runs case c with strategy s.
func planOf(c *corpus.Case, s pulse.Strategy) props.Plan {
	return props.Plan{Inputs: c.Inputs, Strategy: s, EarlyTimers: c.EarlyTimers}
}

// settingsOf returns the options that the property has set, without defaults and without the
// early timers that the search has allowed.
func settingsOf(res *props.Result) (list []corpus.Setting) {
	o := res.System.Options()
	if res.EarlyTimers != 0 {
		o.EarlyTimers = 0
	}
	return settingsIn(o)
}

// settingsIn returns options in the form in which cases store them.
func settingsIn(o pulse.Options) (list []corpus.Setting) {
	for _, s := range o.Settings() {
		list = append(list, corpus.Setting(s))
	}
	return list
}

// changedSettings describes each option whose saved value differs from its present value.
func changedSettings(was, is []corpus.Setting) (changes []string) {
	find := func(list []corpus.Setting, name string) string {
		for _, s := range list {
			if s.Name == name {
				return s.Value
			}
		}
		return "default"
	}
	for _, list := range [][]corpus.Setting{was, is} {
		for _, s := range list {
			change := fmt.Sprintf("%s was %s, is %s", s.Name, find(was, s.Name), find(is, s.Name))
			if find(was, s.Name) != find(is, s.Name) && !slices.Contains(changes, change) {
				changes = append(changes, change)
			}
		}
	}
	return changes
}
