package finding

import (
	"strings"
	"testing"

	"github.com/jostle-go/jostle/pulse"
)

func TestChangedSettings(t *testing.T) {
	was := settingsIn(pulse.Options{Delivery: pulse.DeliveryUnordered, Steps: 10, Faults: pulse.Faults{Drop: 1}})
	is := settingsIn(pulse.Options{Steps: 20, Faults: pulse.Faults{Drop: 1, Crash: 2}})
	want := "delivery was unordered, is default; steps was 10, is 20; crash was default, is 2"
	if got := strings.Join(changedSettings(was, is), "; "); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := changedSettings(was, was); len(got) != 0 {
		t.Errorf("nothing was changed, but: %v", got)
	}
}
