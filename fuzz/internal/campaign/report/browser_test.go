// Skips: where there is no browser, in short mode and on systems without inherited pipes;
// `apt-get install chromium` has a browser.
package report

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/fuzz/internal/record"
)

// A browser is one page of a Chromium without a window, driven by its DevTools protocol.
type browser struct {
	t       *testing.T
	to      *os.File
	from    *bufio.Reader
	session string
	calls   int
	said    []string // errors and what the page has written to its console
	loaded  bool
	dialogs int
}

// browse starts a browser, or skips the test.
func browse(t *testing.T) *browser {
	t.Helper()
	if testing.Short() || runtime.GOOS == "windows" {
		t.Skip("a browser is started in long mode, on systems where processes inherit pipes")
	}
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if found, err := exec.LookPath(name); err == nil && path == "" {
			path = found
		}
	}
	if path == "" {
		t.Skip("there is no browser: `apt-get install chromium` has one")
	}
	cmd := exec.Command(path, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-dev-shm-usage",
		"--disable-component-update", "--disable-sync", "--remote-debugging-pipe", "--user-data-dir="+t.TempDir(), "about:blank")
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	in, to, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	from, out, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd.ExtraFiles = []*os.File{in, out}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	in.Close()
	out.Close()
	late := time.AfterFunc(2*time.Minute, func() { cmd.Process.Kill() })
	b := &browser{t: t, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		b.call("Browser.close", nil)
		to.Close()
		cmd.Wait()
		from.Close()
		late.Stop()
	})
	target := b.call("Target.createTarget", object{"url": "about:blank"})["targetId"]
	b.session, _ = b.call("Target.attachToTarget", object{"targetId": target, "flatten": true})["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil)
	}
	return b
}

// call calls a method of the browser and returns what that does.
func (b *browser) call(method string, params object) object {
	b.t.Helper()
	b.calls++
	q := object{"id": b.calls, "method": method, "params": params}
	if b.session != "" {
		q["sessionId"] = b.session
	}
	text, err := json.Marshal(q)
	if err == nil {
		_, err = b.to.Write(append(text, 0))
	}
	if err != nil {
		b.t.Fatalf("%s: %v", method, err)
	}
	for {
		m := b.hear()
		if m.ID != b.calls {
			continue
		}
		if m.Error != nil {
			b.t.Fatalf("%s: %s", method, m.Error.Message)
		}
		return m.Result
	}
}

// A message is what the browser says.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result object
	Error  *struct{ Message string }
}

// hear reads a message, and notes what it tells of the page.
func (b *browser) hear() (m message) {
	b.t.Helper()
	text, err := b.from.ReadBytes(0)
	if err == nil {
		err = json.Unmarshal(text[:len(text)-1], &m)
	}
	if err != nil {
		b.t.Fatalf("the browser has gone: %v", err)
	}
	switch m.Method {
	case "Page.loadEventFired":
		b.loaded = true
	case "Page.javascriptDialogOpening":
		b.dialogs++
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		b.said = append(b.said, string(m.Params))
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		if json.Unmarshal(m.Params, &sent); !strings.HasPrefix(sent.Request.URL, "file:") {
			b.said = append(b.said, "asks for "+sent.Request.URL)
		}
	}
	return m
}

// open shows a file in a window of a size, in the light or the dark.
func (b *browser) open(path string, width, height int, theme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
	b.call("Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": theme}}})
	b.loaded = false
	b.call("Page.navigate", object{"url": "file://" + path})
	for !b.loaded {
		b.hear()
	}
}

// is returns what an expression is in the page.
func (b *browser) is(expression string) any {
	b.t.Helper()
	result, _ := b.call("Runtime.evaluate", object{"expression": expression, "returnByValue": true, "awaitPromise": true})["result"].(object)
	return result["value"]
}

// keep keeps a picture of the page: `go test -artifacts -outputdir folder` does for good.
func (b *browser) keep(name string) {
	b.t.Helper()
	data, _ := b.call("Page.captureScreenshot", object{"captureBeyondViewport": true})["data"].(string)
	picture, err := base64.StdEncoding.DecodeString(data)
	if err == nil && len(picture) < 1000 {
		err = fmt.Errorf("a picture of %d bytes", len(picture))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(b.t.ArtifactDir(), name+".png"), picture, 0o644)
	}
	if err != nil {
		b.t.Error(err)
	}
}

// press presses and releases a key.
func (b *browser) press(key string, code int) {
	for _, kind := range []string{"keyDown", "keyUp"} {
		press := object{"type": kind, "key": key, "code": key, "windowsVirtualKeyCode": code}
		if key == "Enter" && kind == "keyDown" {
			press["text"] = "\r"
		}
		b.call("Input.dispatchKeyEvent", press)
	}
}

// windows are the sizes and themes in which pages are checked.
var windows = []struct {
	name          string
	width, height int
	theme         string
}{{"phone-dark", 390, 844, "dark"}, {"phone-light", 390, 844, "light"}, {"desktop-dark", 1280, 800, "dark"}, {"desktop-light", 1280, 800, "light"}}

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

// TestInABrowser: a browser shows a report, in windows of all sizes, with nothing to complain of, and
// runs nothing that a message says. The first window shows what failed, why, how to run it again and
// how well was searched.
func TestInABrowser(t *testing.T) {
	b := browse(t)
	for _, name := range []string{"account", `<script>document.title="run"; alert(1)</script>`, `<img src=x onerror="document.title='run'">`, `" onload="document.title='run'`} {
		path := b.written(made(t, name))
		for _, size := range windows {
			b.open(path, size.width, size.height, size.theme)
			if got := b.is("document.title"); got != "jostle: 2 bugs in 1 of 3 properties, 1 new since the last report" {
				t.Errorf("the title is %q", got)
			}
			if n := b.is(`document.querySelectorAll("script, img").length`); n != 0.0 {
				t.Errorf("%v elements came from a text", n)
			}
			b.check(name+" "+size.name, `document.querySelectorAll("h1, .lead, .row:not(.heads) a, .row .copy, .row [data-is=cause]")`)
			b.is(`document.querySelectorAll("details").forEach(e => e.open = true)`)
			if n := b.is(`[...document.querySelectorAll("svg, .matrix, .steps")].filter(s => s.getBoundingClientRect().width > 100).length`); n != 5.0 {
				t.Errorf("%v pictures are shown, want the steps, and a curve and a matrix of two properties", n)
			}
			b.check(name+" "+size.name+", all open", `[]`)
			dark := b.is(`getComputedStyle(document.body).backgroundColor`) == "rgb(22, 25, 29)"
			if dark != strings.HasSuffix(size.name, "dark") {
				t.Errorf("in the %s it is dark: %v", size.theme, dark)
			}
		}
	}
	b.silent()
}

// written writes a report and returns the path of its page.
func (b *browser) written(r *Report) string {
	b.t.Helper()
	dir := b.t.TempDir()
	if err := r.Write(dir); err != nil {
		b.t.Fatal(err)
	}
	return filepath.Join(dir, HTMLFile)
}

// check reports problems of a page, and those first elements of a list that are not in the window.
func (b *browser) check(name, list string) {
	b.t.Helper()
	if text := b.is(problems); text != "" {
		b.t.Errorf("%s:\n%v", name, text)
	}
	below := `[...` + list + `].slice(0, 5).filter(e => e.getBoundingClientRect().bottom > innerHeight || !e.checkVisibility()).map(e => e.outerHTML).join("\n")`
	if text := b.is(below); text != "" {
		b.t.Errorf("%s: not in the first window:\n%v", name, text)
	}
}

// silent reports what the browser has complained of.
func (b *browser) silent() {
	b.t.Helper()
	if len(b.said) > 0 || b.dialogs > 0 {
		b.t.Errorf("the browser says:\n%s\nand asks %d times", strings.Join(b.said, "\n"), b.dialogs)
	}
}

// large returns a report with some bugs, whose runs have some steps and actors. Two steps decide.
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

// TestPictures: reports with one bug, with many and with a long run pass the same checks, and the first
// window shows the same. Their pictures are kept with -artifacts. The times of the first paint are
// printed; the pages are measured on a machine that may do other work.
func TestPictures(t *testing.T) {
	b := browse(t)
	for _, c := range []struct {
		name        string
		bugs, steps int
	}{{"1-bug", 1, 30}, {"40-bugs", 40, 30}, {"10000-steps", 1, 10_000}} {
		path := b.written(large(t, c.bugs, c.steps))
		for _, size := range windows {
			b.open(path, size.width, size.height, size.theme)
			t.Logf("%s %s: first paint after %.0f ms, loaded after %.0f ms", c.name, size.name, b.is(painted), b.is(`performance.getEntriesByType("navigation")[0].loadEventEnd`))
			b.check(c.name+" "+size.name, `document.querySelectorAll("h1, .lead, .row:not(.heads) a, .row .copy, .row [data-is=cause]")`)
			b.keep(c.name + "-" + size.name)
			if size.name == "desktop-light" {
				b.is(`document.querySelector("a[href='#f0n0']").click()`)
				if b.is(`document.querySelector("#f0n0 .race .arrow").checkVisibility()`) != true {
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
	b.open(b.written(made(t, "account")), 1280, 800, "light")
	b.is(`document.querySelectorAll("details").forEach(e => e.open = !e.matches(".step"))`)
	const wanted = `[...document.querySelectorAll("a, summary, .scroll")]`
	want, _ := b.is(wanted + ".length").(float64)
	for i := range int(want) {
		b.press("Tab", 9)
		if b.is(fmt.Sprintf("%s[%d] == document.activeElement", wanted, i)) != true {
			t.Fatalf("key %d of %v reaches %v, not %v", i+1, want, b.is("document.activeElement.outerHTML.slice(0, 100)"), b.is(fmt.Sprintf("%s[%d].outerHTML.slice(0, 100)", wanted, i)))
		}
	}
	if want < 10 {
		t.Errorf("only %v places", want)
	}
	b.is(`document.querySelector("#f0n0step1 summary").focus()`)
	b.press("Enter", 13)
	if b.is(`document.querySelector("#f0n0step1 .more").checkVisibility()`) != true {
		t.Error("Enter does not open a step")
	}
}

// TestTheBrowserTells: what a page does that ours must not is noticed.
func TestTheBrowserTells(t *testing.T) {
	b := browse(t)
	path := filepath.Join(t.TempDir(), "bad.html")
	page := `<!DOCTYPE html><title>bad</title><script>console.error("an error"); document.title = "run"; undefined.x</script><img src="http://127.0.0.1:1/x.png">`
	if err := os.WriteFile(path, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	b.open(path, 390, 844, "light")
	said := strings.Join(b.said, "\n")
	for _, want := range []string{"an error", "exceptionDetails", "asks for http://127.0.0.1:1/x.png"} {
		if !strings.Contains(said, want) {
			t.Errorf("want %s in\n%s", want, said)
		}
	}
	if b.is("document.title") != "run" {
		t.Error("no script runs in the browser: nothing shows that ours would not")
	}
}
