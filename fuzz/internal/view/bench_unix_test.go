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
// 200 clients, on both ends of the connections. A campaign makes an update a second, so 20 ms is 2%
// of one processor.
func BenchmarkClients(b *testing.B) {
	const clients = 200
	path := filepath.Join(b.TempDir(), "live.json")
	s := httptest.NewServer(newHandler(path))
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
		var done sync.WaitGroup
		for _, c := range all {
			done.Go(func() { c.until(b, content(i+1)) })
		}
		done.Wait()
	}
	b.ReportMetric(float64((spent()-before).Milliseconds())/float64(b.N), "cpu-ms/update")
	s.CloseClientConnections()
}
