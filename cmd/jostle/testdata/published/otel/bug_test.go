package published

import (
	"context"
	"sync"
	"testing"

	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// ForceFlush returns, also during Shutdown.
func TestFlushDuringShutdown(t *testing.T) {
	processor := trace.NewBatchSpanProcessor(tracetest.NewNoopExporter())
	var wg sync.WaitGroup
	wg.Go(func() { processor.ForceFlush(context.Background()) })
	processor.Shutdown(context.Background())
	wg.Wait()
}
