package strategy

import "github.com/jostle-go/jostle/pulse"

// Forget has a strategy forget all runs that it has learned from: it then does what one
// that was just made does, and uses its memory again. It returns false, and changes
// nothing, when the strategy is none of those that Names lists. It must not be called
// during a run.
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
func (p *pct) forget()   { p.steps.counted = 0 }
func (p *pctcp) forget() { p.messages.counted = 0 }

func (u *urw) forget() {
	u.runs = 0
	u.sizes.Reset()
	clear(u.means)
}
