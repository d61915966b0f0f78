package main

import (
	"context"
	"fmt"
	"io"

	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/search"
	"github.com/jostle-go/jostle/fuzz/subjects"
)

const (
	mostRuns   = 10_000 // of the broken form, until the bug is found
	mendedRuns = 1000
)

func runDemo(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		listSubjects(stdout)
		return succeeded
	}
	if len(args) > 1 {
		fmt.Fprintf(stderr, "jostle: demo takes one subject, not %d\n", len(args))
		return misused
	}
	s, ok := subjects.ByName(args[0])
	if !ok {
		fmt.Fprintf(stderr, "jostle: there is no subject %q; `jostle demo` lists them\n", args[0])
		return misused
	}
	if !show(s, stdout) {
		return failed
	}
	return succeeded
}

// listSubjects says what there is to choose from.
func listSubjects(w io.Writer) {
	fmt.Fprint(w, "The subjects, each found by `jostle demo <subject>`:\n\n")
	width := 0
	for _, s := range subjects.All() {
		width = max(width, len(s.Name))
	}
	for _, s := range subjects.All() {
		fmt.Fprintf(w, "    %-*s  %s (%s)\n", width, s.Name, s.Wrong, s.Source)
	}
}

// show finds the bug of a subject, shows it and replays it. It reports whether
// all went as it should: the broken form passes in plain order, unless its bug
// needs no other, and fails in some random one; its replays fail alike; the
// mended form passes.
func show(s subjects.Subject, w io.Writer) bool {
	fmt.Fprintf(w, "%s: %s (%s).\n\n", s.Name, s.Wrong, s.Source)
	plain := sample(s, false, "plain", 1).Finding
	if plain != nil && s.Depth > 0 {
		fmt.Fprintf(w, "The broken form fails in plain order, the oldest message first:\n%s", plain.Text("run 1 of 1 (plain)"))
		return false
	}
	outcome := map[bool]string{false: "passes in plain order", true: "fails in plain order already"}[plain != nil]
	fmt.Fprintf(w, "The broken form %s, the oldest message first. In random order:\n\n", outcome)
	res := sample(s, false, "random", mostRuns)
	f := res.Finding
	if f == nil {
		fmt.Fprintf(w, "The bug was not found in %d runs.\n", mostRuns)
		return false
	}
	fmt.Fprintf(w, "--- FAIL\n%s", f.Text(fmt.Sprintf("run %d of %d (random)", res.Index+1, res.Runs)))
	if f.Replays < finding.Tried {
		return false
	}
	if f := sample(s, true, "random", mendedRuns).Finding; f != nil {
		fmt.Fprintf(w, "The mended form fails too:\n%s", f.Text("random"))
		return false
	}
	fmt.Fprintf(w, "The mended form passes %d runs of %d (random).\n", mendedRuns, mendedRuns)
	return true
}

// sample runs a subject's smallest input by one strategy until it fails.
func sample(s subjects.Subject, mended bool, by string, runs int) search.Result {
	arms, err := search.Strategies(by)
	if err != nil {
		panic(err) // the names are ours
	}
	p := search.Property{Name: s.Name, Test: s.Name, Func: s.Smallest(mended)}
	return search.Sample(context.Background(), p, search.Options{Runs: runs, Seed: 1, Portfolio: arms})
}
