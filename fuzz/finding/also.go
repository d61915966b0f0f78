package finding

import (
	"fmt"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
)

// SaveOther saves a finding that was met on the way to another, with its pages if they are
// asked for, and says in a line what it is and where. One that is not worth it is not
// saved. Paths are shown as a function shows them.
func (f *Finding) SaveOther(folder corpus.Folder, r *props.Runner, pages bool, shown func(string) string) string {
	if !f.Worth() {
		return f.Headline()
	}
	path, err := f.Save(folder)
	if path == "" {
		return fmt.Sprintf("%s (not saved: %v)", f.Headline(), err)
	}
	places := "saved: " + shown(path)
	if pages && err == nil {
		places += ", page: " + shown(beside(path, ".html"))
		err = f.WritePages(r, path)
	}
	if err != nil {
		return fmt.Sprintf("%s (saved: %s, but: %v)", f.Headline(), shown(path), err)
	}
	return fmt.Sprintf("%s (%s)", f.Headline(), places)
}

// AddPages writes the pages of a finding beside its case, if it was saved.
func (k *Kept) AddPages(f *Finding, r *props.Runner) error {
	if !k.Fresh() {
		return nil
	}
	err := f.WritePages(r, k.Path)
	if err == nil {
		k.Page = beside(k.Path, ".html")
	}
	return err
}
