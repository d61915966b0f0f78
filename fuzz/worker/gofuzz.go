package worker

import (
	"fmt"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/native"
	"github.com/jostle-go/jostle/fuzz/search"
)

// importGo runs the inputs that go test -fuzz keeps in a folder.
func (s *server) importGo(q *Request) (*Reply, error) {
	inputs, problems := native.Import(q.Path)
	h := &native.Harness{Runner: s.Property.NewRunner()}
	defer h.Runner.Close()
	r := &Reply{Tally: search.NewTally()}
	for _, p := range problems {
		r.Problems = append(r.Problems, p.Error())
	}
	for _, in := range inputs {
		s.say(Message{At: &At{What: "the input " + in.Path}})
		res := h.Run(in.Data)
		r.Tally.Count("bytes", &res)
		if res.Failure == nil {
			continue
		}
		f := finding.From(finding.Origin{Property: s.Property.Name, Test: s.Property.Test, Strategy: "bytes", Seed: h.Seed()}, &res)
		f.Confirm(h.Runner)
		r.Failed++
		r.Findings = append(r.Findings, report(f, "the input "+in.Path))
	}
	return r, nil
}

// exportGo writes a case to a folder of go test -fuzz.
func (s *server) exportGo(q *Request) (*Reply, error) {
	c, err := s.decoded(q)
	if err != nil {
		return nil, err
	}
	h := &native.Harness{Runner: s.Property.NewRunner()}
	defer h.Runner.Close()
	data := h.BytesOf(&c)
	if data == nil {
		return nil, fmt.Errorf("%s cannot be run any more, so that it has no bytes", q.Path)
	}
	res := h.Run(data)
	r := &Reply{Tally: search.NewTally()}
	if res.Failure == nil || !res.Failure.Matches(c.Signature) {
		r.Notes = append(r.Notes, "as bytes, which have room for less, it does not fail as the case does")
	}
	r.Text, err = native.Export(q.To, data)
	return r, err
}
