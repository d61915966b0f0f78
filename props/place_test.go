package props

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

// TestMisuseIsPlaced checks that a misuse of the system by the property is reported
// at a line of the property.
func TestMisuseIsPlaced(t *testing.T) {
	for name, property := range map[string]func(*T){
		"options": func(t *T) { t.SystemWith(pulse.Options{Steps: -1}) },
		"spawn":   func(t *T) { t.System().Spawn("a", nil) },
		"nemesis": func(t *T) { t.System().Nemesis().Partition() },
	} {
		r := NewRunner(name, property)
		res := r.Run(Plan{})
		if res.Failure == nil || res.Failure.Kind != pulse.KindMisuse {
			t.Errorf("%s: failed with %v", name, res.Failure)
		} else if !strings.HasPrefix(res.Location.Place(), "place_test.go:") || strings.Contains(res.Failure.Detail, "props.(*") {
			t.Errorf("%s: told at %s, with\n%s", name, res.Location.Place(), res.Failure.Detail)
		}
		r.Close()
	}
}
