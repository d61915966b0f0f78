package tool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// A merger adds the cases of other folders to the cases of the properties in packages.
type merger struct {
	corpusCommand
	into     string // the folder to which the cases are added; "" is the folder of their property
	packages string // the packages, comma-separated

	w        io.Writer
	subjects []campaign.Subject
	changed  map[string]*campaign.Subject // maps a changed folder to the property of its cases, nil if the cases go to the folder into
	added    int                          // number of cases added
	there    int                          // number of cases that their folders already had
	problems int                          // number of cases not merged
}

// newCorpusMerge returns the command that merges corpora.
func newCorpusMerge() *Command {
	m := &merger{}
	cmd := &Command{
		Use:   "merge folders",
		Short: "Add the saved cases of other folders to those here",
		Long: `Merge adds the cases below folders, such as another checkout or a CI artifact, to those of
the properties here. It drops duplicates. Among cases of the same run it keeps the one that
says in which orders it fails. Among cases with the same failure in the same orders it keeps
the smallest one that still fails. The folders that it reads do not change.

With --into it adds them to a folder that has a subfolder for each property. Then nothing is
compiled or run, and the files alone decide which case is smaller.

It exits with 1 if some case could not be read or merged, and names it.`,
		Example: "  jostle corpus merge ../other-checkout\n  jostle corpus merge monday tuesday --into week",
		Run: func(call *Call, args []string) error {
			m.w = call.Out
			return m.run(call, args)
		},
	}
	m.flags(cmd)
	cmd.Flags().StringVar(&m.into, "into", "", "the folder to add the cases to, instead of the folders of the properties here")
	cmd.Flags().StringVar(&m.packages, "packages", "./...", "the packages of the properties, comma-separated")
	return cmd
}

// run merges the cases below the folders roots.
func (m *merger) run(call *Call, roots []string) error {
	if len(roots) == 0 {
		return errors.New("give the folders with the cases to add")
	}
	var paths []string
	for _, root := range roots {
		found, err := caseFiles(root)
		if err != nil {
			return err
		}
		if len(found) == 0 {
			return fmt.Errorf("there is no case below %s", root)
		}
		paths = append(paths, found...)
	}
	if m.into == "" {
		subjects, done, err := m.find(call, strings.Split(m.packages, ","))
		defer done()
		if err != nil {
			return err
		}
		m.subjects = subjects
	}
	m.changed = map[string]*campaign.Subject{}
	for _, path := range paths {
		if err := m.add(path); err != nil {
			return err
		}
	}
	removed, err := m.tidy(call.Context)
	if err != nil {
		return err
	}
	fmt.Fprintf(m.w, "%s: %d added, %d already there, %d not merged; %d removed\n", words.Count(len(paths), "case"), m.added, m.there, m.problems, removed)
	if m.problems > 0 {
		return errFailed
	}
	return nil
}

// add adds the case at path. It prints and counts problems of this case. It returns an error only
// if further cases could not be added either.
func (m *merger) add(path string) error {
	c, err := corpus.Folder{Dir: filepath.Dir(path)}.Find(path)
	if err != nil {
		m.problem(err)
		return nil
	}
	folder, s, err := m.home(&c)
	if err != nil {
		m.problem(err)
		return nil
	}
	kept, fresh, err := folder.Merge(c)
	switch {
	case errors.Is(err, corpus.ErrWords):
		m.problem(fmt.Errorf("conflict: %w; the first file is kept", err))
		return nil
	case err != nil:
		return err
	case !fresh:
		m.there++
	default:
		m.added++
		m.changed[folder.Dir] = s
		fmt.Fprintf(m.w, "added: %s\n", env.Shown(kept))
	}
	return nil
}

func (m *merger) problem(err error) {
	m.problems++
	fmt.Fprintln(m.w, err)
}

// home returns the folder to which a case is added, and the property to which the case belongs.
func (m *merger) home(c *corpus.Case) (f corpus.Folder, s *campaign.Subject, err error) {
	name := cmp.Or(c.Property, c.Test)
	if m.into != "" {
		return corpus.FolderOf(m.into, name), nil, nil
	}
	homes := map[string]*campaign.Subject{}
	for i := range m.subjects {
		p := &m.subjects[i].Property
		if p.Name == name || c.Property == "" && p.Test == name {
			homes[corpus.FolderOf(filepath.Dir(p.Folder), name).Dir] = &m.subjects[i]
		}
	}
	dirs := slices.Sorted(maps.Keys(homes))
	if len(dirs) > 1 { // prefer the folder of the package that c comes from
		if from, err := filepath.Abs(c.Path); err == nil {
			dirs = nearest(dirs, from)
		}
	}
	switch len(dirs) {
	case 0:
		return f, nil, fmt.Errorf("%s: the case belongs to %q, which is no property here: set --packages to its package, or --into to a folder", c.Path, name)
	case 1:
		return corpus.Folder{Dir: dirs[0], Property: name}, homes[dirs[0]], nil
	}
	return f, nil, fmt.Errorf("%s: the case belongs to %q, and several properties here have that name: choose one with --packages", c.Path, name)
}

// nearest returns those of the folders dirs that are most similar to the folder of the file. The
// measure is the number of equal names at the end of both paths.
func nearest(dirs []string, file string) (list []string) {
	most := 0
	from := strings.Split(filepath.ToSlash(filepath.Dir(file)), "/")
	for _, dir := range dirs {
		names := strings.Split(filepath.ToSlash(dir), "/")
		n := 0
		for n < min(len(names), len(from)) && names[len(names)-1-n] == from[len(from)-1-n] {
			n++
		}
		switch {
		case n > most:
			most, list = n, []string{dir}
		case n == most:
			list = append(list, dir)
		}
	}
	return list
}

// tidy removes duplicate cases from the folders that have changed, and returns the number of
// removed cases.
func (m *merger) tidy(ctx context.Context) (removed int, err error) {
	bounds, err := m.bounds()
	if err != nil {
		return 0, err
	}
	for _, dir := range slices.Sorted(maps.Keys(m.changed)) {
		var gone []string
		if s := m.changed[dir]; s == nil {
			gone, err = corpus.Folder{Dir: dir}.Thin()
		} else {
			gone, err = m.compare(ctx, s, bounds)
		}
		if err != nil {
			return removed, err
		}
		for _, path := range gone {
			fmt.Fprintf(m.w, "removed: %s: another case shows the same failure and is no larger\n", env.Shown(path))
		}
		removed += len(gone)
	}
	return removed, nil
}

// compare runs the cases of a property. It removes each case that has the same failure as a smaller
// case, and returns the removed files. If a run ends the process, compare removes nothing.
func (m *merger) compare(ctx context.Context, s *campaign.Subject, bounds worker.Command) ([]string, error) {
	p, err := campaign.Start(ctx, *s, bounds)
	if err != nil {
		return nil, err
	}
	r, err := p.Do(ctx, session.Request{Do: session.Tidy})
	var death *worker.Death
	if errors.As(err, &death) && !death.Outside() {
		fmt.Fprintf(m.w, "note: %s: its cases were not compared, because running them ended the process: %s\n", s.String(), death.Headline())
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p.Stop()
	return r.Gone, nil
}
