//go:build unix

package view

import (
	"fmt"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// BenchmarkClients measures the processor time of one update of a campaign with 20 properties for
// 200 clients, on both ends of the connections, and what part of one processor that is.
func BenchmarkClients(b *testing.B) {
	const clients = 200
	path := filepath.Join(b.TempDir(), "live.json")
	h := newHandler(path)
	s := httptest.NewServer(h)
	defer s.Close()
	content := func(n int) string { return fmt.Sprintf(`{"n":%d,"more":%q}`, n, strings.Repeat("x", 20*300)) }
	put(b, path, content(0))
	var all []*client
	for range clients {
		all = append(all, connect(b, s))
	}
	spent := func() time.Duration {
		var u syscall.Rusage
		syscall.Getrusage(syscall.RUSAGE_SELF, &u)
		return time.Duration(u.Utime.Nano() + u.Stime.Nano())
	}
	before := spent()
	for i := 0; b.Loop(); i++ {
		put(b, path, content(i+1))
		h.Feed.check()
		var done sync.WaitGroup
		for _, c := range all {
			done.Go(func() { c.until(b, content(i+1)) })
		}
		done.Wait()
	}
	each := (spent() - before).Seconds() / float64(b.N)
	b.ReportMetric(1000*each, "cpu-ms/update")
	b.ReportMetric(100*each/h.Feed.interval().Seconds(), "%-of-a-processor")
	s.CloseClientConnections()
}
