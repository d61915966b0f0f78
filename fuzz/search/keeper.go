package search

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// A Keeper makes failing runs small, says why they fail and keeps them as cases, in the
// time that there is for that.
type Keeper struct {
	Folder corpus.Folder
	// Left is how much time is left to make runs small and to explain them; not more than
	// zero, and nothing is. Limit ends that, too.
	Left  time.Duration
	Limit Limit
	// Pages asks for pages beside cases, Repair for saved cases to give way to what
	// shows the same failure better.
	Pages, Repair bool
	// Found has the signatures of failures that are kept for themselves, so that they are
	// not when they are met on the way to another.
	Found map[string]int
	// Shown returns a path as it is told; nil for all of it.
	Shown func(path string) string
	// Progress, if it is not nil, is called before a run is made small. It returns what is
	// told how far that is, and what is called after it.
	Progress func() (tell func(shrink.Progress), over func())
}

// Shrunk returns a finding made as small as it can be made in the time that is left
// for that, with the orders in which it fails. One that does not repeat itself is
// returned as it is. Other failures that are met on the way are kept as cases, and
// the finding says so.
func (k *Keeper) Shrunk(r *props.Runner, f *finding.Finding) *finding.Finding {
	out := k.shrunk(k.Left, r, f)
	k.keepOthers(r, &out)
	return out.Finding
}

// shrunk is Shrunk in some time, with what else came of it.
func (k *Keeper) shrunk(most time.Duration, r *props.Runner, f *finding.Finding) Shrunk {
	if most <= 0 || !f.Worth() {
		return Shrunk{Finding: f, Cut: true}
	}
	var o shrink.Options
	if k.Progress != nil {
		tell, over := k.Progress()
		defer over()
		o.Progress = tell
	}
	start := time.Now()
	ctx, cancel := context.WithDeadline(context.Background(), k.Limit.Before(start.Add(most)))
	defer cancel()
	out := Shrink(ctx, r, f, o)
	if k.Left -= time.Since(start); out.Finding == nil {
		return Shrunk{Finding: f, Cut: true}
	}
	if !out.Done {
		out.Finding.Shrunk += ": JOSTLE_SHRINK gives it more time"
	}
	return out
}

// keepOthers keeps the failures that were met on the way to another whose bugs are new, made
// small in the time that is left, and notes them. What is met on the way to these is left for
// the next search.
func (k *Keeper) keepOthers(r *props.Runner, out *Shrunk) {
	also := func(text string) { out.Finding.Also = append(out.Finding.Also, text) }
	for _, other := range out.Others {
		if k.Found[other.Failure.Signature()] > 0 { // it is kept for itself
			continue
		}
		if known := other.Known(k.Folder, r, k.shown); known != "" {
			also(known)
			continue
		}
		o, kept, err := k.save(r, other)
		if err == nil {
			err = k.AddPages(r, o.Finding, &kept)
		}
		also(o.Finding.AlsoLine(kept, err, k.shown))
	}
}

func (k *Keeper) shown(path string) string {
	if k.Shown == nil {
		return path
	}
	return k.Shown(path)
}

// Save keeps a finding, and then in its place what it is shrunk to: a shrunk run that
// takes the process with it must not take the finding, too.
func (k *Keeper) Save(r *props.Runner, f *finding.Finding) (small *finding.Finding, kept finding.Kept, err error) {
	out, kept, err := k.save(r, f)
	if err != nil {
		return out.Finding, kept, err
	}
	k.keepOthers(r, &out)
	return out.Finding, kept, k.AddPages(r, out.Finding, &kept)
}

// save is Save without what is met on the way, and without pages.
func (k *Keeper) save(r *props.Runner, f *finding.Finding) (out Shrunk, kept finding.Kept, err error) {
	if !f.Worth() {
		return Shrunk{Finding: f}, kept, nil
	}
	first, fresh, _ := k.Folder.Save(f.Case) // what went wrong goes wrong again below
	out = k.shrunk(k.Left, r, f)
	out.Finding.Shorten(r)
	if kept, err = out.Finding.Keep(k.Folder, r); err != nil {
		return out, kept, err
	}
	if fresh && kept.Path != first {
		os.Remove(first)
	}
	return out, kept, nil
}

// AddPages writes pages beside a case that was kept, if they are asked for.
func (k *Keeper) AddPages(r *props.Runner, f *finding.Finding, kept *finding.Kept) error {
	if !k.Pages {
		return nil
	}
	return kept.AddPages(f, r)
}

// knownPart is which part of the time of a new failure is spent on a saved case of which
// it was known in which orders it fails.
const knownPart = 10

// Retell returns what is told of a saved case that failed again, as f: it is made small
// and explained as a new failure is. If there is no time for that, what its file says of
// it stands in, which Played.Finding has noted. Its file stays as it is, unless it is to be repaired and
// what was found shows its failure better.
func (k *Keeper) Retell(r *props.Runner, f *finding.Finding, c *corpus.Case) (*finding.Finding, finding.Kept, error) {
	most := k.Left
	if c.Condition != "" {
		most /= knownPart
	}
	out := k.shrunk(most, r, f)
	small, kept, err := k.retold(r, f, &out, c)
	out.Finding = small
	if err == nil && kept.Path == c.Path {
		paged := f // the pages are of the run that the file has
		if small.Case.Same(&f.Case) {
			paged = small
		}
		err = k.AddPages(r, paged, &kept)
	}
	k.keepOthers(r, &out)
	return small, kept, err
}

// retold decides between what a saved case was shrunk to and what its file says.
func (k *Keeper) retold(r *props.Runner, f *finding.Finding, out *Shrunk, c *corpus.Case) (*finding.Finding, finding.Kept, error) {
	small, kept := out.Finding, finding.Kept{Path: c.Path}
	if small.Failure.Matches(c.Signature) {
		small.Case.Faces = c.Faces
	}
	switch {
	case (out.Cut || !out.Done) && f.Case.Explanation != nil:
		return f, kept, nil
	case !small.Failure.Matches(c.Signature):
	case k.Repair && (out.Smaller || c.Condition == "" && small.Case.Condition != ""):
		again, err := small.Keep(k.Folder, r)
		if err == nil {
			err = errors.Join(again.Replace(c, small), k.AddPages(r, small, &again))
		}
		return small, again, err
	case out.Smaller:
		small.Shrunk += " (JOSTLE_REPAIR=1 saves it so)"
	}
	return small, kept, nil
}
