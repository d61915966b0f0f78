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

// found takes a finding: keeps it if it is the first of its signature, and then has it
// made smaller.
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
	f := &Finding{Record: *told, Times: 1, Rest: c.resting}
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
func (c *campaign) met(t *target, told *record.Record) {
	same := func(f *Finding) bool { return f.Exact == told.Exact }
	if !told.Worth || t.find(told.Exact) != nil || slices.ContainsFunc(t.Met, same) || len(t.Met) == mostFindings {
		return
	}
	f := &Finding{Record: *told, Times: 1}
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

// cutShort counts the runs of a share that is not over, or follows one that is not.
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

// save keeps the case of a finding, if it is worth it. It is on the disk when save returns.
func (c *campaign) save(t *target, f *Finding) { f.Fresh = f.Save(t.subject.Cases()) }

// doubt notes that a finding does not repeat, also in its case, if that was made for it.
func doubt(t *target, f *Finding) {
	f.Stray = true
	f.Remarks = append(f.Remarks, "IT DOES NOT REPEAT in a new process, so it is not shrunk: does a variable outlive a run?")
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

// shrink has a finding made smaller, before anything else of its target.
func (c *campaign) shrink(t *target, f *Finding) {
	q := session.Request{Do: session.Shrink, Case: f.Case, File: f.Path, Fresh: f.Fresh, Keep: true, Where: f.Where, Pages: c.Pages, Time: c.Shrink}
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
		f.Remarks = append(f.Remarks, "(not shrunk: that ended its process: "+death.Headline()+")")
	case j.err != nil:
		f.Remarks = append(f.Remarks, "(not shrunk: "+j.err.Error()+")")
	default:
		small := j.reply.Findings[0]
		if small.Path == "" {
			small.Kept = f.Kept
		}
		small.Run = f.Run
		f.Record = small
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
