// Skips: where there is no browser, in short mode and on systems without inherited pipes;
// `apt-get install chromium` has a browser.
package report

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/browser"
	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// A reportBrowser is a browser that shows reports from files.
type reportBrowser struct {
	*browser.Browser
	t *testing.T
}

// browse starts a browser, or skips the test.
func browse(t *testing.T) *reportBrowser {
	t.Helper()
	return &reportBrowser{browser.Start(t, "file:"), t}
}

// shown returns the number of windows in which a page is checked: all at night, two by day.
func shown() int {
	if os.Getenv("JOSTLE_NIGHTLY") == "" {
		return 2
	}
	return len(browser.Windows)
}

// problems is a script that returns what a page has that some readers cannot use: text with a contrast
// below 4.5:1, a link or an area without a name, a focus order that differs from the reading order,
// two places with one name, and what is wider than the window.
const problems = `(() => {
	const list = [], all = s => [...document.querySelectorAll(s)], canvas = document.createElement("canvas").getContext("2d", {willReadFrequently: true})
	const rgb = color => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = color; canvas.fillRect(0, 0, 1, 1); return [...canvas.getImageData(0, 0, 1, 1).data] }
	const light = c => { const [r, g, b] = c.slice(0, 3).map(v => (v /= 255) <= .04045 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4); return .2126 * r + .7152 * g + .0722 * b }
	const ground = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c[3] == 255) return c } return [255, 255, 255, 255] }
	all("body *").forEach(e => {
		if (![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim()) || !e.checkVisibility()) return
		const style = getComputedStyle(e), text = light(rgb(e.closest("svg") ? style.fill : style.color)), back = light(ground(e))
		const ratio = (Math.max(text, back) + .05) / (Math.min(text, back) + .05)
		if (ratio < 4.5 || style.opacity != 1) list.push("contrast " + ratio.toFixed(1) + ": " + e.textContent.slice(0, 40))
	})
	all("a, summary, [tabindex]").forEach(e => {
		if (!(e.getAttribute("aria-label") || e.textContent).trim()) list.push("no name: " + e.outerHTML.slice(0, 80))
		if (e.tabIndex != 0) list.push("focus order: " + e.outerHTML.slice(0, 80))
	})
	all("svg").forEach(e => { if (!e.querySelector("title")) list.push("no title: " + e.outerHTML.slice(0, 80)) })
	all(".row, .names, .pair").forEach(e => { if (e.checkVisibility() && getComputedStyle(e).direction != "ltr") list.push("direction") })
	const ids = all("[id]").map(e => e.id)
	ids.forEach((id, i) => { if (ids.indexOf(id) != i) list.push("two places: " + id) })
	all("a").forEach(e => { if (!document.getElementById(e.getAttribute("href").slice(1))) list.push("leads nowhere: " + e.getAttribute("href")) })
	if (document.documentElement.scrollWidth > innerWidth) list.push("wide: " + document.documentElement.scrollWidth)
	if (document.documentElement.lang != "en" || all("h1").length != 1 || all("main").length != 1) list.push("no language, heading or main part")
	return list.slice(0, 20).join("\n")
})()`

// TestInABrowser shows reports in a browser, in windows of several sizes. The pages cause no errors and run no
// script from a text of the program. The first window shows what failed, why, how to replay it, and how well the
// campaign searched.
func TestInABrowser(t *testing.T) {
	b := browse(t)
	for _, name := range []string{"account", `<script>document.title="run"; alert(1)</script>`, `<img src=x onerror="document.title='run'">`, `" onload="document.title='run'`} {
		path := b.written(made(t, name))
		for _, size := range browser.Windows[:shown()] {
			b.Open("file://"+path, size.Width, size.Height, size.Theme)
			if got := b.Is("document.title"); got != "jostle: 2 bugs in 1 of 3 properties, 1 new since the last report" {
				t.Errorf("the title is %q", got)
			}
			if n := b.Is(`document.querySelectorAll("script, img").length`); n != 0.0 {
				t.Errorf("%v elements came from a text", n)
			}
			b.check(name+" "+size.Name, `document.querySelectorAll("h1, .lead, .row:not(.heads) a, .row .copy, .row [data-is=cause]")`)
			b.Is(`document.querySelectorAll("details").forEach(e => e.open = true)`)
			if n := b.Is(`[...document.querySelectorAll("svg, .matrix, .steps")].filter(s => s.getBoundingClientRect().width > 100).length`); n != 5.0 {
				t.Errorf("%v pictures are shown, want the steps, and a curve and a matrix of two properties", n)
			}
			b.check(name+" "+size.Name+", all open", `[]`)
			dark := b.Is(`getComputedStyle(document.body).backgroundColor`) == "rgb(22, 25, 29)"
			if dark != strings.HasSuffix(size.Name, "dark") {
				t.Errorf("in the %s it is dark: %v", size.Theme, dark)
			}
		}
	}
	b.silent()
}

// written writes a report and returns the path of its page.
func (b *reportBrowser) written(r *Report) string {
	b.t.Helper()
	dir := b.t.TempDir()
	if err := r.Write(dir); err != nil {
		b.t.Fatal(err)
	}
	return filepath.Join(dir, HTMLFile)
}

// check fails the test if the page has problems, or if one of the first five elements of a list is hidden or
// below the first window.
func (b *reportBrowser) check(name, list string) {
	b.t.Helper()
	if text := b.Is(problems); text != "" {
		b.t.Errorf("%s:\n%v", name, text)
	}
	for _, text := range b.Violations() {
		b.t.Errorf("%s: %s", name, text)
	}
	below := `[...` + list + `].slice(0, 5).filter(e => e.getBoundingClientRect().bottom > innerHeight || !e.checkVisibility()).map(e => e.outerHTML).join("\n")`
	if text := b.Is(below); text != "" {
		b.t.Errorf("%s: not in the first window:\n%v", name, text)
	}
}

// silent fails the test if the browser has reported a problem or opened a dialog.
func (b *reportBrowser) silent() {
	b.t.Helper()
	if len(b.Said) > 0 || b.Dialogs > 0 {
		b.t.Errorf("the browser says:\n%s\nand asks %d times", strings.Join(b.Said, "\n"), b.Dialogs)
	}
}

// large returns a report with the given number of bugs. Each bug's run has the given number of steps, several
// actors and two deciding steps.
func large(t *testing.T, bugs, steps int) *Report {
	t.Helper()
	r := made(t, "account")
	f := r.Properties[0].Findings[0]
	f.Actors = []string{"test", "account.1", "account.2", "account.3", "auditor"}
	f.Steps, f.Failure, f.Cause = nil, "balance is 70, want 100", ""
	for i := range steps {
		s := record.Step{Number: i, Kind: "receive", Handler: "account.go:20", Log: []string{}, After: []string{},
			Message: record.Message{From: i % 4, To: (i*7 + 1) % 5, Label: fmt.Sprintf("deposit(amount: %d)", i), SentIn: i - 1, SentAt: "account.go:31"}}
		s.Changes = []record.Change{{Actor: f.Actors[s.To], Field: "balance", Before: fmt.Sprint(i), After: fmt.Sprint(i + 1)}}
		f.Steps = append(f.Steps, s)
	}
	first, second := steps/3, steps/2
	withdraw, read := corpus.Message{Text: "withdraw(30)", At: "account.1", Send: 1}, corpus.Message{Text: "read", At: "account.1", Send: 2}
	code := func(what string, line int) record.Excerpt {
		return record.Excerpt{What: what, At: fmt.Sprintf("account.go:%d", line), First: line - 1, Marked: line, Lines: []string{"\tcase withdraw:", "\t	a.balance -= m.amount", "\t	ctx.Send(m.to, deposit{m.amount})"}}
	}
	f.Places = []record.Place{{Send: 1, Step: first, Text: "withdraw(30)", Kind: "withdraw", Code: []record.Excerpt{code(record.Sends, 12), code(record.Handles, 31)}},
		{Send: 2, Step: second, Text: "read", Kind: "read", Code: []record.Excerpt{code(record.Sends, 40), code(record.Handles, 52)}}}
	f.Steps[first].Label, f.Steps[second].Label, f.Steps[second].Failed, f.Length = "withdraw(30)", "read", true, steps
	none, share := corpus.Share{Of: 100}, func(n int) corpus.Share { return corpus.Share{Failed: n, Of: 100} }
	f.Why = &corpus.Explanation{Orders: 12, Failing: 3, Complete: true, Exact: true, Constraints: []corpus.Constraint{{First: withdraw, Second: read}},
		Point: &corpus.Point{Step: first, Message: withdraw, Before: share(25), After: share(100), Other: &read, Instead: &none,
			Chances: []corpus.Chance{{Step: 0, Share: share(25)}, {Step: first, Share: share(25)}, {Step: first + 1, Share: share(100)}}}}
	f.Changes = []record.Change{{Actor: "account.1", Field: "balance", Before: "100", After: "70", Passing: "100"}}
	f.Passing = &record.Passing{Swaps: 1, Swapped: [][2]int{{first, second}}}
	for i := range steps {
		f.Passing.Steps = append(f.Passing.Steps, record.PassingStep{Label: f.Steps[i].Label, Step: i})
	}
	r.Properties[0].Findings = nil
	for i := range bugs {
		f.Signature, f.Line, f.Path = fmt.Sprint(i), 27+i, fmt.Sprintf("testdata/jostle/neverOverdrawn/%04x.case", 40_000+i)
		r.Properties[0].Findings = append(r.Properties[0].Findings, f)
	}
	r.Compare(made(t, "account"))
	return r
}

// painted is a script that waits for the first paint and returns its time.
const painted = `new Promise(done => new PerformanceObserver(list => done(list.getEntries()[0].startTime)).observe({type: "paint", buffered: true}))`

// TestPictures checks reports in the same way as TestInABrowser: one with one bug and, at night, one with many
// bugs and one with a long run. With -artifacts it saves pictures of them. It prints the times of the first
// paint, which depend on the load of the machine.
func TestPictures(t *testing.T) {
	b := browse(t)
	for _, c := range []struct {
		name        string
		bugs, steps int
	}{{"1-bug", 1, 30}, {"40-bugs", 40, 30}, {"10000-steps", 1, 10_000}} {
		if c.bugs+c.steps > 50 && os.Getenv("JOSTLE_NIGHTLY") == "" {
			continue
		}
		path := b.written(large(t, c.bugs, c.steps))
		for _, size := range browser.Windows[:shown()] {
			b.Open("file://"+path, size.Width, size.Height, size.Theme)
			t.Logf("%s %s: first paint after %.0f ms, loaded after %.0f ms", c.name, size.Name, b.Is(painted), b.Is(`performance.getEntriesByType("navigation")[0].loadEventEnd`))
			b.check(c.name+" "+size.Name, `document.querySelectorAll("h1, .lead, .row:not(.heads) a, .row .copy, .row [data-is=cause]")`)
			b.Keep(c.name + "-" + size.Name)
			if size.Name == "desktop-light" {
				b.Is(`document.querySelector("a[href='#f0n0']").click()`)
				if b.Is(`document.querySelector("#f0n0 .race .arrow").checkVisibility()`) != true {
					t.Errorf("%s: the row does not open the page of its bug", c.name)
				}
			}
		}
	}
	b.silent()
}

// TestByKeys: all that leads somewhere, opens or scrolls is reached by the Tab key, in the order of the
// page. Enter opens a row.
func TestByKeys(t *testing.T) {
	b := browse(t)
	b.Open("file://"+b.written(made(t, "account")), 1280, 800, "light")
	b.Is(`document.querySelectorAll("details").forEach(e => e.open = !e.matches(".step"))`)
	const wanted = `[...document.querySelectorAll("a, summary, .scroll")]`
	want, _ := b.Is(wanted + ".length").(float64)
	for i := range int(want) {
		b.Press("Tab")
		if b.Is(fmt.Sprintf("%s[%d] == document.activeElement", wanted, i)) != true {
			t.Fatalf("key %d of %v reaches %v, not %v", i+1, want, b.Is("document.activeElement.outerHTML.slice(0, 100)"), b.Is(fmt.Sprintf("%s[%d].outerHTML.slice(0, 100)", wanted, i)))
		}
	}
	if want < 10 {
		t.Errorf("only %v places", want)
	}
	b.Is(`document.querySelector("#f0n0step1 summary").focus()`)
	b.Press("Enter")
	if b.Is(`document.querySelector("#f0n0step1 .more").checkVisibility()`) != true {
		t.Error("Enter does not open a step")
	}
}

// TestTheBrowserTells: package browser reports errors on the console, uncaught exceptions and requests to
// servers. This page causes all of them.
func TestTheBrowserTells(t *testing.T) {
	b := browse(t)
	path := filepath.Join(t.TempDir(), "bad.html")
	page := `<!DOCTYPE html><title>bad</title><script>console.error("an error"); document.title = "run"; undefined.x</script><img src="http://127.0.0.1:1/x.png">`
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	b.Open("file://"+path, 390, 844, "light")
	said := strings.Join(b.Said, "\n")
	for _, want := range []string{"an error", "exceptionDetails", "asks for http://127.0.0.1:1/x.png"} {
		if !strings.Contains(said, want) {
			t.Errorf("want %s in\n%s", want, said)
		}
	}
	if b.Is("document.title") != "run" {
		t.Error("no script runs in the browser: nothing shows that ours would not")
	}
	if got := b.Violations(); os.Getenv("JOSTLE_AXE") != "" && !strings.Contains(strings.Join(got, "\n"), "image-alt: <img") {
		t.Errorf("axe-core finds only %q", got)
	}
}
