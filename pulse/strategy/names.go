package strategy

import (
	"fmt"
	"strings"

	"github.com/jostle-go/jostle/pulse"
)

// Names returns the names accepted by ByName, the simplest strategy first.
func Names() []string {
	return []string{"plain", "random", "pct", "pctcp", "pos", "urw", "slow"}
}

// ByName returns a new strategy with the given name and default options.
func ByName(name string) (pulse.Strategy, error) {
	switch name {
	case "plain":
		return Plain(), nil
	case "random":
		return Random(), nil
	case "pct":
		return PCT(PCTOptions{}), nil
	case "pctcp":
		return PCTCP(PCTOptions{}), nil
	case "pos":
		return POS(), nil
	case "slow":
		return Slow(), nil
	case "urw":
		return URW(URWOptions{}), nil
	}
	return nil, fmt.Errorf("no strategy is called %q; there are %s", name, strings.Join(Names(), ", "))
}
