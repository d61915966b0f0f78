// Package view is the server of jostle view: pages for a browser that show a campaign while it runs,
// and runs of properties step by step.
//
// The server is for one user of this machine. All paths begin with a secret token. The pages load
// nothing from elsewhere, and set all texts as text, so no name or message of a program can run a
// script.
package view

import (
	"context"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"path"
	"strings"
)

//go:embed view.html view.css view.js
var static embed.FS

// A Handler serves the pages.
type Handler struct {
	// Token is the first element of all paths. Requests without it are refused.
	Token string
	// Questions maps the names of questions to whether the answer changes files.
	Questions map[string]bool
	// Write allows questions whose answers change files.
	Write bool
	// Ask answers a question, as JSON. The arguments are a JSON object.
	Ask func(ctx context.Context, question string, arguments []byte) ([]byte, error)
	// Feed shows a campaign.
	Feed *Feed
}

// mostArguments limits the size of the arguments of a question, in bytes.
const mostArguments = 16 << 10

// policy is the Content-Security-Policy of all pages.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// ServeHTTP answers a request. It first checks that a page of this server or the user has sent it.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	for name, value := range map[string]string{"Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer",
		"Cache-Control": "no-store", "Cross-Origin-Resource-Policy": "same-origin", "Cross-Origin-Opener-Policy": "same-origin"} {
		w.Header().Set(name, value)
	}
	_, rest, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	switch {
	case !isLocal(r.Host):
		http.Error(w, "this server is only for this machine", http.StatusForbidden)
	case !h.Admits(r):
		http.Error(w, "the URL must have the token that jostle view has printed", http.StatusForbidden)
	case r.Method != http.MethodGet && r.Header.Get("Origin") != "http://"+r.Host:
		http.Error(w, "only the pages of this server may do this", http.StatusForbidden)
	default:
		h.serve(w, r, rest)
	}
}

// Admits reports whether the URL of a request has the token.
func (h *Handler) Admits(r *http.Request) bool {
	token, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "/")
	return h.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(h.Token)) == 1
}

// isLocal reports whether a Host header names this machine. A page from elsewhere can make its own
// name an address of this machine, but cannot change the header.
func isLocal(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return host == "127.0.0.1" || host == "localhost" || host == "::1" || host == "[::1]"
}

// serve answers a request for a path below the token.
func (h *Handler) serve(w http.ResponseWriter, r *http.Request, below string) {
	question, asks := strings.CutPrefix(below, "ask/")
	writes, known := h.Questions[question]
	switch {
	case asks && !known:
		http.Error(w, "there is no such question", http.StatusNotFound)
	case asks && writes != (r.Method == http.MethodPost), !asks && r.Method != http.MethodGet:
		http.Error(w, "wrong method", http.StatusMethodNotAllowed)
	case asks && writes && !h.Write:
		http.Error(w, "this view is read-only: start jostle view in a terminal or with --write", http.StatusForbidden)
	case asks:
		h.ask(w, r, question)
	case below == "events":
		h.Feed.serve(w, r)
	case below == "settings":
		writeJSON(w, map[string]bool{"write": h.Write})
	default:
		serveStatic(w, below)
	}
}

// types are the content types of the files. The system's tables may have wrong types, with which a
// browser would refuse a script.
var types = map[string]string{".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}

// serveStatic writes a file of the pages.
func serveStatic(w http.ResponseWriter, name string) {
	if name == "" {
		name = "view.html"
	}
	text, err := static.ReadFile(name)
	if err != nil {
		http.Error(w, "there is no such page", http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", types[path.Ext(name)])
	w.Write(text)
}

// ask answers a question. A question without an answer is no error of the server, so the text of its
// error is sent as an answer.
func (h *Handler) ask(w http.ResponseWriter, r *http.Request, question string) {
	arguments := []byte(r.URL.Query().Get("arguments"))
	if r.Method == http.MethodPost {
		var err error
		if arguments, err = io.ReadAll(http.MaxBytesReader(w, r.Body, mostArguments)); err != nil {
			http.Error(w, "the arguments are too long", http.StatusRequestEntityTooLarge)
			return
		}
	}
	answer, err := h.Ask(r.Context(), question, arguments)
	if err != nil {
		writeJSON(w, map[string]string{"error": err.Error()})
		return
	}
	writeJSON(w, json.RawMessage(answer))
}

func writeJSON(w http.ResponseWriter, value any) {
	w.Header().Set("Content-Type", "application/json")
	json.NewEncoder(w).Encode(value) // the client has gone if this fails
}
