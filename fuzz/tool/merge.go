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
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
)

// A merger brings cases of other folders together with those that are here.
type merger struct {
	corpusCommand
	into     string
	packages string // with commas between

	w        io.Writer
	subjects []campaign.Subject
	changed  map[string]*campaign.Subject // by the folder, those that cases were added to; nil values with into
	added    int
	there    int
	problems int
}

// newCorpusMerge returns the command that brings corpora together.
func newCorpusMerge() *Command {
	m := &merger{}
	cmd := &Command{
		Use:   "merge folders",
		Short: "Add the saved cases of other folders to those that are here",
		Long: `Merge adds the cases below folders, such as another checkout or what a CI has kept, to
those of the properties here, as a merge of two branches by git does: what is there twice
is kept once. Of cases of the very same run that stays which says in which orders it fails,
and of those with the same failure, which fail where the same holds, the smallest that
fails still. Nothing changes in the folders that it reads.

With --into it adds them to a folder for any properties, in which each has one of its own.
Then nothing is compiled or run, and which case is the smaller follows from the files alone.

It exits with 1 if some case could not be read or was not merged, and says which.`,
		Example: "  jostle corpus merge ../other-checkout\n  jostle corpus merge monday tuesday --into week",
		Run: func(call *Call, args []string) error {
			m.w = call.Out
			return m.run(call.Context, args)
		},
	}
	m.flags(cmd)
	cmd.Flags().StringVar(&m.into, "into", "", "the folder to add to, in place of those of the properties here")
	cmd.Flags().StringVar(&m.packages, "packages", "./...", "the packages of the properties, with commas between")
	return cmd
}

func (m *merger) run(ctx context.Context, roots []string) error {
	if len(roots) == 0 {
		return errors.New("give the folders with the cases that are to be added")
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
		subjects, done, err := m.find(ctx, strings.Split(m.packages, ","))
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
	removed, err := m.tidy(ctx)
	if err != nil {
		return err
	}
	fmt.Fprintf(m.w, "%s: %d added, %d were there, %d not merged; %d removed\n", words.Count(len(paths), "case"), m.added, m.there, m.problems, removed)
	if m.problems > 0 {
		return errFailed
	}
	return nil
}

// add adds the case of a file. What is wrong with it is told; the error says that none can
// be added.
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
		m.problem(fmt.Errorf("conflict: %w: the first stays", err))
		return nil
	case err != nil:
		return err
	case !fresh:
		m.there++
	default:
		m.added++
		m.changed[folder.Dir] = s
		fmt.Fprintf(m.w, "added: %s\n", shown(kept))
	}
	return nil
}

func (m *merger) problem(err error) {
	m.problems++
	fmt.Fprintln(m.w, err)
}

// home returns the folder for a case, and the property there.
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
	if len(dirs) > 1 { // that of the same package
		if from, err := filepath.Abs(c.Path); err == nil {
			dirs = nearest(dirs, from)
		}
	}
	switch len(dirs) {
	case 0:
		return f, nil, fmt.Errorf("%s: the case is of %q, which is none of the properties here: give the package that has it by --packages, or a folder by --into", c.Path, name)
	case 1:
		return corpus.Folder{Dir: dirs[0], Property: name}, homes[dirs[0]], nil
	}
	return f, nil, fmt.Errorf("%s: the case is of %q, of which there are several here: give the package of one by --packages", c.Path, name)
}

// nearest returns the folders that have the most names at their ends in common with that
// of a file.
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

// tidy removes cases that are there twice from the folders that were added to, and
// returns how many.
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
			fmt.Fprintf(m.w, "removed: %s: another shows the same failure, and is no larger\n", shown(path))
		}
		removed += len(gone)
	}
	return removed, nil
}

// compare removes cases that show the failure of another of a property, which is found
// out by running them. If that ends the process they stay.
func (m *merger) compare(ctx context.Context, s *campaign.Subject, bounds worker.Command) ([]string, error) {
	p, err := campaign.Start(ctx, *s, bounds)
	if err != nil {
		return nil, err
	}
	r, err := p.Do(ctx, session.Request{Do: session.Tidy})
	var death *worker.Death
	if errors.As(err, &death) && !death.Outside() {
		fmt.Fprintf(m.w, "note: %s: its cases were not compared: that ended the process: %s\n", s.String(), death.Headline())
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	p.Stop()
	return r.Gone, nil
}
