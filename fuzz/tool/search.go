package tool

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/campaign/report"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/record"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// A searcher holds the flags of the commands check and fuzz.
type searcher struct {
	chooser
	options campaign.Options
	json    bool            // print events as JSON
	format  string          // how failures are printed: text, or github for text and annotations
	plain   bool            // print lines instead of a live screen
	schema  bool            // print only the JSON Schema of events
	report  string          // the folder for a report, "" for none
	watch   bool            // run again when files change
	failed  map[string]bool // the properties that failed in the last run of --watch
}

func (s *searcher) flags(cmd *Command) {
	s.chooser.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&s.options.Workers, "workers", runtime.GOMAXPROCS(0), "the number of processes that search at the same time")
	f.Uint64Var(&s.options.Seed, "seed", 1, "the seed of all inputs and orders")
	f.IntVar(&s.options.Runs, "runs", 0, "the limit of runs for each property; 0 is no limit")
	f.DurationVar(&s.options.Shrink, "shrink", 30*time.Second, "the time limit to shrink one finding")
	f.BoolVar(&s.options.Pages, "pages", false, "save an HTML and a JSON page next to each case")
	f.BoolVar(&s.json, "json", false, "print events as JSON, one per line")
	f.StringVar(&s.format, "format", "text", "text, or github to add annotations for GitHub Actions")
	f.BoolVar(&s.schema, "schema", false, "print only the JSON Schema of these events")
}

// newCheck returns the command that searches each property for seconds.
func newCheck() *Command {
	s := &searcher{options: campaign.Options{First: true}}
	each := 2 * time.Second
	cmd := &Command{
		Use:   "check [packages]",
		Short: "Search for seconds in each property",
		Long: `Check compiles the tests of the packages once, finds the properties in them and searches
each for seconds, in worker processes. A property's saved cases run first. Its search ends
at its first failure, which is shrunk, explained and saved.

With --watch it then waits, and runs again whenever Go files of the module change. Properties
that have failed run first. Ctrl-C ends it.`,
		Example: "  jostle check ./...\n  jostle check ./bank --property neverOverdrawn --runs 100000\n  jostle check ./bank --watch    # while you mend a failure",
		Run: s.orSchema(func(call *Call, args []string) error {
			if each <= 0 {
				return fmt.Errorf("--for is %v: set it to a time such as 2s", each)
			}
			run := func() error {
				return s.run(call, args, func(subjects int) {
					if s.options.Runs == 0 {
						s.options.For = max(each, each*time.Duration(subjects)/time.Duration(s.options.Workers))
					}
				})
			}
			if !s.watch {
				return run()
			}
			if err := s.check(); err != nil {
				return err
			}
			return watched(call, s.messages(call), run)
		}),
	}
	s.flags(cmd)
	cmd.Flags().DurationVar(&each, "for", each, "the time for each property, unless --runs is set")
	cmd.Flags().BoolVar(&s.watch, "watch", false, "run again when Go files of the module change, failed properties first")
	return cmd
}

// newFuzz returns the command that searches all properties for hours.
func newFuzz() *Command {
	s := &searcher{}
	cmd := &Command{
		Use:   "fuzz [packages]",
		Short: "Search for hours in all properties at once",
		Long: `Fuzz compiles the tests of the packages once, finds the properties in them and searches all
of them at once, in worker processes. It continues after a failure. Properties with the
most new receive pairs get the most time. A failure is saved before it is printed. A
worker that dies during a run is replaced, and its death is a failure with a case.

With --race a quarter of the workers, and at least one, run tests compiled with the race
detector. With --workers 1 a second worker is added for this. These workers make an eighth
of --runs, with a different seed. A data race is a failure, also if two actors share a
variable and no message orders the accesses. The results of the other workers do not change.

With --tests it also searches the tests that are no properties, as jostle test does.

It saves its state every minute and when it ends, and --resume continues from there.

On a terminal it shows its progress and one line for each failure. Keys choose a failure and
open it, ? explains the numbers, and q ends the search. It prints lines instead with --plain,
if CI is set, or if TERM is dumb. NO_COLOR turns colors and links off.`,
		Example: "  jostle fuzz ./... --for 8h --workers 4\n  jostle fuzz ./... --for 8h --resume",
		Run: s.orSchema(func(call *Call, args []string) error {
			switch o := &s.options; {
			case o.For < 0 || o.For == 0 && o.Runs == 0 && o.Saturated == 0:
				return errors.New("set a limit: --for 8h, --until-saturated 0.001, or --runs 1000000 for each property")
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
	f.Lookup("race").Usage = "also search with the race detector, in a quarter of the workers (at least one)"
	f.Lookup("seed").Usage = "the seed of all inputs and orders; by default one more than in the last campaign"
	f.DurationVar(&s.options.For, "for", 0, "the time limit for all properties together")
	f.Float64Var(&s.options.Saturated, "until-saturated", 0, "stop a property once the chance that the next run shows a new receive pair is below this")
	f.BoolVar(&s.options.Resume, "resume", false, "continue where the last campaign ended")
	f.DurationVar(&s.options.Every, "note", time.Minute, "the interval at which the state is saved")
	f.BoolVar(&s.plain, "plain", false, "print lines instead of a live screen")
	s.testsFlag(cmd)
	f.StringVar(&s.report, "report", "", "write a report into this folder at the end (see jostle report)")
	f.StringVar(&s.options.File, "state", "", "the state file, used by one campaign at a time; by default a file in the user's cache folder")
	return cmd
}

// orSchema returns a function for Command.Run. With --schema it prints the schema of events,
// otherwise it calls run.
func (s *searcher) orSchema(run func(*Call, []string) error) func(*Call, []string) error {
	return func(call *Call, args []string) error {
		if s.schema {
			fmt.Fprint(screen.Whole(call.Out), campaign.EventSchema())
			return nil
		}
		return run(call, args)
	}
}

// check returns an error if the flags are wrong, or if the folder of --report cannot be written. So
// such errors are reported before the search.
func (s *searcher) check() error {
	o := &s.options
	switch {
	case o.Workers < 1:
		return fmt.Errorf("--workers is %d: set it to a number of at least 1", o.Workers)
	case o.Runs < 0:
		return fmt.Errorf("--runs is %d: set it to a number of at least 1, or to 0 for no limit", o.Runs)
	case o.Seed == 0:
		return errors.New("--seed is 0: set it to a number of at least 1")
	case s.format != "text" && s.format != "github":
		return fmt.Errorf("--format is %q: set it to text or github", s.format)
	case s.format == "github" && s.json:
		return errors.New("--format github and --json cannot be combined: give one of them")
	case o.Shrink <= 0:
		return fmt.Errorf("--shrink is %v: set it to a time such as 30s", o.Shrink)
	}
	if s.report == "" {
		return nil
	}
	if err := errors.Join(report.Check(s.report), os.MkdirAll(s.report, 0o755)); err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	return nil
}

// run compiles the tests of the packages that match patterns, searches their properties and prints
// the results. For the command check, settle sets the options that depend on the number of
// properties. For the command fuzz, settle is nil.
func (s *searcher) run(call *Call, patterns []string, settle func(subjects int)) error {
	o := &s.options
	if err := s.check(); err != nil {
		return err
	}
	subjects, done, err := s.subjects(call, patterns, settle == nil)
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
			o.Seed = 0 // campaign.Run chooses the seed
		}
	}
	s.failedFirst(subjects)
	annotate := s.annotations(call)
	p := &printer{w: call.Out, json: s.json, brief: settle != nil, folders: foldersOf(slices.Concat(subjects, o.Races))}
	o.Tell = p.tell
	for _, test := range s.unoffered {
		p.tell(campaign.Event{Kind: campaign.Noted, Subject: test, Text: "not searched, because it is not controlled, is skipped, or fails in every order: jostle test -v says why"})
	}
	end := func() {}
	if settle == nil && !s.plain && !s.json {
		end = s.live(call, p)
	}
	result, err := campaign.Run(call.Context, subjects, *o)
	end()
	if err != nil {
		annotate(nil)
		return byState(err)
	}
	p.end(result)
	annotate(result)
	s.remember(result)
	return s.ended(call, p, result)
}

// foldersOf maps each property to the folder of its package.
func foldersOf(subjects []campaign.Subject) map[string]string {
	folders := map[string]string{}
	for i := range subjects {
		folders[subjects[i].String()] = subjects[i].Binary.Dir
	}
	return folders
}

// annotations returns a function that prints the result of a campaign as annotations, if --format
// is github. All that is printed before the function is called has no effect on GitHub Actions,
// whatever the program under test says.
func (s *searcher) annotations(call *Call) func(*campaign.Report) {
	if s.format != "github" {
		return func(*campaign.Report) {}
	}
	token := rand.Text()
	fmt.Fprintf(call.Out, "::stop-commands::%s\n", token)
	return func(result *campaign.Report) {
		fmt.Fprintf(call.Out, "::%s::\n", token)
		if here, err := os.Getwd(); err == nil && result != nil {
			fmt.Fprint(call.Out, report.New(result, here, repository(here)).GitHub())
		}
	}
}

// messages returns the output for messages that are no events.
func (s *searcher) messages(call *Call) io.Writer {
	if s.json {
		return call.Err
	}
	return call.Out
}

// ended writes the report of a finished campaign if --report is set, and returns the error of the
// command.
func (s *searcher) ended(call *Call, p *printer, r *campaign.Report) error {
	var unwritten error
	if s.report != "" {
		if err := writeReport(s.messages(call), r, s.report); err != nil {
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

// byState adds the flag --state to an error that asks the user to choose another state file.
func byState(err error) error {
	if errors.Is(err, campaign.ErrInUse) || errors.Is(err, campaign.ErrForeign) {
		return fmt.Errorf("%w with --state", err)
	}
	return err
}

// live shows the progress of a campaign on the terminal, if there is one, until done is called.
func (s *searcher) live(call *Call, p *printer) (done func()) {
	l := newLive(call, os.Getenv)
	if l == nil {
		return func() {}
	}
	l.print.folders = p.folders
	ctx, cancel := context.WithCancel(call.Context)
	call.Context = ctx
	l.listen(call, func() { interruptSelf(cancel) })
	p.closed = l.view.Keys
	s.options.Tell, s.options.Say = l.tell, everySecond
	stop := l.watch(call.Context)
	return func() {
		stop()
		l.close()
		cancel()
	}
}

// subjects compiles the tests of packages and returns their properties. If both the flag --race and
// the parameter some are set, it compiles the tests with and without the race detector, and sets
// the options of the workers with the race detector. It first tries the race detector, which may
// not be available.
func (s *searcher) subjects(call *Call, patterns []string, some bool) (list []campaign.Subject, done func(), err error) {
	list, done, err = s.find(call, patterns)
	if !s.race || !some || err != nil {
		return distinct(list), done, err
	}
	o := &s.options
	o.Races, o.RaceWorkers = distinct(list), max(1, o.Workers/4)
	o.Workers = max(1, o.Workers-o.RaceWorkers)
	s.race = false
	raceDone := done
	list, plainDone, err := s.find(call, patterns)
	return distinct(list), func() { raceDone(); plainDone() }, err
}

// stateFile returns the path of the state file. It returns given unless given is "". The default is
// a file in the user's cache folder whose name depends on the current folder and on patterns.
func stateFile(given string, patterns []string) (string, error) {
	if given != "" {
		return given, nil
	}
	here, err := os.Getwd()
	if err != nil {
		return "", err
	}
	cache := env.Cache(here)
	if cache == "" { // with JOSTLE_CACHE=off a campaign still needs a state file
		dir, err := os.UserCacheDir()
		if err != nil {
			return "", fmt.Errorf("%w: set a file with --state", err)
		}
		cache = filepath.Join(dir, "jostle")
	}
	sum := sha256.Sum256([]byte(strings.Join(append([]string{here}, patterns...), "\x00")))
	return filepath.Join(cache, "campaign", hex.EncodeToString(sum[:8])+".json"), nil
}

// Limits for the number and total size of the state files in the user's cache folder.
const (
	mostStates     = 128
	mostStateBytes = 1 << 30
)

// clearStates removes the oldest state files from the user's cache folder if there are too many.
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
	w io.Writer
	// columns is the number of columns of the terminal if w writes to none, but is shown on one.
	columns int
	json    bool
	// brief is set for the command check. Its interrupted properties are not reported as ok. For the
	// command fuzz an interrupt is a normal end.
	brief bool
	// closed is set if a live screen showed findings in one line each. Then end must print the
	// findings that are not saved.
	closed bool
	// folders maps each property to the folder of its package.
	folders map[string]string
}

func (p *printer) tell(e campaign.Event) {
	if p.json {
		text, err := json.Marshal(e)
		if err == nil {
			fmt.Fprintln(screen.Whole(p.w), screen.JSON(text))
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

// printFinding prints a finding in the style of go test.
func (p *printer) printFinding(subject string, f *campaign.Finding) {
	fmt.Fprintf(p.w, "--- FAIL: %s\n", subject)
	writeLinked(p.w, f.Text(cmp.Or(p.columns, screen.ColumnsOf(p.w))), p.links(subject, f))
	if f.Path != "" {
		fmt.Fprintf(screen.Whole(p.w), "        again: %s\n", f.Again(env.Shown(f.Path)))
	}
	if f.Path != "" && !f.Known {
		fmt.Fprintf(p.w, "        %s\n", f.InWords(env.When(), env.Shown))
	}
	if f.Problem != "" {
		fmt.Fprintf(p.w, "        %s\n", f.Problem)
	}
	if f.Path == "" && f.Case != "" && f.Worth {
		fmt.Fprintf(screen.Whole(p.w), "        not saved; to replay it, write this to a file *.case and run jostle replay:\n\n%s\n", f.Case)
	}
}

// links returns the places in the source that the text of a finding may name, with their URLs.
func (p *printer) links(subject string, f *campaign.Finding) map[string]string {
	if f == nil || p.folders[subject] == "" {
		return nil
	}
	return linksOf(&f.Record, p.folders[subject])
}

// linksOf returns the places in the source that a record names, such as "bank.go:27", with URLs of
// their files in a folder. It omits files that are not there.
func linksOf(r *record.Record, folder string) map[string]string {
	links := map[string]string{}
	add := func(place string) {
		file, line, ok := strings.Cut(place, ":")
		path := filepath.Join(folder, file)
		if info, err := os.Stat(path); ok && links[place] == "" && err == nil && info.Mode().IsRegular() {
			links[place] = (&url.URL{Scheme: "file", Path: filepath.ToSlash(path), Fragment: line}).String()
		}
	}
	if r.Line > 0 {
		add(fmt.Sprintf("%s:%d", r.File, r.Line))
	}
	for _, p := range r.Places {
		add(p.SentAt)
		add(p.Handler)
	}
	return links
}

// writeLinked writes a text to w, with links if w can show them.
func writeLinked(w io.Writer, text string, links map[string]string) {
	if o, ok := w.(*screen.Output); ok {
		o.WriteLinked(text, links)
		return
	}
	io.WriteString(w, text)
}

// bugs prints a list of all findings of a campaign. It prints a finding that is neither saved nor was
// printed before completely.
func (p *printer) bugs(r *campaign.Report) {
	n := 0
	for i := range r.Outcomes {
		out := &r.Outcomes[i]
		for _, f := range out.Findings {
			n++
			if p.closed && f.Path == "" {
				p.printFinding(out.Subject.String(), f)
				continue
			}
			text := fmt.Sprintf("bug %d: %s\n    %s\n", n, f.Headline(), out.Subject.String())
			list := slices.DeleteFunc([]string{f.Brief(), f.Share()}, func(text string) bool { return text == "" })
			if len(list) > 0 {
				text += "    " + strings.Join(list, ": ") + map[bool]string{true: " orders fail"}[f.Share() != ""] + "\n"
			}
			writeLinked(p.w, text, p.links(out.Subject.String(), f))
			if f.Path != "" {
				fmt.Fprintf(screen.Whole(p.w), "    again: jostle replay %s\n", words.Argument(env.Shown(f.Path)))
			}
		}
	}
}

// end prints a line for each property and a summary, unless the output is JSON.
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
	if !p.brief {
		p.bugs(r)
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
