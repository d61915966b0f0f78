package view

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// newHandler returns a handler for two questions: q, and w, whose answer changes files.
func newHandler(file string) *Handler {
	return &Handler{Token: "secret", Questions: map[string]bool{"q": false, "w": true}, Write: true, Feed: &Feed{Path: file, Every: time.Millisecond},
		Ask: func(_ context.Context, question string, arguments []byte) ([]byte, error) {
			if string(arguments) == "bad" {
				return nil, errors.New("<b>worker died</b>")
			}
			return fmt.Appendf(nil, `{"asked": %q}`, question+string(arguments)), nil
		}}
}

// TestWhoIsAnswered: a request needs the token, the name of this machine and the right method. One
// that changes files must come from a page of the server, and the server must allow it.
func TestWhoIsAnswered(t *testing.T) {
	const here = "127.0.0.1:80"
	for _, c := range []struct {
		method, path, host, origin string
		code                       int
		text                       string
	}{
		{"GET", "/secret/", here, "", 200, "<!DOCTYPE html>"},
		{"GET", "/secret/view.js", "localhost:80", "", 200, `"use strict"`},
		{"GET", "/secret/view.css", "[::1]:80", "", 200, ":root"},
		{"GET", "/secret/settings", "localhost", "", 200, `{"write":true}`},
		{"GET", "/secret/ask/q?arguments=%7B%7D", here, "", 200, `{"asked":"q{}"}`},
		{"GET", "/secret/ask/q?arguments=bad", here, "", 200, `{"error":"\u003cb\u003eworker died\u003c/b\u003e"}`},
		{"POST", "/secret/ask/w", here, "http://" + here, 200, `{"asked":"wbody"}`},

		{"GET", "/", here, "", 403, "token"},
		{"GET", "/secre/", here, "", 403, "token"},
		{"GET", "/secrets/", here, "", 403, "token"},
		{"GET", "//secret/", here, "", 403, "token"},
		{"GET", "/view.js", here, "", 403, "token"},
		{"GET", "/events", here, "", 403, "token"},
		{"GET", "/ask/q?token=secret", here, "", 403, "token"},
		{"GET", "/secret/", "evil.example", "", 403, "this machine"},
		{"GET", "/secret/", "127.0.0.1.evil.example:80", "", 403, "this machine"},
		{"GET", "/secret/", "localhost.evil.example", "", 403, "this machine"},
		{"GET", "/secret/", "", "", 403, "this machine"},
		{"POST", "/secret/ask/w", here, "", 403, "only the pages"},
		{"POST", "/secret/ask/w", here, "null", 403, "only the pages"},
		{"POST", "/secret/ask/w", here, "http://evil.example", 403, "only the pages"},
		{"POST", "/secret/ask/w", here, "http://127.0.0.1:81", 403, "only the pages"},
		{"OPTIONS", "/secret/ask/w", here, "http://evil.example", 403, "only the pages"},
		{"GET", "/secret/ask/w", here, "", 405, "method"},
		{"POST", "/secret/ask/q", here, "http://" + here, 405, "method"},
		{"POST", "/secret/", here, "http://" + here, 405, "method"},
		{"GET", "/secret/ask/none", here, "", 404, "question"},
		{"GET", "/secret/none", here, "", 404, "page"},
		{"GET", "/secret/../view.go", here, "", 404, "page"},
	} {
		r := httptest.NewRequest(c.method, c.path, strings.NewReader("body"))
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		newHandler("").ServeHTTP(w, r)
		if w.Code != c.code || !strings.Contains(w.Body.String(), c.text) {
			t.Errorf("%+v: %d\n%.300s", c, w.Code, w.Body)
		}
		for name := range w.Header() {
			if strings.HasPrefix(name, "Access-Control") {
				t.Errorf("%+v: %s", c, name)
			}
		}
		if w.Header().Get("Content-Security-Policy") != policy {
			t.Errorf("%+v: no policy", c)
		}
	}
}

// TestReadOnly: if the handler may not write, it refuses exactly the questions that change files.
// Without a token it refuses every request.
func TestReadOnly(t *testing.T) {
	h := newHandler("")
	h.Write = false
	try := func(method, path, body string) int {
		r, w := httptest.NewRequest(method, path, strings.NewReader(body)), httptest.NewRecorder()
		r.Host = "127.0.0.1"
		r.Header.Set("Origin", "http://127.0.0.1")
		h.ServeHTTP(w, r)
		return w.Code
	}
	if get, post := try("GET", "/secret/ask/q", ""), try("POST", "/secret/ask/w", ""); get != 200 || post != 403 {
		t.Errorf("read-only: %d, %d", get, post)
	}
	h.Write = true
	if long, short := try("POST", "/secret/ask/w", strings.Repeat("x", mostArguments+1)), try("POST", "/secret/ask/w", "x"); long != 413 || short != 200 {
		t.Errorf("long arguments: %d, short ones: %d", long, short)
	}
	h.Token = ""
	if empty := try("GET", "/", ""); empty != 403 {
		t.Errorf("without a token: %d", empty)
	}
}

// TestPagesAreStrict: the pages use nothing that their content policy forbids, never insert a text
// as markup, and refer to no other server.
func TestPagesAreStrict(t *testing.T) {
	for name, forbidden := range map[string]string{
		"view.html": `(?i)<style|<script>| on\w+=| style=|<img|<iframe|https?:`,
		"view.css":  `(?i)@import|url\(|https?:`,
		"view.js":   `innerHTML|outerHTML|insertAdjacentHTML|document\.write|eval\(|Function\(|https?:|"(href|src)", `,
	} {
		text, err := static.ReadFile(name)
		if err != nil || len(text) < 1000 {
			t.Fatal(name, err)
		}
		own := strings.ReplaceAll(string(text), `"http://www.w3.org/2000/svg"`, "") // the SVG namespace, which browsers do not fetch
		if found := regexp.MustCompile(forbidden).FindAllString(own, -1); len(found) > 0 {
			t.Errorf("%s has %q", name, found)
		}
	}
}

// A client receives server-sent events.
type client struct {
	body   io.ReadCloser
	events *bufio.Scanner
}

func connect(t testing.TB, s *httptest.Server) *client {
	t.Helper()
	r, err := s.Client().Get(s.URL + "/secret/events")
	if err != nil || r.StatusCode != 200 || r.Header.Get("Content-Type") != "text/event-stream" {
		t.Fatal(r, err)
	}
	t.Cleanup(func() { r.Body.Close() })
	c := &client{r.Body, bufio.NewScanner(r.Body)}
	c.events.Buffer(nil, mostFeed)
	return c
}

// next returns the campaign in the next message.
func (c *client) next(t testing.TB) string {
	t.Helper()
	for c.events.Scan() {
		if _, data, ok := strings.Cut(c.events.Text(), `,"campaign":`); ok {
			return strings.TrimSuffix(data, "}")
		}
	}
	t.Fatal("the connection ended:", c.events.Err())
	return ""
}

// until reads messages until one has the given text.
func (c *client) until(t testing.TB, want string) {
	t.Helper()
	for got := ""; got != want; got = c.next(t) {
	}
}

// put replaces a file, as campaigns do.
func put(t testing.TB, path, text string) {
	t.Helper()
	if err := os.WriteFile(path+".tmp", []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		t.Fatal(err)
	}
}

// TestFeed: each client receives the file at once and whenever the file changes, also after it
// connects again. For a missing or incomplete file a client receives null. While there are no
// clients, nobody reads the file.
func TestFeed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "live.json")
	h := newHandler(path)
	s := httptest.NewServer(h)
	defer s.Close()
	a := connect(t, s)
	if got := a.next(t); got != "null" {
		t.Errorf("without a file: %s", got)
	}
	put(t, path, "{\"n\":\n 1}\n")
	a.until(t, `{"n":1}`)
	b := connect(t, s)
	if got := b.next(t); got != `{"n":1}` {
		t.Errorf("the second client receives %s", got)
	}
	a.body.Close()
	put(t, path, `{"n":22}`)
	b.until(t, `{"n":22}`)
	s.CloseClientConnections()
	put(t, path, `{"n":333}`)
	a = connect(t, s)
	a.until(t, `{"n":333}`)
	put(t, path, `{"n":`)
	a.until(t, "null")
	put(t, path, `{"n":"\u003cb>"}`)
	a.until(t, `{"n":"\u003cb>"}`)
	a.body.Close()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		h.Feed.mu.Lock()
		polling := h.Feed.polling
		h.Feed.mu.Unlock()
		if !polling {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("the file is read for nobody")
		}
	}
}

// TestCrowdOfClients: when there are too many clients, further ones are refused until a client
// leaves.
func TestCrowdOfClients(t *testing.T) {
	f := &Feed{}
	var list []chan []byte
	for range mostClients {
		list = append(list, f.join())
	}
	w := httptest.NewRecorder()
	if f.serve(w, httptest.NewRequest("GET", "/", nil)); w.Code != http.StatusServiceUnavailable {
		t.Errorf("one too many: %d", w.Code)
	}
	f.leave(list[0])
	if f.join() == nil {
		t.Error("nobody takes the place of a client that left")
	}
	for c := range f.clients {
		f.leave(c)
	}
}
