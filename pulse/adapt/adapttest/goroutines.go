package adapttest

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
)

// labelKey is the label that the goroutine of a suite has, and that all have which it
// starts, and those that these start: so others that run beside it are not mistaken for
// the adapter's.
const labelKey = "adapttest"

// watch runs a part of the suite, after which no goroutine may be left, and reports
// whether no rule is known to be broken.
func (s *suite) watch(part func()) bool {
	pprof.Do(context.Background(), pprof.Labels(labelKey, s.mark), func(context.Context) { part() })
	if s.broken[goroutines] == "" {
		s.broken[goroutines] = leftBehind(s.mark)
	}
	if s.broken[goroutines] == "" {
		delete(s.broken, goroutines)
	}
	return len(s.broken) == 0
}

// leftBehind returns in words which goroutines there are with a mark, "" if there are
// none. It gives those that are about to end a hundred times to do so: each listing stops
// all of them, and so lets each come to where it can be stopped.
func leftBehind(mark string) (text string) {
	for range 100 {
		if text = labelled(mark); text == "" {
			return ""
		}
		runtime.Gosched()
	}
	return text
}

// labelled lists the goroutines with a mark: what runs each, and how many there are.
func labelled(mark string) string {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1) // a buffer takes all
	label := fmt.Sprintf("%q:%q", labelKey, mark)
	var list []string
	for group := range strings.SplitSeq(b.String(), "\n\n") {
		if !strings.Contains(group, label) {
			continue
		}
		n, _, _ := strings.Cut(group, " @ ")
		lines := strings.Split(strings.TrimSpace(group), "\n")
		begins, _, _ := strings.Cut(strings.Fields(lines[len(lines)-1])[2], "+")
		list = append(list, fmt.Sprintf("%s of %s", n[strings.LastIndexByte(n, '\n')+1:], begins))
	}
	if len(list) == 0 {
		return ""
	}
	return "goroutines are left when all runs are over: " + strings.Join(list, ", ")
}
