// Skips: where there is no browser, in short mode and on systems without inherited pipes;
// `apt-get install chromium` has a browser.
package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/fuzz/internal/browser"
)

// TestInABrowser: a browser shows a report, in windows of all sizes, with nothing to
// complain of, and runs nothing that a message says.
func TestInABrowser(t *testing.T) {
	b := browser.Start(t, "file:")
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
			b.Open("file://"+filepath.Join(dir, HTMLFile), size.width, size.height, size.theme)
			if got := b.Is("document.title"); got != "jostle: 2 failures" {
				t.Errorf("the title is %q", got)
			}
			if n := b.Is(`[...document.querySelectorAll("svg")].filter(s => s.getBoundingClientRect().width > 100).length`); n != 5.0 {
				t.Errorf("%v pictures are shown, want a chart, and a curve and a matrix of two properties", n)
			}
			if n := b.Is(`document.querySelectorAll("script, img").length`); n != 0.0 {
				t.Errorf("%v elements came from a text", n)
			}
			if wide, _ := b.Is("document.documentElement.scrollWidth").(float64); int(wide) > size.width {
				t.Errorf("%s: the page is %v wide, the window %d", name, wide, size.width)
			}
			dark := b.Is(`getComputedStyle(document.body).backgroundColor`) == "rgb(22, 25, 29)"
			if dark != (size.theme == "dark") {
				t.Errorf("in the %s it is dark: %v", size.theme, dark)
			}
			if name == "account" {
				b.Keep(size.name)
			}
		}
	}
	if len(b.Said) > 0 || b.Dialogs > 0 {
		t.Errorf("the browser says:\n%s\nand asks %d times", strings.Join(b.Said, "\n"), b.Dialogs)
	}
}

// TestByKeys: all that leads somewhere or scrolls is reached by the Tab key.
func TestByKeys(t *testing.T) {
	b := browser.Start(t, "file:")
	dir := t.TempDir()
	if err := made(t, "account").Write(dir); err != nil {
		t.Fatal(err)
	}
	b.Open("file://"+filepath.Join(dir, HTMLFile), 1280, 800, "light")
	want, _ := b.Is(`document.querySelectorAll("a, summary, .scroll").length`).(float64)
	reached := map[any]int{}
	for range int(want) {
		b.Press("Tab")
		reached[b.Focused()]++
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
	b := browser.Start(t, "file:")
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
}
