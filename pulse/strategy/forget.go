package strategy

import "github.com/jostle-go/jostle/pulse"

// Forget makes a strategy forget all earlier runs. The strategy then acts like a
// new one, but reuses its memory. Forget returns false, and does nothing, if the
// strategy is not one of Names. It must not be called during a run.
func Forget(s pulse.Strategy) bool {
	f, ok := s.(interface{ forget() })
	if ok {
		f.forget()
	}
	return ok
}

func (*plain) forget()   {}
func (*random) forget()  {}
func (*pos) forget()     {}
func (*slow) forget()    {}
func (p *pct) forget()   { p.steps.counted = 0 }
func (p *pctcp) forget() { p.messages.counted = 0 }

func (u *urw) forget() {
	u.runs = 0
	u.sizes.Reset()
	clear(u.means)
}
