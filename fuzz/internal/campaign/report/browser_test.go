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
	result, _ := b.call("Runtime.evaluate", object{"expression": expression, "returnByValue": true})["result"].(object)
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

// tab presses the key that leads to the next place, and returns the name of the element.
func (b *browser) tab() any {
	for _, kind := range []string{"keyDown", "keyUp"} {
		b.call("Input.dispatchKeyEvent", object{"type": kind, "key": "Tab", "code": "Tab", "windowsVirtualKeyCode": 9})
	}
	return b.is(`(e => e.tagName.toLowerCase() + " " + (e.getAttribute("href") || e.getAttribute("aria-label") || ""))(document.activeElement)`)
}

// TestInABrowser: a browser shows a report, in windows of all sizes, with nothing to
// complain of, and runs nothing that a message says.
func TestInABrowser(t *testing.T) {
	b := browse(t)
	for _, name := range []string{"account", `<script>document.title="run"; alert(1)</script>`, `<img src=x onerror="document.title='run'">`, `" onload="document.title='run'`} {
		dir := t.TempDir()
		if err := made(t, name).Write(dir); err != nil {
			t.Fatal(err)
		}
		for _, size := range []struct {
			name          string
			width, height int
			theme         string
		}{{"phone", 390, 844, "dark"}, {"desktop", 1280, 800, "light"}} {
			b.open(filepath.Join(dir, HTMLFile), size.width, size.height, size.theme)
			if got := b.is("document.title"); got != "jostle: 2 failures" {
				t.Errorf("the title is %q", got)
			}
			if n := b.is(`[...document.querySelectorAll("svg")].filter(s => s.getBoundingClientRect().width > 100).length`); n != 5.0 {
				t.Errorf("%v pictures are shown, want a chart, and a curve and a matrix of two properties", n)
			}
			if n := b.is(`document.querySelectorAll("script, img").length`); n != 0.0 {
				t.Errorf("%v elements came from a text", n)
			}
			if wide, _ := b.is("document.documentElement.scrollWidth").(float64); int(wide) > size.width {
				t.Errorf("%s: the page is %v wide, the window %d", name, wide, size.width)
			}
			dark := b.is(`getComputedStyle(document.body).backgroundColor`) == "rgb(22, 25, 29)"
			if dark != (size.theme == "dark") {
				t.Errorf("in the %s it is dark: %v", size.theme, dark)
			}
			if name == "account" {
				b.keep(size.name)
			}
		}
	}
	if len(b.said) > 0 || b.dialogs > 0 {
		t.Errorf("the browser says:\n%s\nand asks %d times", strings.Join(b.said, "\n"), b.dialogs)
	}
}

// TestByKeys: all that leads somewhere or scrolls is reached by the Tab key.
func TestByKeys(t *testing.T) {
	b := browse(t)
	dir := t.TempDir()
	if err := made(t, "account").Write(dir); err != nil {
		t.Fatal(err)
	}
	b.open(filepath.Join(dir, HTMLFile), 1280, 800, "light")
	want, _ := b.is(`document.querySelectorAll("a, summary, .scroll").length`).(float64)
	reached := map[any]int{}
	for range int(want) {
		reached[b.tab()]++
	}
	for _, place := range []string{"a #property0", "a #f0n0step1", "div Chart of the messages", "div Steps", "summary ", "div Properties"} {
		if reached[place] != 1 {
			t.Errorf("%q is reached %d times by %v keys, of %v", place, reached[place], want, reached)
		}
	}
	if reached["body "] > 0 || want < 10 {
		t.Errorf("of %v places %d are none", want, reached["body "])
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
