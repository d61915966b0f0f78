package tool

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"html"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/campaign/report"
	"github.com/jostle-go/jostle/fuzz/internal/desk"
	"github.com/jostle-go/jostle/fuzz/internal/view"
)

// A viewer holds the flags of the command view.
type viewer struct {
	questioner
	night
	port   int
	write  bool
	browse bool
}

// newView returns the command that shows campaigns and runs in a browser.
func newView() *Command {
	v := &viewer{questioner: questioner{requests: 2}}
	cmd := &Command{
		Use:   "view [packages | case | folder of a report]",
		Short: "Show campaigns and runs in a browser, and step through them",
		Long: `View starts a server for a browser on this machine, and prints its URL. The pages show the
properties of the packages with their saved cases, and the campaign of jostle fuzz for the
same packages, while it runs and afterwards. Each run can be followed step by step: the
message, the state before and after, and what else could have come. Take another message,
and see the run that follows. Ask how many of 50 random continuations fail, and why a run
fails. The key ? lists the keys. Keys suffice for everything.

The URL has a random token, and the server refuses requests without it. The pages load
nothing from elsewhere. They can search and save cases only if the command was started in a
terminal, or with --write. Ctrl-C ends the server; so does the end of its input, if that is
a pipe. With the folder of a report, the pages show the campaign and packages of the report. With
the file of a case, they show its run.`,
		Example: "  jostle view ./...\n  jostle view ./bank --port 8080 --open\n  jostle view nightly    # the folder of jostle fuzz --report nightly\n  jostle view bank/testdata/jostle/neverOverdrawn/ce2db3.case",
		Run:     v.run,
	}
	v.questioner.flags(cmd)
	v.testsFlag(cmd)
	v.night.flags(cmd)
	f := cmd.Flags()
	f.IntVar(&v.port, "port", 0, "the port on 127.0.0.1; 0 is any free port")
	f.BoolVar(&v.write, "write", false, "allow the pages to search and to save cases; the default in a terminal")
	f.BoolVar(&v.browse, "open", false, "open the pages in the browser of this machine")
	return cmd
}

func (v *viewer) run(call *Call, args []string) error {
	at := ""
	if len(args) == 1 && desk.IsCase(args[0]) {
		path, dir, err := caseFile(args)
		if err != nil {
			return err
		}
		args, at = []string{dir}, "#run/"+desk.IDOf(path)
	}
	v.call, v.patterns = call, args
	defer v.close()
	file, done, err := v.campaignOf(args)
	defer done()
	if err != nil {
		return err
	}
	if err := v.use(call.Context, func(*desk.Desk) error { return nil }); err != nil { // compile now, so that errors of the compiler are printed in the terminal
		return err
	}
	listener, err := net.Listen("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(v.port)))
	if err != nil {
		return fmt.Errorf("cannot serve on port %d: %w", v.port, err)
	}
	h := newHandler(v.Ask, rand.Text(), file, v.write || call.keyboard() != nil)
	url := fmt.Sprintf("http://%s/%s/%s", listener.Addr(), h.Token, at)
	fmt.Fprintf(call.Out, "view: %s\n(Ctrl-C ends it)\n", url)
	if !v.browse {
		return serveUntilEnd(call, listener, h)
	}
	remove, err := openBrowser(url)
	defer remove()
	if err != nil {
		fmt.Fprintf(call.Err, "no browser was opened: %v\n", err)
	}
	return serveUntilEnd(call, listener, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if h.Admits(r) {
			remove()
		}
		h.ServeHTTP(w, r)
	}))
}

// newHandler returns the handler of the pages. The file shows a campaign.
func newHandler(ask func(context.Context, string, []byte) ([]byte, error), token, file string, write bool) *view.Handler {
	h := &view.Handler{Token: token, Questions: map[string]bool{}, Write: write, Ask: ask, Feed: &view.Feed{Path: file}}
	for _, q := range Questions() {
		h.Questions[q.Name] = q.Writes
	}
	return h
}

// campaignOf returns the file that shows the campaign of packages. If args is the folder of a report,
// it chooses the packages of the report. The caller must call done.
func (v *viewer) campaignOf(args []string) (file string, done func(), err error) {
	done = func() {}
	if len(args) == 1 {
		if _, err := os.Stat(filepath.Join(args[0], report.JSONFile)); err == nil {
			r, err := report.Read(args[0])
			if err != nil {
				return "", done, err
			}
			return v.showReport(r)
		}
	}
	state, err := stateFile(v.state, args)
	return campaign.LiveFile(state), done, err
}

// showReport chooses the packages of a report, and writes its campaign to a temporary file.
func (v *viewer) showReport(r *report.Report) (file string, done func(), err error) {
	v.patterns = nil
	for i := range r.Properties {
		if p := r.Properties[i].Package; !slices.Contains(v.patterns, p) {
			v.patterns = append(v.patterns, p)
		}
	}
	dir, err := os.MkdirTemp("", "jostle-view-")
	if err != nil {
		return "", func() {}, err
	}
	done = func() { os.RemoveAll(dir) }
	file = filepath.Join(dir, "report.json")
	text, err := json.Marshal(r.Live())
	if err == nil {
		err = os.WriteFile(file, text, 0o600)
	}
	return file, done, err
}

// serveUntilEnd serves requests until the context of the call is done, or until the input ends if
// it is a pipe. Those who start the command as a part of another program end it in this way.
func serveUntilEnd(call *Call, listener net.Listener, h http.Handler) error {
	ctx, cancel := context.WithCancel(call.Context)
	defer cancel()
	if in, ok := call.In.(*os.File); ok {
		if info, err := in.Stat(); err == nil && info.Mode()&fs.ModeNamedPipe != 0 {
			go func() {
				io.Copy(io.Discard, in)
				cancel()
			}()
		}
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second, MaxHeaderBytes: 64 << 10, BaseContext: func(net.Listener) context.Context { return ctx }}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// openBrowser shows a URL in the browser of this machine. Other users can read the arguments of the process
// that opens the browser. So they name a file that only this user can read, and that leads to the URL. The
// function remove removes the file.
func openBrowser(url string) (remove func(), err error) {
	path, err := writeDoor(url)
	remove = sync.OnceFunc(func() { os.Remove(path) })
	if err != nil {
		return remove, err
	}
	command := []string{"xdg-open"}
	switch runtime.GOOS {
	case "darwin":
		command = []string{"open"}
	case "windows":
		command = []string{"rundll32", "url.dll,FileProtocolHandler"}
	}
	cmd := exec.Command(command[0], append(command[1:], path)...)
	if err := cmd.Start(); err != nil {
		return remove, err
	}
	go cmd.Wait()
	return remove, nil
}

// writeDoor writes a page that leads to a URL, with mode 0600. It prefers the user's home folder, because
// browsers in a sandbox can read neither hidden folders nor those for temporary files.
func writeDoor(url string) (path string, err error) {
	home, err := os.UserHomeDir()
	var f *os.File
	if err == nil {
		f, err = os.CreateTemp(home, "jostle-view-*.html")
	}
	if err != nil {
		f, err = os.CreateTemp("", "jostle-view-*.html")
	}
	if err != nil {
		return "", err
	}
	to := html.EscapeString(url)
	_, err = fmt.Fprintf(f, "<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>jostle view</title>\n<a href=\"%s\">jostle view</a>\n", to, to)
	return f.Name(), errors.Join(err, f.Close())
}
