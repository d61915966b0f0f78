package fuzz

import (
	"fmt"
	"os"
	"sync"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/props"
)

// A shower remembers the last run that passed, for JOSTLE_SHOW. A nil shower does nothing.
type shower struct {
	mu   sync.Mutex
	last *corpus.Case
}

// newShower returns a shower if JOSTLE_SHOW is set, else nil.
func newShower() *shower {
	if set := os.Getenv("JOSTLE_SHOW"); set == "" || set == "0" {
		return nil
	}
	return &shower{}
}

// passed returns a function that remembers a run. A search must call this function after each run
// that passes.
func (s *shower) passed() func(string, *props.Result) {
	if s == nil {
		return nil
	}
	return func(arm string, res *props.Result) {
		s.mu.Lock()
		defer s.mu.Unlock()
		c := finding.CaseOf(finding.Origin{Strategy: arm}, res)
		s.last = &c
	}
}

// show prints the last run that passed, if JOSTLE_SHOW is set.
func (v *verb) show() {
	if v.shower == nil {
		return
	}
	text := "    JOSTLE_SHOW: no run passed\n"
	if c := v.shower.last; c != nil {
		r := v.session.Property.NewRunner()
		defer r.Close()
		text = finding.ReplayText(r, c)
	}
	if testing.Verbose() {
		v.t.print(text)
		return
	}
	v.t.warn(fmt.Sprintf("    %s:\n%s", v.t.Name(), text)) // without -v, go test prints no log of a passing test
}
