package corpus

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/pulse/choice"
)

// Two cases are alike only if nothing indicates two bugs.
func TestAlike(t *testing.T) {
	explained := samples["explained"]
	for name, test := range map[string]struct {
		change func(*Case)
		want   bool
	}{
		"nothing":                {func(*Case) {}, true},
		"the test and the seed":  {func(c *Case) { c.Test, c.Seed, c.Strategy, c.Hash = "TestB", 1, "", 1 }, true},
		"the comment":            {func(c *Case) { c.Comment = nil }, true},
		"draws":                  {func(c *Case) { c.Inputs = nil }, true},
		"the order":              {func(c *Case) { c.Record.Deliveries = nil }, true},
		"an answer of zero":      {func(c *Case) { c.Record.Choices = c.Record.Choices[:1] }, true},
		"the property":           {func(c *Case) { c.Property = "other" }, false},
		"the signature":          {func(c *Case) { c.Signature = "other" }, false},
		"the condition":          {func(c *Case) { c.Condition = "other" }, false},
		"no condition":           {func(c *Case) { c.Condition = "" }, false},
		"a setting":              {func(c *Case) { c.Settings = []Setting{{"delivery", "unordered"}} }, false},
		"an answer":              {func(c *Case) { c.Record.Choices[0].Value++ }, false},
		"a fault":                {func(c *Case) { c.Record.Choices[1].Value++ }, false},
		"an answer of the plan":  {func(c *Case) { c.Schedule.Choices = []choice.Choice{{N: 2, Value: 1}} }, false},
		"an answer that is gone": {func(c *Case) { c.Record.Choices = nil }, false},
	} {
		a, b := explained(), explained()
		test.change(&b)
		if a.Alike(&b) != test.want || b.Alike(&a) != test.want {
			t.Errorf("with another one of %s they are alike: %v, %v", name, a.Alike(&b), b.Alike(&a))
		}
	}
	for name, change := range map[string]func(*Case){
		"no conditions": func(c *Case) { c.Condition = "" },
		"no signatures": func(c *Case) { c.Signature = "" },
	} {
		a, b := explained(), explained()
		change(&a)
		change(&b)
		if a.Alike(&b) {
			t.Errorf("two cases with %s are alike", name)
		}
	}
}

// TestOneCause: two failures have one cause only if the same kinds of messages come
// before the same others, and everything else is the same.
func TestOneCause(t *testing.T) {
	at := func(c *Case, i int) *Constraint { return &c.Explanation.Constraints[i] }
	for name, test := range map[string]struct {
		change func(*Case)
		want   bool
	}{
		"the signature":            {func(*Case) {}, true},
		"a value":                  {func(c *Case) { at(c, 0).Second.Text = "write(7)" }, true},
		"the number of orders":     {func(c *Case) { c.Explanation.Orders = 70 }, true},
		"its own order":            {func(c *Case) { at(c, 1).Second.Kind = "other" }, true},
		"the same twice":           {func(c *Case) { c.Explanation.Constraints = append(c.Explanation.Constraints, *at(c, 0)) }, true},
		"a type":                   {func(c *Case) { at(c, 0).First.Kind = "other" }, false},
		"the order of types":       {func(c *Case) { at(c, 0).First, at(c, 0).Second = at(c, 0).Second, at(c, 0).First }, false},
		"a constraint":             {func(c *Case) { at(c, 2).Place = InCondition }, false},
		"a type that is unknown":   {func(c *Case) { at(c, 0).First.Kind = "" }, false},
		"no explanation":           {func(c *Case) { c.Explanation = nil }, false},
		"the property":             {func(c *Case) { c.Property = "other" }, false},
		"a setting":                {func(c *Case) { c.Settings = []Setting{{"delivery", "unordered"}} }, false},
		"a fault":                  {func(c *Case) { c.Record.Choices[1].Value++ }, false},
		"the value of an answer":   {func(c *Case) { c.Record.Choices[0].Value-- }, true},
		"only an order of its own": {func(c *Case) { c.Explanation = &Explanation{Constraints: []Constraint{*at(c, 1)}} }, false},
	} {
		a, b := whyCase(), whyCase()
		b.Signature = "stuck at clerk"
		test.change(&b)
		if a.OneCause(&b) != test.want || b.OneCause(&a) != test.want {
			t.Errorf("with another one of %s they have one cause: %v, %v", name, a.OneCause(&b), b.OneCause(&a))
		}
	}
	a, b := whyCase(), whyCase()
	if a.OneCause(&b) {
		t.Error("two cases of one failure are two failures of one cause")
	}
	b.Signature, b.Faces = "misuse", []string{"budget", a.Signature}
	a.AddFaces(&b)
	if want := []string{"budget", "misuse", "panic at a.go: \"no\"", "stuck at clerk"}; !slices.Equal(a.Faces, want) {
		t.Errorf("the faces are %q, expected %q", a.Faces, want)
	}
}

// steps is the record of a run of n messages. Before each delivery all messages were held back, which does not count as
// a step.
func steps(n int) (r choice.Record) {
	for i := range n {
		r.Deliveries = append(r.Deliveries, choice.Hold, uint64(i)+1)
	}
	return r
}

// Each row of the table makes a case that is larger than the cases of the rows above it.
func TestCompare(t *testing.T) {
	draw := func(words ...uint64) choice.Input { return choice.Input{Words: words} }
	crash := choice.Choice{Kind: choice.Fault, N: 2, Value: 1}
	quiet := choice.Choice{Kind: choice.Fault, N: 2}
	faults := func(list ...choice.Choice) choice.Record {
		return choice.Record{Deliveries: steps(4).Deliveries, Choices: list}
	}
	rows := []Case{
		{},
		{Record: steps(1)},
		{Record: steps(2)},
		{Record: steps(2), Inputs: []choice.Input{draw(9, 9, 9)}},
		{Record: steps(2), Inputs: []choice.Input{draw(), draw()}},
		{Record: steps(2), Inputs: []choice.Input{draw(3), draw()}},
		{Record: steps(2), Inputs: []choice.Input{draw(1, 2), draw(9)}},
		{Record: steps(2), Inputs: []choice.Input{draw(1, 3), draw(1)}},
		{Record: steps(3)},
		{Record: faults(quiet, quiet)},
		{Record: faults(crash)},
		{Record: faults(crash, quiet, crash)},
	}
	for i := range rows {
		for k := range rows {
			if got := rows[i].Compare(&rows[k]); sign(got) != sign(i-k) {
				t.Errorf("row %d with row %d: %d", i, k, got)
			}
		}
	}
}

func sign(n int) int { return max(-1, min(1, n)) }

// Compare is a total order: any three cases can be sorted.
func TestCompareIsAnOrder(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var list []Case
	for range 60 {
		c := Case{Record: steps(rng.IntN(2))}
		for range rng.IntN(3) {
			in := choice.Input{}
			for range rng.IntN(3) {
				in.Words = append(in.Words, rng.Uint64N(3))
			}
			c.Inputs = append(c.Inputs, in)
		}
		for range rng.IntN(2) {
			c.Record.Choices = append(c.Record.Choices, choice.Choice{N: 2, Value: uint32(rng.IntN(2))})
		}
		list = append(list, c)
	}
	for _, a := range list {
		for _, b := range list {
			if sign(a.Compare(&b)) != -sign(b.Compare(&a)) {
				t.Fatalf("%+v and %+v are each smaller than the other, or larger", a, b)
			}
			if slices.ContainsFunc(list, func(c Case) bool { return a.Compare(&b) <= 0 && b.Compare(&c) <= 0 && a.Compare(&c) > 0 }) {
				t.Fatalf("%+v is not larger than %+v, and what follows is smaller", a, b)
			}
		}
	}
}
