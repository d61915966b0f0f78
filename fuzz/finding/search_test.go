package finding_test

import (
	"context"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/props"
)

var _ = finding.SearchWith(func(name string, property func(*props.T), seed uint64, runs int, arms ...string) *finding.Finding {
	list, err := search.Strategies(arms...)
	if err != nil {
		panic(err)
	}
	p := search.Property{Name: name, Test: name, Func: property}
	return search.Sample(context.Background(), p, search.Options{Runs: runs, Seed: seed, Portfolio: list}).Finding
})
