package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/campaign/report"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// A searcher is what check and fuzz share.
type searcher struct {
	chooser
	options campaign.Options
	json    bool
	plain   bool
	schema  bool
	report  string // the folder for a report, "" for none
}

func (s *searcher) flags(cmd *Command) {
	s.chooser.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&s.options.Workers, "workers", runtime.GOMAXPROCS(0), "how many processes search at the same time")
	f.Uint64Var(&s.options.Seed, "seed", 1, "what all inputs and orders follow from")
	f.IntVar(&s.options.Runs, "runs", 0, "how many runs each property is given; 0 is no bound but time")
	f.DurationVar(&s.options.Shrink, "shrink", 30*time.Second, "how long one finding may be made smaller")
	f.BoolVar(&s.options.Pages, "pages", false, "keep a page of HTML and one of JSON beside each case")
	f.BoolVar(&s.json, "json", false, "print events as JSON, one a line")
	f.BoolVar(&s.schema, "schema", false, "print the JSON Schema of these events, and do nothing else")
}

// newCheck returns the command that searches for seconds.
func newCheck() *Command {
	s := &searcher{options: campaign.Options{First: true}}
	each := 2 * time.Second
	cmd := &Command{
		Use:   "check [packages]",
		Short: "Search for seconds in each property",
		Long: `Check compiles the tests of the packages once, finds the properties in them and searches
in each for seconds, in worker processes. A property's saved cases run first, and its
search ends at its first failure, which is made small, explained and saved.`,
		Example: "  jostle check ./...\n  jostle check ./bank --property neverOverdrawn --runs 100000",
		Run: s.orSchema(func(call *Call, args []string) error {
			if each <= 0 {
				return fmt.Errorf("--for is %v: set it to a time such as 2s", each)
			}
			return s.run(call, args, func(subjects int) {
				if s.options.Runs == 0 {
					s.options.For = max(each, each*time.Duration(subjects)/time.Duration(s.options.Workers))
				}
			})
		}),
	}
	s.flags(cmd)
	cmd.Flags().DurationVar(&each, "for", each, "how long the search in each property takes, if --runs does not say")
	return cmd
}

// newFuzz returns the command that searches all night.
func newFuzz() *Command {
	s := &searcher{}
	cmd := &Command{
		Use:   "fuzz [packages]",
		Short: "Search for hours in all properties at once",
		Long: `Fuzz compiles the tests of the packages once, finds the properties in them and searches
in all of them at once, in worker processes, and goes on after a failure. Those that show
the most orders are given the most time. A failure is saved before it is told of. A
worker that dies of a run is replaced, and its death is a failure with its case.

With --race a quarter of the workers, and at least one, search in tests that are compiled
with the race detector; beside --workers 1 there is a second one. They make other runs, an
eighth of --runs of each property, and a data race that they see is a failure: also one
between actors, which share a variable without a message that orders the accesses. What
the other workers find is the same without them.

Every minute, and when it ends, it notes how far it is: --resume goes on from there.

On a terminal it shows how far it is, with failures above. It prints lines instead when it
is told to by --plain, when CI is set, or when TERM is dumb; NO_COLOR takes the colours.`,
		Example: "  jostle fuzz ./... --for 8h --workers 4\n  jostle fuzz ./... --for 8h --resume",
		Run: s.orSchema(func(call *Call, args []string) error {
			switch o := &s.options; {
			case o.For < 0 || o.For == 0 && o.Runs == 0 && o.Saturated == 0:
				return errors.New("say how long it may take: --for 8h, --until-saturated 0.001, or --runs 1000000 for each property")
			case !(o.Saturated >= 0 && o.Saturated < 1):
				return fmt.Errorf("--until-saturated is %v: set it to a chance such as 0.001", o.Saturated)
			}
			if s.options.Every <= 0 {
				return fmt.Errorf("--note is %v: set it to a time such as 1m", s.options.Every)
			}
			return s.run(call, args, nil)
		}),
	}
	s.flags(cmd)
	f := cmd.Flags()
	f.Lookup("race").Usage = "search with the race detector, too, with a quarter of the workers, one at least, and one beside a single one"
	f.Lookup("seed").Usage = "what all inputs and orders follow from; if it is not given, one more than in the last campaign"
	f.DurationVar(&s.options.For, "for", 0, "how long it takes in all")
	f.Float64Var(&s.options.Saturated, "until-saturated", 0, "end a property when the next run shows a new order of two receives with a smaller chance")
	f.BoolVar(&s.options.Resume, "resume", false, "go on from where the last one has ended")
	f.DurationVar(&s.options.Every, "note", time.Minute, "how often it notes how far it is")
	f.BoolVar(&s.plain, "plain", false, "print lines on a terminal, too, and no live screen")
	f.StringVar(&s.report, "report", "", "the folder for a report at the end, as jostle report writes it")
	f.StringVar(&s.options.File, "state", "", "the file in which it notes how far it is, one campaign at a time; else one in the user's cache folder")
	return cmd
}

// orSchema returns what a command does: it prints the schema of events, if that is asked for.
func (s *searcher) orSchema(run func(*Call, []string) error) func(*Call, []string) error {
	return func(call *Call, args []string) error {
		if s.schema {
			fmt.Fprint(call.Out, campaign.EventSchema())
			return nil
		}
		return run(call, args)
	}
}

// run finds properties and searches in them. Settle, if it is not nil, sets what depends
// on how many there are.
func (s *searcher) run(call *Call, patterns []string, settle func(subjects int)) error {
	o := &s.options
	switch {
	case o.Workers < 1:
		return fmt.Errorf("--workers is %d: set it to a number from 1 on", o.Workers)
	case o.Runs < 0:
		return fmt.Errorf("--runs is %d: set it to a number from 1 on, or to 0 for no bound", o.Runs)
	case o.Seed == 0:
		return errors.New("--seed is 0: set it to a number from 1 on")
	case o.Shrink <= 0:
		return fmt.Errorf("--shrink is %v: set it to a time such as 30s", o.Shrink)
	}
	if s.report != "" { // known before the night, not after it
		if err := errors.Join(report.Check(s.report), os.MkdirAll(s.report, 0o755)); err != nil {
			return fmt.Errorf("the report cannot be written: %w", err)
		}
	}
	subjects, done, err := s.subjects(call.Context, patterns, settle == nil)
	defer done()
	if err != nil {
		return err
	}
	bounds, err := s.bounds()
	if err != nil {
		return err
	}
	o.Memory, o.Env = bounds.Memory, bounds.Env
	if settle != nil {
		settle(len(subjects))
	} else {
		if o.File == "" {
			defer clearStates(patterns)
		}
		if o.File, err = stateFile(o.File, patterns); err != nil {
			return err
		}
		if !call.Set("seed") {
			o.Seed = 0 // the campaign knows which the last one had
		}
	}
	p := &printer{w: call.Out, json: s.json, brief: settle != nil}
	o.Tell = p.tell
	end := func() {}
	if settle == nil && !s.plain && !s.json {
		end = s.live(call)
	}
	result, err := campaign.Run(call.Context, subjects, *o)
	end()
	if err != nil {
		return byState(err)
	}
	p.end(result)
	return s.ended(call, p, result)
}

// ended writes the report of a campaign that has ended, if it is asked for, and returns what
// the command is to return.
func (s *searcher) ended(call *Call, p *printer, r *campaign.Report) error {
	var unwritten error
	if s.report != "" {
		w := call.Out
		if s.json {
			w = call.Err
		}
		if err := writeReport(w, r, s.report); err != nil {
			fmt.Fprintf(call.Err, "jostle: %v\n", err)
			unwritten = errTold
		}
	}
	switch {
	case r.Failures()+r.Complaints() > 0:
		return errFailed
	case unwritten == nil && p.brief && r.Interrupted():
		return errInterrupted
	}
	return unwritten
}

// byState says of a campaign whose file another one has how it is given another.
func byState(err error) error {
	if errors.Is(err, campaign.ErrInUse) || errors.Is(err, campaign.ErrForeign) {
		return fmt.Errorf("%w by --state", err)
	}
	return err
}

// live has a campaign shown on a terminal, if there is one, until done is called.
func (s *searcher) live(call *Call) (done func()) {
	l := newLive(call, os.Getenv)
	if l == nil {
		return func() {}
	}
	s.options.Tell, s.options.Say = l.tell, everySecond
	stop := l.watch(call.Context)
	return func() {
		stop()
		l.close()
	}
}

// subjects returns the properties of packages. If some workers are to have the race
// detector it sets these options, too: first, since it may be that there is none.
func (s *searcher) subjects(ctx context.Context, patterns []string, some bool) (list []campaign.Subject, done func(), err error) {
	list, done, err = s.find(ctx, patterns)
	if !s.race || !some || err != nil {
		return distinct(list), done, err
	}
	o := &s.options
	o.Races, o.RaceWorkers = distinct(list), max(1, o.Workers/4)
	o.Workers = max(1, o.Workers-o.RaceWorkers)
	s.race = false
	raceDone := done
	list, plainDone, err := s.find(ctx, patterns)
	return distinct(list), func() { raceDone(); plainDone() }, err
}

// stateFile returns the file for a campaign of some packages that is begun here, if none is
// given.
func stateFile(given string, patterns []string) (string, error) {
	if given != "" {
		return given, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	cache := env.Cache(here)
	if cache == "" { // a campaign has to note how far it is somewhere
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w: give a file by --state", err)
		}
		cache = filepath.Join(dir, "jostle")
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{here}, patterns...), "\x00")))
	return filepath.Join(cache, "campaign", hex.EncodeToString(sum[:8])+".json"), nil
}

// Of the campaigns in the user's cache folder so many are kept, and so many bytes of them:
// those that were noted last.
const (
	mostStates     = 128
	mostStateBytes = 1 << 30
)

// clearStates removes what too many campaigns have noted in the user's cache folder.
func clearStates(patterns []string) {
	path, err := stateFile("", patterns)
	if err != nil {
		return
	}
	dir := filepath.Dir(path)
	var files []fs.FileInfo
	paths, _ := filepath.Glob(filepath.Join(dir, "*.json"))
	for _, path := range paths {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	slices.SortFunc(files, func(a, b fs.FileInfo) int { return b.ModTime().Compare(a.ModTime()) })
	sum := int64(0)
	for i, info := range files {
		if sum += info.Size(); i >= mostStates || sum > mostStateBytes && i > 0 {
			os.Remove(filepath.Join(dir, info.Name()))
		}
	}
}

// A printer prints the events of a campaign: as lines, or as JSON.
type printer struct {
	w    io.Writer
	json bool
	// brief reports that the campaign is to end by itself: what an interrupt has cut off is
	// not ok. A night may be ended at any time.
	brief bool
}

func (p *printer) tell(e campaign.Event) {
	if p.json {
		text, err := json.Marshal(e)
		if err == nil {
			fmt.Fprintln(p.w, screen.JSON(text))
		}
		return
	}
	switch e.Kind {
	case campaign.Found:
		p.printFinding(e.Subject, e.Finding)
	case campaign.Noted:
		fmt.Fprintf(p.w, "note: %s\n", strings.TrimPrefix(e.Subject+": "+e.Text, ": "))
	case campaign.Went:
		fmt.Fprintf(p.w, "%s: %s, %s\n", words.Elapsed(time.Duration(e.Seconds*float64(time.Second))), words.Count(e.Runs, "run"), e.Text)
	}
}

// printFinding prints a finding as go test prints it.
func (p *printer) printFinding(subject string, f *campaign.Finding) {
	fmt.Fprintf(p.w, "--- FAIL: %s\n%s", subject, f.Text())
	if f.Path != "" {
		fmt.Fprintf(p.w, "        again: jostle replay %s\n", words.Argument(shown(f.Path)))
	}
	if f.Path != "" && !f.Known {
		fmt.Fprintf(p.w, "        %s\n", f.InWords(env.When(), shown))
	}
	if f.Problem != "" {
		fmt.Fprintf(p.w, "        %s\n", f.Problem)
	}
	if f.Path == "" && f.Case != "" && f.Worth {
		fmt.Fprintf(p.w, "        not saved; put this into a file whose name ends in .case, and jostle replay runs it:\n\n%s\n", f.Case)
	}
}

// shown returns a path from here, if it is below.
func shown(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		if rel, err := filepath.Rel(real, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// end prints a line for each property, and one for all.
func (p *printer) end(r *campaign.Report) {
	if p.json {
		return
	}
	runs := 0
	for i := range r.Outcomes {
		out := &r.Outcomes[i]
		runs += out.Runs
		verdict, what := "ok  ", out.Ran
		switch {
		case len(out.Findings)+len(out.Complaints) > 0:
			verdict = "FAIL"
		case p.brief && r.Interrupted() && out.Complete == "":
			verdict, what = "CUT ", what+", interrupted"
		}
		if n := len(out.Findings); n > 0 {
			what += ", " + words.Count(n, "failure")
		}
		fmt.Fprintf(p.w, "%s  %s: %s\n", verdict, out.Subject.String(), what)
		for _, text := range append(out.Complaints, out.Notes...) {
			fmt.Fprintf(p.w, "        %s\n", strings.ReplaceAll(text, "\n", "\n        "))
		}
	}
	more := ""
	if r.Deaths > 0 {
		more = fmt.Sprintf(", %s of workers", words.Count(r.Deaths, "death"))
	}
	if r.Seed != 1 {
		more += fmt.Sprintf(", seed %d", r.Seed)
	}
	fmt.Fprintf(p.w, "%s, %s, %s in %s (%s)%s\n", words.Count(len(r.Outcomes), "property"), words.Count(r.Failures(), "failure"), words.Count(runs, "run"),
		words.Elapsed(r.Elapsed), r.Ended, more)
}
