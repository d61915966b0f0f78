package main

import (
	"fmt"
	"io"
	"strings"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/strategy"
	"github.com/jostle-go/jostle/pulse/trace"
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
	d := demo{subject: s, out: stdout}
	if !d.run() {
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

// A demo shows what can be done about one subject.
type demo struct {
	subject subjects.Subject
	out     io.Writer
}

func (d *demo) printf(format string, args ...any) { fmt.Fprintf(d.out, format, args...) }

// run says whether all went as it should: the broken form passes in plain
// order and fails in some random one, its replay fails alike, the mended form
// passes.
func (d *demo) run() bool {
	d.printf("%s: %s (%s).\n\n", d.subject.Name, d.subject.Wrong, d.subject.Source)
	f, found := d.search(d.subject.Broken, nil, 1)
	switch {
	case found && d.subject.Depth > 0:
		d.printf("The broken form fails in plain order, the oldest message first: %s\n", f.text)
		return false
	case found:
		d.printf("The broken form fails in plain order already, the oldest message first. In random order:\n\n")
	default:
		d.printf("The broken form passes in plain order, the oldest message first. In random order:\n\n")
	}
	f, found = d.search(d.subject.Broken, strategy.Random(), mostRuns)
	if !found {
		d.printf("The bug was not found in %d runs.\n", mostRuns)
		return false
	}
	d.show(f)
	return d.replay(f) && d.mended()
}

// A finding is a run that failed, kept beyond the run.
type finding struct {
	run    int // which it was, and its seed
	text   string
	trace  *trace.Trace
	record *choice.Record
}

// search makes runs with the seeds 1, 2, 3, … until one fails.
func (d *demo) search(build subjects.Build, by pulse.Strategy, runs int) (f finding, ok bool) {
	sys := d.system(by)
	defer sys.Close()
	for run := 1; run <= runs; run++ {
		sys.Reset(uint64(run))
		if err := try(sys, build); err != nil {
			return finding{run, err.Error(), sys.Trace().Clone(), sys.Record().Clone()}, true
		}
	}
	return finding{}, false
}

func (d *demo) system(by pulse.Strategy) *pulse.System {
	o := d.subject.Options
	o.Strategy, o.Record = by, true
	return pulse.New(o)
}

// try makes one run and returns what is wrong with it.
func try(sys *pulse.System, build subjects.Build) error {
	check := build(sys)
	sys.Run()
	sys.Run()
	if f := sys.Failure(); f != nil {
		return f
	}
	return check()
}

func (d *demo) show(f finding) {
	d.printf("--- FAIL: %s\n", f.text)
	d.printf("    run %d of %d (random, seed %d), %d steps\n\n", f.run, f.run, f.run, len(f.trace.Steps))
	for line := range strings.Lines(f.trace.Chart()) {
		d.printf("    %s", line)
	}
	d.printf("\n")
}

// replay makes the run again from its decisions alone.
func (d *demo) replay(f finding) bool {
	r := strategy.Replay(f.record, strategy.ReplayOptions{Trace: f.trace})
	sys := d.system(r)
	defer sys.Close()
	text := "it passed"
	if err := try(sys, d.subject.Broken); err != nil {
		text = err.Error()
	} else if err := r.Done(); err != nil {
		text = err.Error()
	}
	n := len(f.record.Deliveries) + len(f.record.Choices)
	if hash := sys.Trace().Hash; text != f.text || hash != f.trace.Hash {
		d.printf("Replayed from its %d decisions, the run came out otherwise (trace %016x, was %016x): %s\n", n, hash, f.trace.Hash, text)
		return false
	}
	d.printf("Replayed from its %d decisions: the same failure, the same trace (%016x).\n", n, f.trace.Hash)
	return true
}

// mended runs the form without the bug.
func (d *demo) mended() bool {
	if f, found := d.search(d.subject.Mended, strategy.Random(), mendedRuns); found {
		d.printf("The mended form fails too.\n\n")
		d.show(f)
		return false
	}
	d.printf("The mended form passes %d runs of %d (random, seeds 1 to %d).\n", mendedRuns, mendedRuns, mendedRuns)
	return true
}
