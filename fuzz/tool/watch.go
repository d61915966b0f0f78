package tool

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
)

// Polling needs no library and works on every file system.
const pollEvery = 300 * time.Millisecond

// watched calls run, and again each time that source files of the module change, until the context
// is done. An error of run does not end it, because the next change may mend the error. It writes to w
// what it waits for and what has changed.
func watched(call *Call, w io.Writer, run func() error) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	root := enclosing(here, "go.mod")
	for {
		before := stampsBelow(root)
		if err := run(); call.Context.Err() == nil {
			exitCode(err, call.Err)
		}
		if call.Context.Err() == nil {
			fmt.Fprintf(w, "waiting for changes below %s: Ctrl-C ends this\n", root)
		}
		changed, err := change(call.Context, root, before)
		if err != nil {
			return err
		}
		fmt.Fprintf(w, "\nchanged: %s\n", strings.Join(changed, ", "))
	}
}

// change waits until source files below root have changed, and then until they stop changing. It
// returns the files that changed.
func change(ctx context.Context, root string, before map[string]string) (changed []string, err error) {
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for last := before; ; {
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-tick.C:
		}
		now := stampsBelow(root)
		if changed = differences(before, now); len(changed) > 0 && len(differences(last, now)) == 0 {
			return changed, nil
		}
		last = now
	}
}

// stampsBelow returns the source files of Go below root, with the time and size by which a change is
// noticed.
func stampsBelow(root string) map[string]string {
	stamps := map[string]string{}
	filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the file was removed after its folder was read
		case d.IsDir() && path != root && strings.HasPrefix(d.Name(), "."):
			return filepath.SkipDir
		case filepath.Ext(path) != ".go" && d.Name() != "go.mod" && d.Name() != "go.sum":
			return nil
		}
		if info, err := d.Info(); err == nil {
			rel, _ := filepath.Rel(root, path)
			stamps[rel] = fmt.Sprint(info.ModTime().UnixNano(), info.Size())
		}
		return nil
	})
	return stamps
}

// differences returns the files that are not the same in a and b.
func differences(a, b map[string]string) (list []string) {
	for path := range b {
		if a[path] != b[path] {
			list = append(list, path)
		}
	}
	for path := range a {
		if _, there := b[path]; !there {
			list = append(list, path)
		}
	}
	slices.Sort(list)
	return list
}

// failedFirst moves the properties that failed in the last run to the front.
func (s *searcher) failedFirst(subjects []campaign.Subject) {
	slices.SortStableFunc(subjects, func(a, b campaign.Subject) int {
		if x, y := s.failed[a.String()], s.failed[b.String()]; x != y {
			return map[bool]int{true: -1, false: 1}[x]
		}
		return 0
	})
}

// remember records which properties failed, for failedFirst.
func (s *searcher) remember(r *campaign.Report) {
	s.failed = map[string]bool{}
	for i := range r.Outcomes {
		out := &r.Outcomes[i]
		s.failed[out.Subject.String()] = len(out.Findings)+len(out.Complaints) > 0
	}
}
