// Skips: the tests in a browser where there is none, in short mode and on systems without inherited
// pipes; `apt-get install chromium` has a browser.
package tool

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/finding"
	"github.com/jostle-go/jostle/fuzz/internal/browser"
	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/desk"
	"github.com/jostle-go/jostle/fuzz/internal/worker"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// isViewed is set in the environment of worker processes, which are processes of this test binary. It
// is the path of a file. If the file exists, the property exits ends its process.
const isViewed = "JOSTLE_TEST_OF_VIEW"

// TestViewed has the properties that the other tests show.
func TestViewed(t *testing.T) {
	if os.Getenv(isViewed) != "" {
		fuzz.Check(t, overtaken)
		fuzz.Check(t, long)
		fuzz.Check(t, exits)
	}
}

// hostile is the name of an actor that would run a script if a page took it as markup.
const hostile = `<img src=x onerror="document.title='run'"><script>alert(1)</script>`

// A ledger has a state for a page to show.
type ledger struct {
	Said  string
	Count int
}

func (l *ledger) Receive(_ *pulse.Ctx, msg any) {
	l.Said += fmt.Sprint(msg)
	l.Count++
}

// said returns what a ledger receives from three clients.
func said(t *props.T) string {
	l := &ledger{}
	sys := t.System()
	hall := sys.Spawn(hostile, l)
	for _, word := range []string{"a", "b", "<b>c"} {
		sys.Send(sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(hall, msg) })), word)
	}
	sys.Run()
	return l.Said
}

func overtaken(t *props.T) {
	if text := said(t); strings.HasPrefix(text, "b") {
		t.Errorf("%s: b is first", hostile)
	}
}

// manySteps is the number of steps of the property long.
const manySteps = 10_000

func long(t *props.T) {
	sys := t.System()
	left := manySteps
	var pass pulse.Func = func(ctx *pulse.Ctx, msg any) {
		if left--; left > 0 {
			ctx.Send(msg.(pulse.Ref), ctx.Self())
		}
	}
	one, two := sys.Spawn("one", pass), sys.Spawn("two", pass)
	sys.Send(one, two)
	sys.Run()
	t.Error("always")
}

// exits fails if the second client's message arrives first. If the third client's message arrives first and the file
// at isViewed exists, it ends the process.
func exits(t *props.T) {
	switch text := said(t); text[0] {
	case 'b':
		t.Error("b is first")
	case '<':
		if _, err := os.Stat(os.Getenv(isViewed)); err == nil {
			os.Exit(7)
		}
	}
}

// A viewed is a server of pages about the properties of TestViewed.
type viewed struct {
	*httptest.Server
	*questioner
	subjects []campaign.Subject
	url      string // the URL of the pages, with the token
	live     string // the path of the file that shows a campaign
	exit     string // the path of the file that makes the property exits end its process
	ask      func(question, arguments string) map[string]any
}

// newViewed starts a server of pages. Cases are saved in a new folder.
func newViewed(t *testing.T) *viewed {
	t.Helper()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	v := &viewed{live: filepath.Join(t.TempDir(), "live.json"), exit: filepath.Join(t.TempDir(), "exit")}
	bounds := worker.Command{Env: []string{isViewed + "=" + v.exit, "JOSTLE_OUT=" + t.TempDir()}}
	if v.subjects, err = campaign.Own(t.Context(), "tool", bounds.Env, "TestViewed"); err != nil || len(v.subjects) != 3 {
		t.Fatal(v.subjects, err)
	}
	d := desk.New(v.subjects, bounds, 2)
	v.questioner = &questioner{chooser: chooser{memory: "0"}, call: &Call{Context: t.Context()}, desk: d, done: d.Close, sources: stampsBelow(enclosing(here, "go.mod"))}
	v.Server = httptest.NewServer(newHandler(v.Ask, "token", v.live, true))
	t.Cleanup(func() {
		v.CloseClientConnections()
		v.Close()
		v.close()
	})
	v.url = v.URL + "/token/"
	v.ask = func(question, arguments string) (answer map[string]any) {
		text, err := v.Ask(t.Context(), question, []byte(arguments))
		if err == nil {
			err = json.Unmarshal(text, &answer)
		}
		if err != nil {
			t.Fatal(question, err)
		}
		return answer
	}
	return v
}

// caseOf returns the first saved case of a property, after a search for it.
func (v *viewed) caseOf(property int) string {
	v.ask("check", fmt.Sprintf(`{"property": %d, "seconds": 2, "runs": 100}`, property))
	list := v.ask("properties", "")["properties"].([]any)[property].(map[string]any)
	return list["cases"].([]any)[0].(map[string]any)["id"].(string)
}

// report writes the file that shows a campaign.
func (v *viewed) report(t *testing.T, l campaign.Live) {
	t.Helper()
	text, err := json.Marshal(l)
	if err == nil {
		err = os.WriteFile(v.live+".tmp", text, 0o600)
	}
	if err == nil {
		err = os.Rename(v.live+".tmp", v.live)
	}
	if err != nil {
		t.Fatal(err)
	}
}

// liveOf returns a campaign after some seconds, with findings.
func liveOf(seconds float64, cases ...string) campaign.Live {
	runs := int(1000 * seconds)
	l := campaign.Live{Runs: runs, FoundAll: len(cases), Curve: []campaign.LivePoint{{Seconds: 0}, {Seconds: seconds / 2, Runs: runs / 2, Orders: 60}, {Seconds: seconds, Runs: runs, Orders: 80}}}
	l.Last = campaign.Event{Kind: campaign.Went, Runs: runs, Orders: 80, Seconds: seconds, Left: 60, Workers: 64 << 20, Properties: []campaign.Progress{{Subject: "tool TestViewed, " + hostile, State: campaign.Searching, Runs: runs}},
		Doing: []campaign.Doing{{Subject: "tool TestViewed, overtaken", Do: "run"}, {Subject: "tool TestViewed, long", Do: "shrink", Waits: true}}}
	for _, id := range cases {
		l.Found = append(l.Found, campaign.LiveFinding{Subject: "tool TestViewed, overtaken", Headline: hostile, Path: "testdata/" + id + ".case", Seconds: seconds})
	}
	return l
}

// checkPage fails the test if the page is wider than its window, has run a text of a program, has
// requested something from elsewhere, has written to the console, or is hard to use.
func checkPage(t *testing.T, b *browser.Browser, name string, width int) {
	t.Helper()
	if wide, _ := b.Is("document.documentElement.scrollWidth").(float64); int(wide) > width {
		t.Errorf("%s: the page is %v wide, the window %d", name, wide, width)
	}
	if b.Is(`document.querySelectorAll("img, main script").length`) != 0.0 || b.Is("document.title") == "run" || b.Dialogs > 0 {
		t.Errorf("%s: a text was taken as markup", name)
	}
	for _, complaint := range append(b.Obstacles(), b.Violations()...) {
		t.Errorf("%s: %s", name, complaint)
	}
	if len(b.Said) > 0 {
		t.Errorf("%s: the browser says:\n%s", name, strings.Join(b.Said, "\n"))
	}
	b.Keep(name)
}

// TestViewInABrowser opens a run, steps, forks, continues, explains and saves, by keys alone, in
// the window of a phone, and at night in all windows.
func TestViewInABrowser(t *testing.T) {
	v := newViewed(t)
	b := browser.Start(t, v.URL)
	id := v.caseOf(0)
	v.report(t, liveOf(60, id))
	windows := browser.Windows
	if !golden.Whole() {
		windows = windows[:1]
	}
	for _, size := range windows {
		b.Open(v.url, size.Width, size.Height, size.Theme)
		b.Until(`document.querySelectorAll("#properties article").length === 3 && document.querySelectorAll("#campaign .case").length === 1`)
		checkPage(t, b, "overview-"+size.Name, size.Width)
		b.PressUntil("Tab", fmt.Sprintf(`document.activeElement.getAttribute("href") === "#run/%s"`, id))
		b.Press("Enter")
		b.Until(`document.querySelectorAll(".row.fails, #row6").length > 0 && /is first/.test(document.getElementById("verdict").textContent)`)
		if got := b.Focused(); got != "div Steps" {
			t.Errorf("the focus is on %q", got)
		}
		b.Press("Home")
		b.Until(`/^Step 0, the first of 6/.test(document.querySelector("#step h1").textContent)`)
		b.PressUntil("j", `document.querySelectorAll(".others button").length > 0`)
		b.Press("j")
		b.Press("ArrowUp")
		b.Press("f")
		b.Press("k")
		b.Until(`document.querySelectorAll(".changed del").length === 2`) // the step has changed both fields of the ledger
		checkPage(t, b, "run-"+size.Name, size.Width)
		b.Press("Home")
		b.Press("c")
		b.Until(`/^From step \d+, \d+ of 50 continuations fail/.test(document.getElementById("answer").textContent)`)
		b.Press("w")
		b.Until(`/^Why it fails/.test(document.getElementById("answer").textContent)`)
		checkPage(t, b, "why-"+size.Name, size.Width)
		b.Press("t")
		b.Until(`/^As a Go test.*func TestRun/s.test(document.getElementById("answer").textContent)`)
		checkPage(t, b, "test-"+size.Name, size.Width)
		b.Press("1")
		b.Until(`location.hash.includes("%40") && document.querySelectorAll("#path li").length === 3 && document.querySelectorAll(".row").length > 5`)
		checkPage(t, b, "fork-"+size.Name, size.Width)
		b.Press("s")
		b.Until(`/^Saved/.test(document.getElementById("answer").textContent)`)
		b.Press("u")
		b.Until(`!location.hash.includes("%40") && document.querySelectorAll("#path li").length === 2 && document.querySelectorAll(".row").length > 3`)
		b.Press("g")
		b.Press("2")
		b.Press("Enter")
		b.Until(`/^Step 2 of 5/.test(document.querySelector("#step h1").textContent)`)
		b.Press("?")
		b.Until(`document.getElementById("keys").open`)
		checkPage(t, b, "keys-"+size.Name, size.Width)
		b.Press("Escape")
		b.Until(`!document.getElementById("keys").open`)
		b.Press("o")
		b.Until(`!document.getElementById("overview").hidden`)
	}
}

// TestViewOfAChangedCase: the page says that the run of an open case is no longer the same.
func TestViewOfAChangedCase(t *testing.T) {
	v := newViewed(t)
	b := browser.Start(t, v.URL)
	id := v.caseOf(0)
	b.Open(v.url+"#run/"+id, 1280, 800, "light")
	b.Until(`document.querySelector("#step h1") !== null`)
	saved, err := v.desk.Open(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	fork, err := v.desk.Fork(t.Context(), id, 0, 0)
	if err == nil {
		err = os.WriteFile(saved.File, []byte(fork.Case), 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	b.Is(`void ask("steps", {run: run.id, first: 0, count: 1}).then(w => keep(run, w))`)
	b.Until(`/^The run differs from the one that was opened/.test(document.getElementById("status").textContent)`)
}

// TestViewOfALongRun opens a run of 10,000 steps. Only the rows that are seen are drawn, and only
// those steps are fetched.
func TestViewOfALongRun(t *testing.T) {
	v := newViewed(t)
	b := browser.Start(t, v.URL)
	r := props.NewRunner("long", long)
	defer r.Close()
	res := r.Run(props.Plan{Strategy: strategy.Plain()}) // a run that a search finds would take long to shrink
	c := finding.CaseOf(finding.Origin{Property: "long", Test: "TestViewed"}, &res)
	c.Signature = res.Failure.Lasting()
	path, _, err := v.subjects[1].Cases().Save(c)
	if err != nil {
		t.Fatal(err)
	}
	b.Open(v.url+"#run/"+desk.IDOf(path), 1280, 800, "dark")
	last := fmt.Sprintf(`/^Step %d of/.test(document.querySelector("#step h1").textContent)`, manySteps-1)
	b.Until(`document.querySelector("#step h1") !== null`)
	t.Logf("opened after %.0f ms", b.Is("performance.now()"))
	b.Press("End")
	b.Press("k")
	b.Until(last)
	b.Until(`[...document.querySelectorAll(".row")].every(r => !r.textContent.includes("…"))`)
	if n, _ := b.Is(`document.querySelectorAll(".row").length`).(float64); n < 10 || n > 100 {
		t.Errorf("%v rows are drawn", n)
	}
	if n, _ := b.Is(`run.moments.size`).(float64); n > 500 {
		t.Errorf("%v steps were fetched", n)
	}
	checkPage(t, b, "long", 1280)
}

// TestViewOfACampaign shows a campaign while it changes, also after the connection was lost.
func TestViewOfACampaign(t *testing.T) {
	v := newViewed(t)
	b := browser.Start(t, v.URL)
	b.Open(v.url, 390, 844, "light")
	b.Until(`/No campaign of these packages/.test(document.getElementById("campaign").textContent)`)
	runs := func(n string) string {
		return fmt.Sprintf(`[...document.querySelectorAll("#campaign dd")].some(e => e.textContent === %q)`, n)
	}
	v.report(t, liveOf(60))
	b.Until(runs("60,000"))
	v.report(t, liveOf(61, "x"))
	b.Until(runs("61,000"))
	b.Until(`document.querySelectorAll("#campaign .case").length === 1`)
	checkPage(t, b, "campaign", 390)
	if b.Is(`(e => e.scrollWidth > e.clientWidth)(document.querySelector(".progress").parentElement)`) != false {
		t.Error("a part of the progress is out of sight on a phone")
	}
	b.Is(`document.querySelector("#campaign .case a").focus()`)
	v.report(t, liveOf(61.2, "x"))
	b.Until(runs("61,200"))
	if got := b.Focused(); got != "a #run/x" {
		t.Errorf("after an update the focus is on %q", got)
	}
	v.report(t, liveOf(61.5, strings.Fields(strings.Repeat("x ", 40))...))
	b.Until(`document.querySelectorAll("#campaign > div > .case").length === 8 && document.querySelector("#bugs summary").textContent === "32 earlier bugs"`)
	b.Open(v.url, 1280, 800, "dark")
	b.Until(`document.getElementById("bugs") !== null`)
	t.Logf("40 bugs are shown after %.0f ms", b.Is("performance.now()"))
	checkPage(t, b, "campaign-40", 1280)
	v.CloseClientConnections()
	b.Until(`document.body.dataset.connected === "no"`)
	v.report(t, liveOf(62, "x"))
	b.Until(runs("62,000") + ` && document.body.dataset.connected === "yes"`)
}

// TestInterruptEndsQuestions: once the command is interrupted, questions are no longer answered, and
// nothing is compiled for them.
func TestInterruptEndsQuestions(t *testing.T) {
	v := newViewed(t)
	ctx, cancel := context.WithCancel(t.Context())
	v.call.Context = ctx
	cancel()
	for range 2 {
		if answer, err := v.Ask(t.Context(), "check", []byte(`{"property": 0}`)); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, %v", answer, err)
		}
		v.close()
	}
}

// TestViewOutlivesWorkers: a fork that ends its worker process is an error that says so, and the
// next question is answered.
func TestViewOutlivesWorkers(t *testing.T) {
	v := newViewed(t)
	id := v.caseOf(2)
	if err := os.WriteFile(v.exit, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	answers := map[bool]int{}
	for step := range 5 {
		for other := range 2 {
			r, err := v.Client().Get(fmt.Sprintf(`%sask/fork?arguments={"run":%q,"step":%d,"other":%d}`, v.url, id, step, other))
			if err != nil {
				t.Fatal(err)
			}
			var answer struct{ Error, Run string }
			err = json.NewDecoder(r.Body).Decode(&answer)
			r.Body.Close()
			if err != nil || answer.Error == "" == (answer.Run == "") {
				t.Fatalf("%v, %+v", err, answer)
			}
			if strings.Contains(answer.Error, "the worker process ended: exit status 7") {
				answers[true]++
			} else if answer.Run != "" {
				answers[false]++
			}
		}
	}
	if answers[true] == 0 || answers[false] == 0 {
		t.Errorf("of the forks %d end their process, and %d do not", answers[true], answers[false])
	}
}

// TestWatched has a property without a bug. It has too many orders to run all of them.
func TestWatched(t *testing.T) {
	if os.Getenv(isViewed) != "" {
		fuzz.Check(t, trial.Crowded(12))
	}
}

// isCrowd is set in the environment of a process that serves 200 clients, which are in the same process. It is the
// path of the file that shows a campaign.
const isCrowd = "JOSTLE_TEST_OF_CLIENTS"

// TestCrowd serves clients until its input ends, for BenchmarkClientsOfACampaign.
func TestCrowd(t *testing.T) {
	file := os.Getenv(isCrowd)
	if file == "" {
		return
	}
	s := httptest.NewServer(newHandler(nil, "token", file, false))
	defer s.Close()
	defer s.CloseClientConnections()
	for range 200 {
		r, err := s.Client().Get(s.URL + "/token/events")
		if err != nil {
			t.Fatal(err)
		}
		defer r.Body.Close()
		go io.Copy(io.Discard, r.Body)
	}
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
}

// BenchmarkClientsOfACampaign compares the runs per second of a campaign with and without 200 clients. The clients
// follow the campaign through a server in another process. The campaign has a worker for each processor. The
// measurements take turns, and with -benchtime 5x the result is a median of five. The clients are on the same
// machine, so their own time counts too.
func BenchmarkClientsOfACampaign(b *testing.B) {
	file, env := filepath.Join(b.TempDir(), "state.json"), []string{isViewed + "=none", "JOSTLE_OUT=" + b.TempDir()}
	subjects, err := campaign.Own(b.Context(), "tool", env, "TestWatched")
	if err != nil {
		b.Fatal(err)
	}
	o := campaign.Options{Workers: runtime.NumCPU(), For: 10 * time.Second, Seed: 1, Env: env, File: file}
	if testing.Short() {
		o.For /= 100
	}
	runs := func() float64 {
		r, err := campaign.Run(b.Context(), subjects, o)
		if err != nil {
			b.Fatal(err)
		}
		return float64(r.Outcomes[0].Runs) / r.Elapsed.Seconds()
	}
	followed := func() float64 {
		crowd := exec.Command(os.Args[0], "-test.run=^TestCrowd$")
		crowd.Env = append(os.Environ(), isCrowd+"="+campaign.LiveFile(file))
		in, err := crowd.StdinPipe()
		if err != nil {
			b.Fatal(err)
		}
		out, err := crowd.StdoutPipe()
		if err == nil {
			err = crowd.Start()
		}
		if err == nil {
			_, err = bufio.NewReader(out).ReadString('\n')
		}
		if err != nil {
			b.Fatal(err)
		}
		defer crowd.Wait()
		defer in.Close()
		return runs()
	}
	var lost []float64
	for b.Loop() {
		lost = append(lost, 100*(1-followed()/runs()))
	}
	slices.Sort(lost)
	b.ReportMetric(lost[len(lost)/2], "%-of-runs-lost")
	b.Logf("%.1f", lost)
}
