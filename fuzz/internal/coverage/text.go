package coverage

import (
	"encoding/json"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/jostle-go/jostle/fuzz/internal/words"
	"github.com/jostle-go/jostle/pulse/trace"
)

// Summary returns one line with the number of covered receive pairs. If there were enough
// unguided runs, it adds the chance that the next random run has a new order.
func (o *Orders) Summary() string {
	text := o.Count().String()
	if c := o.Chance(); c.Runs > 0 && c.High < 1 && o.Seen() > 0 { // without unguided runs and orders, there is no estimate
		text += "; the next random run shows a new order " + c.String()
	}
	return text
}

// String returns a text such as "3 of 5 receive pairs seen in both orders". The second
// number counts the pairs that are known to be possible in both orders.
func (c Count) String() string {
	text := fmt.Sprintf("%s of %s receive pairs seen in both orders", words.Grouped(c.Covered), words.Grouped(c.Covered+c.Open))
	switch {
	case c.Pairs() == 0:
		return "no receive pairs to cover"
	case c.Covered+c.Open+c.Unknown == 0:
		return "no receive pair seen can come in both orders"
	case c.Covered+c.Open == 0:
		return "no receive pair is known to come in both orders"
	case c.Unknown > 0:
		text += fmt.Sprintf(" (%s more are not known to come in both)", words.Grouped(c.Unknown))
	}
	return text
}

// mostOpen is the maximum number of unseen orders that a text lists.
const mostOpen = 20

// Text returns the counts as tables for people.
func (o *Orders) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "runs: %d\n%s\n\n", o.Runs(), o.Summary())
	tab := tabwriter.NewWriter(&b, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(tab, "\tseen\tpairs\tcovered\topen\timpossible\tunknown\t")
	row(tab, "PR", o.Count())
	for _, p := range o.Parts() {
		if p.Pairs() > 0 {
			row(tab, shown(p.Actor, mostNamed), p.Count)
		}
	}
	tab.Flush()
	if n := o.Folded(); n > 0 {
		fmt.Fprintf(&b, "\nreceives counted by message type only, because there were too many to tell apart: %d\n", n)
	}
	if lines := openLines(o.OpenNames()); len(lines) > 0 {
		fmt.Fprintf(&b, "\nReceive pairs never seen in this order (possible as far as known):\n%s", strings.Join(lines, ""))
	}
	for _, curve := range o.Curves() {
		fmt.Fprint(&b, "\norders seen (after runs):")
		for _, p := range curve {
			fmt.Fprintf(&b, " %d (%d)", p.Orders, p.Runs)
		}
		fmt.Fprintln(&b)
	}
	return b.String()
}

func openLines(open []OpenName) (lines []string) {
	for _, n := range open[:min(len(open), mostOpen)] {
		times := ""
		if n.Pairs > 1 {
			times = fmt.Sprintf(" (%d of that name)", n.Pairs)
		}
		lines = append(lines, "  "+n.Name+times+"\n")
	}
	if len(open) > mostOpen {
		lines = append(lines, fmt.Sprintf("  and %d more\n", len(open)-mostOpen))
	}
	return lines
}

// String returns "first before second at actor".
func (g Goal) String() string {
	return g.FirstReceive + " before " + g.SecondReceive + " at " + g.Actor
}

func row(w *tabwriter.Writer, name string, c Count) {
	fmt.Fprintf(w, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", name, c.Seen, c.Pairs(), c.Covered, c.Open, c.Impossible, c.Unknown)
}

// mostNamed is the maximum number of letters of a name in a text.
const mostNamed = 60

// inOneLine escapes line breaks and tabs.
var inOneLine = strings.NewReplacer("\n", `\n`, "\t", `\t`)

// shown returns a name from the program as one line of at most a given number of letters,
// with control characters escaped.
func shown(name string, most int) string {
	if len(name) > 4*most+4 { // cut very long names first; a letter has at most four bytes
		name = name[:4*most+4]
	}
	text := inOneLine.Replace(trace.Visible(strings.ToValidUTF8(name, "?")))
	if utf8.RuneCountInString(text) > most {
		text = string([]rune(text)[:most-1]) + "…"
	}
	return text
}

// MarshalJSON returns the results of Text and Types. The version field changes when a field
// changes its meaning.
func (o *Orders) MarshalJSON() ([]byte, error) {
	type criterion struct {
		Name string `json:"name"`
		Count
		Actors []Part     `json:"actors"`
		Types  []TypePair `json:"types"`
		Open   []Goal     `json:"openOrders"`
	}
	list := []criterion{{"PR", o.Count(), o.Parts(), o.Types(), o.Open()}}
	return json.Marshal(struct {
		Version  int         `json:"version"`
		Runs     int         `json:"runs"`
		Folded   int         `json:"folded"`
		Chance   Chance      `json:"chance"`
		Criteria []criterion `json:"criteria"`
		Curves   [][]Point   `json:"curves"`
	}{2, o.Runs(), o.Folded(), o.Chance(), list, o.Curves()})
}
