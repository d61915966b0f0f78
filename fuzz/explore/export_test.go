package explore

import "time"

// KeepEvery has a search written to its file as often as this.
func (o *Options) KeepEvery(d time.Duration) { o.keepEvery = d }
