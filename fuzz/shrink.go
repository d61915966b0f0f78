package fuzz

import (
	"context"
	"fmt"
	"os"
	"time"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/shrink"
)

// shrunk returns a finding made as small as it can be made in the time that is left
// for that, with the orders in which it fails. One that does not repeat itself is
// returned as it is. Other failures that are met on the way are kept as cases, and
// the finding says so.
func (v *verb) shrunk(r *props.Runner, f *finding.Finding) *finding.Finding {
	if v.Shrink <= 0 || !f.Worth() {
		return f
	}
	start := time.Now()
	ctx, cancel := context.WithDeadline(context.Background(), v.limit.Before(start.Add(v.Shrink)))
	defer cancel()
	out := search.Shrink(ctx, r, f, shrink.Options{})
	if v.Shrink -= time.Since(start); out.Finding == nil {
		return f
	}
	if !out.Done {
		out.Finding.Shrunk += ": JOSTLE_SHRINK gives it more time"
	}
	for _, other := range out.Others {
		if v.found[other.Case.Signature] > 0 {
			continue // it is kept for itself
		}
		line := other.Headline()
		if path, err := other.Save(v.folder); err != nil {
			line += fmt.Sprintf(" (not saved: %v)", err)
		} else {
			line += fmt.Sprintf(" (saved: %s)", shown(path))
		}
		out.Finding.Also = append(out.Finding.Also, line)
	}
	return out.Finding
}

// save keeps a finding, and then in its place what it is shrunk to: a shrunk run that
// takes the process with it must not take the finding, too.
func (v *verb) save(f *finding.Finding) (small *finding.Finding, kept finding.Kept, err error) {
	if !f.Worth() {
		return f, kept, nil
	}
	first, fresh, err := v.folder.Save(f.Case)
	r := v.property.NewRunner()
	defer r.Close()
	small = v.shrunk(r, f)
	small.Shorten(r)
	if kept, err = small.Keep(v.folder, r); err == nil && fresh && kept.Path != first {
		os.Remove(first)
	}
	if err == nil && kept.Fresh() && os.Getenv("JOSTLE_OUT") != "" {
		err = small.WritePages(r, kept.Path)
	}
	return small, kept, err
}
