package explore

import "github.com/jostle-go/jostle/pulse"

// A needy is the strategy of a search with what that needs of a system.
type needy struct {
	pulse.Judge
	needs pulse.Needs
}

// Needs returns what the search needs.
func (n needy) Needs() pulse.Needs { return n.needs }
