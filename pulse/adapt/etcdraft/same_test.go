package etcdraft_test

import (
	"hash/fnv"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/strategy"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// traces returns a hash of the traces of n runs.
func traces(runs int) string {
	r := props.NewRunner("everything", everything)
	defer r.Close()
	sum := fnv.New64a()
	for seed := range uint64(runs) {
		res := r.Run(props.Plan{Seed: seed, Strategy: strategy.Random(), StrategySeed: seed})
		sum.Write([]byte(res.System.Trace().Text()))
	}
	return strconv.FormatUint(sum.Sum64(), 16)
}

// TestSameCaseSameTrace: the same seeds give the same traces, byte for byte, also in
// another process. The other process runs this test with JOSTLE_TRACES set.
func TestSameCaseSameTrace(t *testing.T) {
	trial.Long(t)
	runs := 50
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		runs = 200
	}
	first := traces(runs)
	if os.Getenv("JOSTLE_TRACES") != "" {
		t.Log("sum=" + first)
		return
	}
	if again := traces(runs); again != first {
		t.Errorf("the same runs have traces %s and then %s", first, again)
	}
	cmd := exec.Command(os.Args[0], "-test.run=^TestSameCaseSameTrace$", "-test.v")
	cmd.Env = append(os.Environ(), "JOSTLE_TRACES=1")
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "sum="+first) {
		t.Errorf("another process has other traces: %v\n%s", err, out)
	}
}
