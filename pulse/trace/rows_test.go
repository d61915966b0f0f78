package trace

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// An appended has fields that are the same in all messages of a run, and others that are not.
type appended struct {
	Term    int
	Leader  string
	Entries []string
	Commit  int
}

// TestFit checks what is left of a message in fewer and fewer columns.
func TestFit(t *testing.T) {
	a, b := PhraseOf(appended{12, "node.1", []string{"x", "yyyy", "zz"}, 7}), PhraseOf(appended{13, "node.1", []string{"x"}, 7})
	markSame([]*Phrase{&a, &b})
	words := PhraseOf("several words without parts")
	for _, x := range []struct {
		phrase Phrase
		most   int
		want   string
		kept   bool
	}{
		{a, 100, `appended(Term: 12, Leader: "node.1", Entries: ["x" "yyyy" "zz"], Commit: 7)`, true},
		{a, 70, `appended(Term: 12, Leader: "node.1", Entries: ["x" "yyyy" "zz"], …)`, true},
		{a, 60, `appended(Term: 12, …, Entries: ["x" "yyyy" "zz"], Commit: 7)`, true},
		{a, 50, `appended(Term: 12, …, Entries: [… "yyyy" "zz"], …)`, true},
		{a, 40, `appended(Term: 12, …, Entries: […], …)`, true},
		{a, 25, `appended(Term: 12, …)`, true},
		{a, 15, `appended(…)`, false},
		{a, 3, `appended(…)`, false},
		{words, 3, `"several words without parts"`, true},
	} {
		if got, kept := x.phrase.Fit(x.most); got != x.want || kept != x.kept {
			t.Errorf("%d columns: %s %v, want %s %v", x.most, got, kept, x.want, x.kept)
		}
	}
}

// TestPhraseOf: a phrase is the label if that is not cut, and its parts are
// inside it and inside each other.
func TestPhraseOf(t *testing.T) {
	many := make([]string, 200)
	for i := range many {
		many[i] = fmt.Sprint("entry", i)
	}
	for _, body := range []any{nil, 7, "text", write{3}, set{"k", ping{}}, map[string]int{"a": 1, "b": 2}, appended{1, "x", []string{"a", "b"}, 2}} {
		if p := PhraseOf(body); p.Text != Label(body) {
			t.Errorf("%s, want %s", p.Text, Label(body))
		}
	}
	p := PhraseOf(appended{1, "a", many, 2})
	if !strings.HasPrefix(p.Text, `appended(Term: 1, Leader: "a", Entries: ["entry0" "entry1" `) || !strings.HasSuffix(p.Text, `" …])`) || Width(p.Text) > phraseRunes+20 {
		t.Errorf("%s", p.Text)
	}
	for most := range 300 {
		if text, _ := p.Fit(most); strings.Contains(text, "… …") || strings.Count(text, "(") != strings.Count(text, ")") || strings.Count(text, `"`)%2 != 0 {
			t.Errorf("%d columns: %s", most, text)
		}
	}
	for i, part := range p.Parts {
		for _, other := range p.Parts[i+1:] {
			if part.Begin > other.Begin || other.Begin < part.End && other.End > part.End {
				t.Fatalf("%v and then %v", part, other)
			}
		}
	}
}

// longRandomTrace returns a random trace whose actors have long names and whose messages have long values.
func longRandomTrace(seed uint64) *Trace {
	t, random := newRandomTrace(seed), rand.New(rand.NewPCG(seed, 3))
	for i := range t.Actors[1:] {
		t.Actors[i+1].Label = strings.Repeat("é", random.IntN(4)) + "actor" + strings.Repeat("x", random.IntN(9))
	}
	for i := range t.Sends {
		entries := make([]string, random.IntN(6))
		for k := range entries {
			entries[k] = strings.Repeat("日", random.IntN(3)) + "entry" + strings.Repeat("y", random.IntN(20))
		}
		switch random.IntN(3) {
		case 0:
			t.Sends[i].Body = appended{random.IntN(3), "leader", entries, 7}
		case 1:
			t.Sends[i].Body = strings.Join(entries, " ")
		}
	}
	for i := range t.Steps {
		if random.IntN(5) == 0 {
			t.Notes = append(t.Notes, Note{Step: int32(i), Text: strings.Repeat("some words ", random.IntN(12)) + "end"})
		}
	}
	return t
}

// TestTextIn: the table of steps fits into 80 columns if only labels are too long, and names all steps.
func TestTextIn(t *testing.T) {
	b := newBuilder()
	to := b.spawn(None, "replica")
	for i := range 12 {
		b.receive(b.send(None, to, appended{i, "the leader of the term", []string{"x", "y"}, 7}))
	}
	if whole := b.Text(); whole != b.TextIn(200) || !strings.Contains(whole, `7  replica#8 ← appended(Term: 7, Leader: "the leader of the term", Entries: ["x" "y"], Commit: …   test  test`) {
		t.Errorf("got\n%s", whole)
	}
	text := b.TextIn(60)
	if !strings.HasPrefix(text, "step  what") || !strings.Contains(text, "\n   7  replica#8 ← appended(Term: 7, …)    test  test\n") {
		t.Errorf("got\n%s", text)
	}
	for line := range strings.Lines(text) {
		if Width(line) > 60 {
			t.Errorf("%d columns: %s", Width(line), line)
		}
	}
}

// letters splits a text at everything that is no letter and no digit, except "…".
func letters(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \n\t,;:()[]{}\"─▶←◆✗", r) })
}

// TestRowsInColumns lays out random charts in 40, 60, 80 and 120 columns. No line is too long, each word is
// one of the chart without a limit or ends with "…", and each step keeps its number and its receiver.
func TestRowsInColumns(t *testing.T) {
	for seed := range uint64(200) {
		trace := longRandomTrace(seed)
		rows := trace.ChartWith(ChartOptions{Failed: len(trace.Steps) - 1, Remark: func(step int) string {
			return map[bool]string{true: "◆ decides: 3% → 100%"}[step%5 == 1]
		}})
		whole := map[string]bool{"": true, "…": true}
		for _, row := range rows {
			for _, word := range letters(row.Text + " log " + row.Log + " " + row.From + " " + row.Label.Text + " " + row.To + " " + row.remark()) {
				whole[word] = true
			}
		}
		for _, columns := range []int{40, 60, 80, 120} {
			text := rows.Text(columns)
			seen := 0
			for i, line := range strings.Split(text, "\n") {
				if Width(line) > columns {
					t.Fatalf("seed %d: %d of %d columns:\n%s", seed, Width(line), columns, line)
				}
				number, _, _ := strings.Cut(strings.TrimLeft(line, " "), " ")
				if line == "" || line[:len(fmt.Sprint(len(trace.Steps)-1))] == strings.Repeat(" ", len(fmt.Sprint(len(trace.Steps)-1))) {
					continue
				}
				if number != fmt.Sprint(seen) {
					t.Fatalf("seed %d: line %d has not the number %d:\n%s", seed, i, seen, text)
				}
				seen++
			}
			if seen != len(trace.Steps) {
				t.Fatalf("seed %d: %d steps of %d:\n%s", seed, seen, len(trace.Steps), text)
			}
			for _, word := range letters(text) {
				if !whole[strings.Trim(word, "0123456789")] && !whole[word] && !strings.HasSuffix(word, "…") {
					t.Fatalf("seed %d, %d columns: the word %q is torn:\n%s", seed, columns, word, text)
				}
			}
			at := 0
			for _, row := range rows {
				next := strings.Index(text[at:], head+row.To)
				if row.To != "" && next < 0 {
					t.Fatalf("seed %d, %d columns: step %d has lost %s:\n%s", seed, columns, row.Step, row.To, text)
				}
				at += max(0, next)
			}
		}
	}
}
