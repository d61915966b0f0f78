package published

import (
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
)

// A counter with an exemplar counts it.
func TestExemplarIsCounted(t *testing.T) {
	counter := prometheus.NewCounter(prometheus.CounterOpts{Name: "n"})
	var wg sync.WaitGroup
	wg.Go(func() { counter.(prometheus.ExemplarAdder).AddWithExemplar(1, prometheus.Labels{"of": "1"}) })
	var m dto.Metric
	if err := counter.Write(&m); err != nil {
		t.Error(err)
	}
	if m.Counter.Exemplar != nil && m.Counter.GetValue() < 1 {
		t.Error("the exemplar is of an observation that is not counted")
	}
	wg.Wait()
}
