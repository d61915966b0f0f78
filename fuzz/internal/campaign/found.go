package campaign

import (
	"errors"
	"maps"
	"os"
	"slices"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/fuzz/search"
)

// found records a finding. If its signature is new, found saves it and queues it for shrinking.
func (c *campaign) found(t *target, told *record.Record, died bool) {
	old := t.find(told.Exact)
	if old != nil && (!old.Rest || c.resting) {
		old.Times++
		return
	}
	t.Findings = slices.DeleteFunc(t.Findings, func(f *Finding) bool { return f == old })
	if len(t.Findings) == mostFindings || c.First && len(t.Findings) > 0 {
		return
	}
	f := t.finding(told)
	f.Rest = c.resting
	t.Findings = append(t.Findings, f)
	if f.Known {
		c.told(t, f)
		return
	}
	c.save(t, f)
	if died || !f.Worth || !f.Confirmed() || f.Path == "" {
		c.told(t, f)
		return
	}
	c.shrink(t, f)
}

// finding returns a finding of the property of t.
func (t *target) finding(told *record.Record) *Finding {
	f := &Finding{Record: *told, Times: 1}
	if f.Existing = t.existing(); f.Existing {
		f.Package, f.Race = t.subject.Binary.Package, t.subject.Binary.Race
	}
	return f
}

// foundIn records the findings of a chunk of the search, including deaths of processes.
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

// met saves a failure that occurred while a different failure was shrunk. The new failure becomes a
// finding only at the end of the search, because the findings must not depend on when a worker
// shrinks.
func (c *campaign) met(t *target, told *record.Record) {
	same := func(f *Finding) bool { return f.Exact == told.Exact }
	if !told.Worth || t.find(told.Exact) != nil || slices.ContainsFunc(t.Met, same) || len(t.Met) == mostFindings {
		return
	}
	f := t.finding(told)
	c.save(t, f)
	t.Met = append(t.Met, f)
}

// foundRest records the remaining findings at the end of the campaign. These are the findings of
// chunks after an unfinished chunk, deaths before the search, and failures while shrinking.
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
			case t.find(f.Exact) != nil && f.Fresh:
				os.Remove(f.Path)
			case c.First:
				c.tell(Event{Kind: Noted, Subject: t.subject.String(), Text: "also failed while shrinking: " + f.Headline() + " (" + f.InWords(env.When(), func(path string) string { return path }) + ")"})
			case t.find(f.Exact) == nil && len(t.Findings) < mostFindings:
				f.Rest = true
				t.Findings = append(t.Findings, f)
				c.shrink(t, f)
			}
		}
		t.Early, t.Met = nil, nil
	}
}

// cutShort adds the runs of chunk j to t.Cut. The chunk is unfinished or follows an unfinished
// chunk.
func (c *campaign) cutShort(j *job) {
	t := j.target
	if j.reply == nil || c.ended != EndTime || t.GivenUp != "" {
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

// save saves the case of a finding if it is worth saving.
func (c *campaign) save(t *target, f *Finding) { f.Fresh = f.Save(t.subject.Cases()) }

// doubt marks a finding as not reproducible. If the case of the finding was created for it, doubt
// marks the case too.
func doubt(t *target, f *Finding) {
	f.Stray = true
	f.Remarks = append(f.Remarks, "IT DOES NOT REPEAT in a new process, so it is not shrunk: does a variable keep its value from run to run?")
	if f.Path == "" || !f.Fresh {
		return
	}
	folder := t.subject.Cases()
	c, err := folder.Find(f.Path)
	if err == nil {
		finding.Doubt(&c)
		c.Path, err = folder.Rewrite(c)
	}
	if err != nil {
		f.Problem = err.Error()
		return
	}
	f.Kept = record.Kept{Path: c.Path}
}

// shrink queues a job that shrinks a finding, ahead of all other jobs of its property.
func (c *campaign) shrink(t *target, f *Finding) {
	q := session.Request{Do: session.Shrink, Case: f.Case, File: f.Path, Fresh: f.Fresh, Keep: true, Where: f.Where, Pages: c.Pages, Time: c.Shrink}
	t.waiting = append([]*job{{target: t, request: q, finding: f}}, t.waiting...)
}

// shrunk processes the result of a job that shrinks a finding, and reports the finding.
func (c *campaign) shrunk(j *job) {
	f := j.finding
	j.target.show(j)
	var death *worker.Death
	switch {
	case j.lost():
		return // the campaign is over, so tellRest reports the finding
	case j.fickle:
		doubt(j.target, f)
	case errors.As(j.err, &death):
		f.Remarks = append(f.Remarks, "(not shrunk, because shrinking ended its process: "+death.Headline()+")")
	case j.err != nil:
		f.Remarks = append(f.Remarks, "(not shrunk: "+j.err.Error()+")")
	default:
		small := j.reply.Findings[0]
		if small.Path == "" {
			small.Kept = f.Kept
		}
		small.Run, small.Existing, small.Package, small.Race = f.Run, f.Existing, f.Package, f.Race
		f.Record = small
		for i := range j.reply.Findings[1:] {
			c.met(j.target, &j.reply.Findings[1+i])
		}
		j.target.join(f)
	}
	c.told(j.target, f)
}

// existing reports whether the property of t is an existing test.
func (t *target) existing() bool { return t.subject.Property.Verb == worker.Existing }

// drop removes a finding of an existing test that may be a false alarm, and adds a note with the
// reason.
func (t *target) drop(f *Finding, why string) {
	t.Findings = slices.DeleteFunc(t.Findings, func(o *Finding) bool { return o == f })
	t.uncontrolled("a failing run " + why + ": " + f.Headline())
}

// uncontrolled adds a note that says why an existing test is not controlled.
func (t *target) uncontrolled(why string) {
	text := "not controlled, because " + why
	if !slices.Contains(t.Notes, text) && len(t.Notes) < mostTexts {
		t.Notes = append(t.Notes, text)
	}
}

// told reports a finding as an event, and sets its field Told.
func (c *campaign) told(t *target, f *Finding) {
	if t.existing() && !f.Died && !f.Known && !f.Confirmed() {
		if f.Fresh {
			os.Remove(f.Path)
		}
		t.drop(f, "did not repeat")
		return
	}
	f.Told = true
	if f.Path != "" {
		f.Case = "" // the file at Path has the text of the case
	}
	c.tell(Event{Kind: Found, Subject: t.subject.String(), Finding: f})
}

// tellRest reports findings that were waiting to be shrunk when the campaign ended.
func (c *campaign) tellRest() {
	for _, t := range c.targets {
		for _, f := range slices.Clone(t.Findings) {
			switch {
			case f.Told:
			case t.existing() && !f.Died:
				t.drop(f, "was not replayed in a new process before the campaign ended; the next campaign does that")
			default:
				c.tell(Event{Kind: Found, Subject: t.subject.String(), Finding: f})
			}
		}
	}
}
