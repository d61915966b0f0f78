package finding

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/props"
)

// BenchmarkReplay measures the time to replay all cases of a folder, including reading them. It is proportional to
// their number: ns/case does not change.
func BenchmarkReplay(b *testing.B) {
	program := counts{least: 1}
	r := props.NewRunner("p", program.property)
	defer r.Close()
	for _, n := range []int{100, 1000, 10_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			folder := corpus.Folder{Dir: b.TempDir(), Property: "p"}
			for seed := range uint64(n) {
				res := r.Run(props.Plan{Seed: seed + 1})
				path := filepath.Join(folder.Dir, fmt.Sprintf("%06d.case", seed))
				if err := os.WriteFile(path, []byte(From(Origin{Property: "p"}, &res).Whole()), 0o644); err != nil {
					b.Fatal(err)
				}
			}
			for b.Loop() {
				cases, _ := folder.Load()
				for i := range cases {
					if p := Replay(r, &cases[i]); !p.Exact {
						b.Fatal(p.How)
					}
				}
				if len(cases) != n {
					b.Fatalf("%d cases", len(cases))
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/case")
		})
	}
}
