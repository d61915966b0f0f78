// Package browser drives a browser for tests of pages. Only tests import this package.
//
// Skips: where there is no browser, in short mode and on systems without inherited pipes;
// `apt-get install chromium` has a browser.
package browser

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

// An Object is a JSON object of the DevTools protocol.
type Object = map[string]any

// A Browser is one page of a Chromium without a window, driven by its DevTools protocol.
type Browser struct {
	// Said has what the page has written to its console, its errors, and its requests for URLs that
	// do not begin with the parameter own of Start.
	Said []string
	// Dialogs is the number of dialogs that the page has opened.
	Dialogs int

	t       *testing.T
	own     string
	to      *os.File
	from    *bufio.Reader
	session string
	calls   int
	loaded  bool
}

// Windows are the sizes and themes in which pages are checked. The first two have each size and each theme.
var Windows = []struct {
	Name          string
	Width, Height int
	Theme         string
}{{"phone-dark", 390, 844, "dark"}, {"desktop-light", 1280, 800, "light"}, {"phone-light", 390, 844, "light"}, {"desktop-dark", 1280, 800, "dark"}}

// Start starts a browser, or skips the test if there is none, in short mode, and on systems without
// inherited pipes. Pages may request URLs that begin with own.
func Start(t *testing.T, own string) *Browser {
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
	late := time.AfterFunc(3*time.Minute, func() { cmd.Process.Kill() })
	b := &Browser{t: t, own: own, to: to, from: bufio.NewReader(from)}
	t.Cleanup(func() {
		b.session = ""
		b.Call("Browser.close", nil)
		to.Close()
		cmd.Wait()
		from.Close()
		late.Stop()
	})
	target := b.Call("Target.createTarget", Object{"url": "about:blank"})["targetId"]
	b.session, _ = b.Call("Target.attachToTarget", Object{"targetId": target, "flatten": true})["sessionId"].(string)
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.Call(domain+".enable", nil)
	}
	return b
}

// Call calls a method of the protocol and returns its result.
func (b *Browser) Call(method string, params Object) Object {
	b.t.Helper()
	b.calls++
	q := Object{"id": b.calls, "method": method, "params": params}
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

// A message is a message of the browser.
type message struct {
	ID     int
	Method string
	Params json.RawMessage
	Result Object
	Error  *struct{ Message string }
}

// hear reads a message, and records what it says about the page.
func (b *Browser) hear() (m message) {
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
		b.Dialogs++
	case "Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded":
		b.Said = append(b.Said, string(m.Params))
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		if json.Unmarshal(m.Params, &sent); !strings.HasPrefix(sent.Request.URL, b.own) {
			b.Said = append(b.Said, "asks for "+sent.Request.URL)
		}
	}
	return m
}

// Open shows the page of a URL in a window of the given size, with a light or a dark theme.
func (b *Browser) Open(url string, width, height int, theme string) {
	b.t.Helper()
	b.Call("Emulation.setDeviceMetricsOverride", Object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
	b.Call("Emulation.setEmulatedMedia", Object{"features": []Object{{"name": "prefers-color-scheme", "value": theme}}})
	b.loaded = false
	b.Call("Page.navigate", Object{"url": url})
	for !b.loaded {
		b.hear()
	}
}

// Is returns the value of an expression in the page. If it is a promise, Is waits for it.
func (b *Browser) Is(expression string) any {
	b.t.Helper()
	result, _ := b.Call("Runtime.evaluate", Object{"expression": expression, "returnByValue": true, "awaitPromise": true})["result"].(Object)
	return result["value"]
}

// Until waits until an expression in the page is true.
func (b *Browser) Until(expression string) {
	b.t.Helper()
	for end := time.Now().Add(time.Minute); b.Is(expression) != true; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			b.t.Fatalf("it did not come true: %s\n%s", expression, strings.Join(b.Said, "\n"))
		}
	}
}

// Keep saves a picture of the page as an artifact of the test.
func (b *Browser) Keep(name string) {
	b.t.Helper()
	data, _ := b.Call("Page.captureScreenshot", Object{"captureBeyondViewport": true})["data"].(string)
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

// Press presses a key: a character, or the name of a key such as Tab.
func (b *Browser) Press(key string) {
	codes := map[string]int{"Tab": 9, "Enter": 13, "Escape": 27}
	down := Object{"type": "keyDown", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]}
	if len(key) == 1 {
		down["text"] = key
	} else if key == "Enter" {
		down["text"] = "\r"
	}
	b.Call("Input.dispatchKeyEvent", down)
	b.Call("Input.dispatchKeyEvent", Object{"type": "keyUp", "key": key, "code": key, "windowsVirtualKeyCode": codes[key]})
}

// PressUntil presses a key until an expression in the page is true.
func (b *Browser) PressUntil(key, expression string) {
	b.t.Helper()
	for range 200 {
		if b.Is(expression) == true {
			return
		}
		b.Press(key)
	}
	b.t.Fatalf("%s is pressed 200 times, and this did not come true: %s", key, expression)
}

// Focused describes the element that has the focus: its tag, and its href or label.
func (b *Browser) Focused() any {
	return b.Is(`(e => e.tagName.toLowerCase() + " " + (e.getAttribute("href") || e.getAttribute("aria-label") || ""))(document.activeElement)`)
}

// Obstacles returns what makes the page hard to use: controls without a name, and texts with a
// contrast below 4.5, which is the least that the Web Content Accessibility Guidelines (level AA)
// allow.
func (b *Browser) Obstacles() (list []string) {
	found, _ := b.Is(`(() => {
	const shown = e => e.checkVisibility({visibilityProperty: true}), list = [];
	const name = e => e.getAttribute("aria-label") || e.textContent.trim() || (e.labels && e.labels.length ? e.labels[0].textContent.trim() : "") || e.title;
	for (const e of document.querySelectorAll("a, button, input, select, summary, [tabindex='0']")) if (shown(e) && !name(e)) list.push("no name: " + e.outerHTML.slice(0, 100));
	const rgb = text => (text.match(/[\d.]+/g) || [0, 0, 0, 0]).map(Number);
	const light = c => { const [r, g, b] = c.map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
	const behind = e => { for (; e; e = e.parentElement) { const c = rgb(getComputedStyle(e).backgroundColor); if (c.length < 4 || c[3] === 1) return c; } return [255, 255, 255]; };
	for (const e of document.querySelectorAll("body *")) {
		if (!shown(e) || e.disabled || ![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
		const style = getComputedStyle(e), text = light(rgb(e instanceof SVGElement ? style.fill : style.color)), back = light(behind(e));
		const contrast = (Math.max(text, back) + 0.05) / (Math.min(text, back) + 0.05);
		if (contrast < 4.5) list.push("contrast " + contrast.toFixed(1) + ": " + e.tagName + " " + e.textContent.slice(0, 40));
	}
	return list;
})()`).([]any)
	for _, text := range found {
		list = append(list, fmt.Sprint(text))
	}
	return list
}

// Violations returns the accessibility problems that axe-core finds in the page, if JOSTLE_AXE is the path
// of its file axe.min.js. These are violated rules of the Web Content Accessibility Guidelines (levels A
// and AA) and of best practice. Violations first hides the folded parts of the page with display: none.
// Otherwise the browser lays them out again for each element, and a page with 40 bugs takes a minute.
func (b *Browser) Violations() (list []string) {
	b.t.Helper()
	path := os.Getenv("JOSTLE_AXE")
	if path == "" {
		return nil
	}
	axe, err := os.ReadFile(path)
	if err != nil {
		b.t.Fatal(err)
	}
	if b.Is("typeof axe") != "object" {
		b.Is(string(axe))
	}
	found, ok := b.Is(`(async () => {
	const folded = new CSSStyleSheet()
	folded.replaceSync("details:not([open]) > :not(summary) { display: none !important }")
	document.adoptedStyleSheets = [folded]
	const r = await axe.run({resultTypes: ["violations"]})
	document.adoptedStyleSheets = []
	return r.violations.flatMap(v => v.nodes.map(n => v.id + ": " + n.html.slice(0, 160) + " " + n.failureSummary))
})()`).([]any)
	if !ok {
		b.t.Fatalf("axe-core in %s does not run", path)
	}
	for _, text := range found {
		list = append(list, fmt.Sprint(text))
	}
	return list
}
