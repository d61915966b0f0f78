package adapttest

import (
	"bytes"
	"context"
	"fmt"
	"runtime"
	"runtime/pprof"
	"strings"
)

// labelKey is the key of a label on the goroutines that a suite starts directly or
// indirectly. The label distinguishes these goroutines from all goroutines that
// the suite has not started.
const labelKey = "adapttest"

// watch runs a part of the suite, and checks that no goroutine is left after that
// part. It reports whether the suite has found no broken rule so far.
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

// leftBehind returns a list of the goroutines that are labeled with a mark, "" if
// there are none. It looks up to a hundred times, because goroutines may be about
// to end.
func leftBehind(mark string) (text string) {
	for range 100 {
		if text = labelled(mark); text == "" {
			return ""
		}
		runtime.Gosched()
	}
	return text
}

// labelled returns a list of the goroutines that are labeled with a mark, "" if
// there are none. The list counts the goroutines by the function with which they
// began.
func labelled(mark string) string {
	var b bytes.Buffer
	_ = pprof.Lookup("goroutine").WriteTo(&b, 1) // writing to a buffer never fails
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
