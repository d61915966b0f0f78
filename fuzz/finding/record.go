package finding

import (
	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/page"
)

// A Record is a failing run as a value, whoever found it: what a session replies, and what
// all outputs render.
type Record struct {
	Case      string // as text
	Signature string // what tells it from others of this build
	Lasting   string `json:",omitempty"` // the same without the line, as cases have it; "" of a process that died
	Headline  string
	Text      string // all that is to be shown
	Kept             // what became of its file
	Known     bool   `json:",omitempty"` // it is of a saved case
	Problem   string `json:",omitempty"` // why it could not be saved, or not with all that belongs to it
	Where     string `json:",omitempty"` // which run it was
	Run       int    `json:",omitempty"` // its number in the search
	// Page is the run with all that is known of it, of a case that was run or shrunk.
	Page *page.Page `json:",omitempty"`
	// Worth reports that it is worth being saved as a case, Confirmed that it came out
	// the same each time.
	Worth, Confirmed bool
	// Condition is in which orders it fails, Cause what it has in common with other failures
	// of the same cause, and Faces are the lasting signatures of these: all as a case has them.
	Condition string   `json:",omitempty"`
	Cause     string   `json:",omitempty"`
	Faces     []string `json:",omitempty"`
}

// Record returns the finding as a value. Where says which run it was.
func (f *Finding) Record(where string) Record {
	return Record{Case: f.Whole(), Signature: f.Failure.Signature(), Lasting: f.Case.Signature, Headline: f.Headline(), Text: f.Text(where), Where: where,
		Worth: f.Worth(), Confirmed: f.Replays == Tried, Condition: f.Case.Condition, Cause: f.Case.Cause(), Faces: f.Case.Faces}
}

// Save saves the case of a record as it was found, if it is worth that, so that nothing that
// follows loses it. It reports whether a file was made for it.
func (r *Record) Save(folder corpus.Folder) (fresh bool) {
	if !r.Worth || r.Case == "" {
		return false
	}
	c, err := corpus.Decode("", []byte(r.Case))
	if err == nil {
		r.Kept.Path, fresh, err = folder.Save(c)
	}
	if err != nil {
		r.Problem = err.Error()
	}
	return fresh
}
