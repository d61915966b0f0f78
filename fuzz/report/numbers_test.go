package report_test

import (
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/report"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{report.Plural(1, "run"), "1 run"},
		{report.Plural(0, "run"), "0 runs"},
		{report.Plural(12_400, "run"), "12,400 runs"},
		{report.Grouped(999), "999"},
		{report.Grouped(1_234_567), "1,234,567"},
		{report.Roughly(0, 0), "0"},
		{report.Roughly(7, 0), "7"},
		{report.Roughly(95, 0), "95"},
		{report.Roughly(994, 0), "990"},
		{report.Roughly(995, 0), "1,000"},
		{report.Roughly(81_234, 0), "81,000"},
		{report.Roughly(81_234, 81_100), "81,100"},
		{report.Roughly(4e17, 0), "4.0e+17"},
		{report.Short(950), "950"},
		{report.Short(999.6), "1.0k"},
		{report.Short(9949), "9.9k"},
		{report.Short(310_000), "310k"},
		{report.Short(1_250_000), "1.2M"},
		{report.Short(12e6), "12M"},
	} {
		if c.got != c.want {
			t.Errorf("%s, want %s", c.got, c.want)
		}
	}
}

func TestTimes(t *testing.T) {
	for _, c := range []struct {
		d                  time.Duration
		rounded, inOneUnit string
	}{
		{0, "0s", "0 ms"},
		{240 * time.Microsecond, "200µs", "0 ms"},
		{261_400 * time.Microsecond, "260ms", "261 ms"},
		{1256 * time.Millisecond, "1.26s", "1.3 s"},
		{70 * time.Second, "1m10s", "70 s"},
		{95 * time.Minute, "1h35m0s", "95 min"},
		{30 * time.Hour, "30h0m0s", "30 h"},
		{80 * 24 * time.Hour, "1920h0m0s", "80 days"},
	} {
		if got := report.Rounded(c.d); got != c.rounded {
			t.Errorf("Rounded(%v) is %s, want %s", c.d, got, c.rounded)
		}
		if got := report.InOneUnit(c.d); got != c.inOneUnit {
			t.Errorf("InOneUnit(%v) is %s, want %s", c.d, got, c.inOneUnit)
		}
	}
}
