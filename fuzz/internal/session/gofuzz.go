package session

import (
	"context"
	"fmt"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/native"
)

// importGo runs the inputs in the folder q.Folder, which go test -fuzz has saved.
func (s *Session) importGo(_ context.Context, q *Request, r *Reply) error {
	inputs, problems := native.Import(q.Folder)
	h := &native.Harness{Runner: s.Property.NewRunner()}
	defer h.Runner.Close()
	for _, p := range problems {
		r.Problems = append(r.Problems, p.Error())
	}
	for _, in := range inputs {
		s.say(Event{At: &At{What: "the input " + in.Path}})
		res := h.Run(in.Data)
		r.Tally.Count("bytes", &res)
		if res.Failure == nil {
			continue
		}
		f := finding.From(finding.Origin{Property: s.Property.Name, Test: s.Property.Test, Strategy: "bytes", Seed: h.Seed()}, &res)
		f.Confirm(h.Runner)
		r.Failed++
		r.Findings = append(r.Findings, f.Record("the input "+in.Path))
	}
	return nil
}

// exportGo writes a case as an input of go test -fuzz to the folder q.Folder.
func (s *Session) exportGo(_ context.Context, q *Request, r *Reply) error {
	c, err := s.find(q)
	if err != nil {
		return err
	}
	h := &native.Harness{Runner: s.Property.NewRunner()}
	defer h.Runner.Close()
	data := h.BytesOf(&c)
	if data == nil {
		return fmt.Errorf("%s can no longer be run, so it cannot be exported", q.File)
	}
	res := h.Run(data)
	if res.Failure == nil || !res.Failure.Matches(c.Signature) {
		r.Notes = append(r.Notes, "the exported input does not fail as the case does: its bytes cannot hold the whole case")
	}
	r.Text, err = native.Export(q.Folder, data)
	return err
}
