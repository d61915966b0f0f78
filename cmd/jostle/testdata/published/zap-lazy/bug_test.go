package published

import (
	"io"
	"sync"
	"testing"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"
)

// A logger with lazy fields may be used by several goroutines. It needs -race.
func TestLazyFields(t *testing.T) {
	encoder := zapcore.NewJSONEncoder(zap.NewProductionEncoderConfig())
	log := zap.New(zapcore.NewCore(encoder, zapcore.AddSync(io.Discard), zap.InfoLevel)).WithLazy(zap.Int("field", 1))
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() { log.Info("text") })
	}
	wg.Wait()
}
