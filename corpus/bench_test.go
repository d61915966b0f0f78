package corpus

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// manyCases returns a folder with n cases of a hundred steps each. They are written without syncing to the
// disk.
func manyCases(b *testing.B, n int) Folder {
	f := Folder{b.TempDir(), "resultsAreStored"}
	for i := range n {
		c := writerCase()
		for k := range 100 {
			c.Record.Deliveries = append(c.Record.Deliveries, uint64(i*1000+k))
		}
		text, err := Encode(c)
		if err == nil {
			err = os.WriteFile(filepath.Join(f.Dir, c.key()[:12]+extension), unlike(text), 0o644)
		}
		if err != nil {
			b.Fatal(err)
		}
	}
	return f
}

// BenchmarkLoad measures that the time to load a folder is proportional to its cases:
// ns/case stays the same.
func BenchmarkLoad(b *testing.B) {
	for _, n := range []int{100, 1000, 10_000} {
		if n > 1000 && testing.Short() {
			continue
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			f := manyCases(b, n)
			for b.Loop() {
				if cases, problems := f.Load(); len(cases) != n || problems != nil {
					b.Fatalf("%d cases, %v", len(cases), problems)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/case")
		})
	}
}
