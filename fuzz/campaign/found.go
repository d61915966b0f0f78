package campaign

import (
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/worker"
)

// found takes a finding: keeps it if it is the first of its signature, and then has it
// made smaller.
func (c *campaign) found(t *target, told *worker.Finding, died bool) {
	old := t.find(told.Signature)
	if old != nil && (!old.Rest || c.resting) {
		old.Times++
		return
	}
	t.Findings = slices.DeleteFunc(t.Findings, func(f *Finding) bool { return f == old })
	if len(t.Findings) == mostFindings || c.First && len(t.Findings) > 0 {
		return
	}
	f := &Finding{Finding: *told, Died: died, Times: 1, Rest: c.resting}
	t.Findings = append(t.Findings, f)
	if f.Path != "" && !f.Fresh { // a saved case
		c.told(t, f)
		return
	}
	c.save(t, f)
	if died || !f.Worth || !f.Confirmed || f.Path == "" {
		c.told(t, f)
		return
	}
	c.shrink(t, f)
}

// foundIn takes the findings of a share. One that was not done may have some: deaths.
func (c *campaign) foundIn(j *job) {
	j.target.show(j)
	for i := range j.died {
		c.found(j.target, &j.died[i], true)
	}
	if j.reply == nil {
		return
	}
	for i := range j.reply.Findings {
		c.found(j.target, &j.reply.Findings[i], false)
	}
}

// met takes a failure that was met while another was made smaller. The search may come to
// it by itself, and then to another run of it: so that what is found does not depend on
// which comes first, it is kept and no more, until nothing is left to search for.
func (c *campaign) met(t *target, told *worker.Finding) {
	same := func(f *Finding) bool { return f.Signature == told.Signature }
	if !told.Worth || t.find(told.Signature) != nil || slices.ContainsFunc(t.Met, same) || len(t.Met) == mostFindings {
		return
	}
	f := &Finding{Finding: *told, Times: 1}
	c.save(t, f)
	t.Met = append(t.Met, f)
}

// foundRest takes what is left at the end: what shares have found that follow one that
// was not done, and, if the search has not come to it, what processes have died of before
// the search and what was met on the way.
func (c *campaign) foundRest() {
	c.resting = true
	for _, t := range c.targets {
		for _, first := range slices.Sorted(maps.Keys(t.early)) {
			c.foundIn(t.early[first])
			c.cutShort(t.early[first])
		}
		clear(t.early)
		for i := range t.Early {
			c.found(t, &t.Early[i], true)
		}
		for _, f := range t.Met {
			switch {
			case t.find(f.Signature) != nil && f.Fresh:
				os.Remove(f.Path)
			case c.First:
				c.tell(Event{Kind: Noted, Subject: t.subject.String(), Text: "met on the way: " + f.Headline + " (" + f.Saved + ")"})
			case t.find(f.Signature) == nil && len(t.Findings) < mostFindings:
				f.Rest = true
				t.Findings = append(t.Findings, f)
				c.shrink(t, f)
			}
		}
		t.Early, t.Met = nil, nil
	}
}

// cutShort counts the runs of a share that is not over, or follows one that is not.
func (c *campaign) cutShort(j *job) {
	t := j.target
	if j.reply == nil || c.ended != timeOver || t.GivenUp != "" {
		return
	}
	if t.Cut == nil {
		cut := search.NewTally()
		t.Cut = &cut
	}
	if t.made().Runs == 0 {
		t.Missed = j.reply.Missed
	}
	t.Cut.Add(&j.reply.Tally)
}

// save keeps the case of a finding, if it is worth it.
func (c *campaign) save(t *target, f *Finding) {
	if !f.Worth || f.Case == "" {
		return
	}
	var err error
	if f.Path, f.Fresh, err = save(t, f); err != nil {
		f.Problem = err.Error()
		return
	}
	f.Saved = savedAt(f.Path)
}

func savedAt(path string) string {
	kept := finding.Kept{Path: path}
	return kept.Line(func(path string) string { return path })
}

// doubt notes that a finding does not repeat, also in its case, if that was made for it.
func doubt(t *target, f *Finding) {
	f.Confirmed = false
	f.Text += "        IT DOES NOT REPEAT in a new process, and so is not made smaller: a variable outlives a run?\n"
	if f.Path == "" || !f.Fresh {
		return
	}
	folder := corpus.Folder{Dir: t.subject.Property.Folder, Property: t.subject.Property.Name}
	c, err := folder.Find(f.Path)
	if err == nil {
		finding.Doubt(&c)
		c.Path, err = folder.Rewrite(c)
	}
	if err != nil {
		f.Problem = err.Error()
		return
	}
	f.Path, f.Saved = c.Path, savedAt(c.Path)
}

// save keeps the case of a finding. It is on the disk when save returns.
func save(t *target, f *Finding) (path string, fresh bool, err error) {
	c, err := corpus.Decode("", []byte(f.Case))
	if err != nil {
		return "", false, err
	}
	return corpus.Folder{Dir: t.subject.Property.Folder, Property: t.subject.Property.Name}.Save(c)
}

// shrink has a finding made smaller, before anything else of its target.
func (c *campaign) shrink(t *target, f *Finding) {
	q := worker.Request{Do: worker.Shrink, Case: f.Case, Path: f.Path, Fresh: f.Fresh, Keep: true, Where: f.Where, Pages: c.Pages,
		Milliseconds: int(c.Shrink.Milliseconds())}
	t.waiting = append([]*job{{target: t, request: q, finding: f}}, t.waiting...)
}

// shrunk takes a finding that was made smaller, or that could not be.
func (c *campaign) shrunk(j *job) {
	f := j.finding
	j.target.show(j)
	var death *worker.Death
	switch {
	case j.lost():
		return // the campaign is over: report tells of it
	case j.fickle:
		doubt(j.target, f)
	case errors.As(j.err, &death):
		f.Text += "        (not made smaller: that ended its process: " + death.Headline() + ")\n"
	case j.err != nil:
		f.Text += "        (not made smaller: " + j.err.Error() + ")\n"
	default:
		small := j.reply.Findings[0]
		if small.Path == "" {
			small.Path, small.Saved = f.Path, f.Saved
		}
		small.Run = f.Run
		f.Finding = small
		for _, p := range j.reply.Problems {
			f.Problem = p
		}
		for i := range j.reply.Findings[1:] {
			c.met(j.target, &j.reply.Findings[1+i])
		}
		j.target.join(f)
	}
	c.told(j.target, f)
}

// told tells of a finding.
func (c *campaign) told(t *target, f *Finding) {
	f.Told = true
	if f.Path != "" {
		f.Case = "" // the file has it
	}
	c.tell(Event{Kind: Found, Subject: t.subject.String(), Finding: f})
}

// tellRest tells of findings that were to be made smaller when the campaign was ended.
func (c *campaign) tellRest() {
	for _, t := range c.targets {
		for _, f := range t.Findings {
			if !f.Told {
				c.tell(Event{Kind: Found, Subject: t.subject.String(), Finding: f})
			}
		}
	}
}
