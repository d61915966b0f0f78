package view

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"sync"
	"time"
)

// A Feed sends the content of a file to all clients, again whenever the file changes. One goroutine
// reads the file for all of them, and only while there are clients. The more clients there are, the
// longer it waits between messages. So clients never take much time from the campaign that writes
// the file.
type Feed struct {
	// Path is the path of a file with a JSON value. The file need not exist.
	Path string
	// Every is the least interval between checks of the file; zero means half a second.
	Every time.Duration

	mu      sync.Mutex
	clients map[chan []byte]bool
	polling bool   // set while a goroutine reads the file
	latest  []byte // the latest message
	number  int    // the number of the latest message
	stamp   string // identifies the content of the file, so that a change is noticed
}

const (
	mostFeed    = 8 << 20               // the maximum size of the file, in bytes
	mostClients = 1000                  // the maximum number of clients
	feedEach    = 10 * time.Millisecond // the least interval between messages, for each client; a message takes about 1% of it
	feedBeat    = 15 * time.Second      // the interval of messages without content, by which dead connections are noticed
	feedWait    = 10 * time.Second      // how long a client may take to receive a message
)

// serve sends messages in the form of server-sent events until the client has gone. The first one
// has the present content of the file, so a client that reconnects misses nothing.
func (f *Feed) serve(w http.ResponseWriter, r *http.Request) {
	messages := f.join()
	if messages == nil {
		http.Error(w, "there are too many clients", http.StatusServiceUnavailable)
		return
	}
	defer f.leave(messages)
	w.Header().Set("Content-Type", "text/event-stream")
	to := http.NewResponseController(w)
	beat := time.NewTicker(feedBeat)
	defer beat.Stop()
	for message := []byte("retry: 1000\n\n"); ; {
		to.SetWriteDeadline(time.Now().Add(feedWait))
		if _, err := w.Write(message); err != nil || to.Flush() != nil {
			return
		}
		select {
		case <-r.Context().Done():
			return
		case message = <-messages:
		case <-beat.C:
			message = []byte(": beat\n\n")
		}
	}
}

// join adds a client, and returns the channel with its next message. It returns nil if there are too
// many clients.
func (f *Feed) join() chan []byte {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.clients) == mostClients {
		return nil
	}
	if f.clients == nil {
		f.clients = map[chan []byte]bool{}
	}
	c := make(chan []byte, 1)
	f.clients[c] = true
	if !f.polling {
		f.polling = true
		f.read()
		go f.poll()
	}
	c <- f.latest
	return c
}

func (f *Feed) leave(c chan []byte) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.clients, c)
}

// poll reads the file when it changes, until there are no clients.
func (f *Feed) poll() {
	for time.Sleep(f.interval()); f.check(); time.Sleep(f.interval()) {
	}
}

// interval returns the time between checks of the file.
func (f *Feed) interval() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return max(cmp.Or(f.Every, time.Second/2), time.Duration(len(f.clients))*feedEach)
}

// check reads the file if it has changed, and reports whether there are clients.
func (f *Feed) check() (needed bool) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.polling = len(f.clients) > 0; !f.polling {
		return false
	}
	if f.read() {
		for c := range f.clients {
			select { // a client that has not received the previous message needs only the latest one
			case <-c:
			default:
			}
			c <- f.latest
		}
	}
	return true
}

// read makes a message from the file, if the file has changed. The message has the time of the file
// in milliseconds, and its content, or null if there is no content.
func (f *Feed) read() (changed bool) {
	stamp, at := "none", int64(0)
	info, err := os.Stat(f.Path)
	if err == nil {
		at = info.ModTime().UnixMilli()
		stamp = fmt.Sprint(info.ModTime().UnixNano(), info.Size())
	}
	if stamp == f.stamp {
		return false
	}
	content := &bytes.Buffer{}
	if text, err := os.ReadFile(f.Path); err != nil || len(text) > mostFeed || json.Compact(content, text) != nil {
		content = bytes.NewBufferString("null")
	}
	f.stamp = stamp
	f.number++
	f.latest = fmt.Appendf(nil, "id: %d\ndata: {\"at\":%d,\"campaign\":%s}\n\n", f.number, at, content)
	return true
}
