package published

import (
	"io"
	"testing"
	"time"

	"go.uber.org/zap/zapcore"
)

// Stop returns, also when it is time to flush.
func TestStopDuringFlush(t *testing.T) {
	w := &zapcore.BufferedWriteSyncer{WS: zapcore.AddSync(io.Discard), FlushInterval: time.Millisecond}
	w.Write([]byte("text"))
	time.Sleep(time.Millisecond)
	w.Stop()
}
