package native

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/jostle-go/jostle/corpus"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// TestDraftForm checks the meaning of bytes, and their canonical form.
func TestDraftForm(t *testing.T) {
	tests := []struct {
		name      string
		bytes     []byte
		draft     Draft
		canonical []byte // nil if the same as the given bytes
	}{
		{"nothing", nil, Draft{}, make([]byte, 10)},
		{"a header of zeros", make([]byte, 10), Draft{}, nil},
		{"part of a seed", []byte{1, 2}, Draft{Seed: 0x0201}, []byte{1, 2, 0, 0, 0, 0, 0, 0, 0, 0}},
		{"counts of nothing", []byte{1, 0, 0, 0, 0, 0, 0, 0x80, 5, 6}, Draft{Seed: 1<<63 | 1},
			[]byte{1, 0, 0, 0, 0, 0, 0, 0x80, 0, 0}},
		{"priorities", []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9, 8, 7}, Draft{Priorities: []byte{9, 8, 7}}, nil},
		{"answers and priorities", []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 9, 8, 7}, Draft{Answers: []byte{9, 8}, Priorities: []byte{7}}, nil},
		{"answers that end", []byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 200, 9, 8, 7}, Draft{Answers: []byte{9, 8, 7}},
			[]byte{0, 0, 0, 0, 0, 0, 0, 0, 0, 3, 9, 8, 7}},
		{"a word of each", []byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10},
			Draft{Words: []uint64{0x0807060504030201}, Answers: []byte{9}, Priorities: []byte{10}}, nil},
		{"a count beyond 63", []byte{0, 0, 0, 0, 0, 0, 0, 0, 65, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
			Draft{Words: []uint64{0x0807060504030201}, Priorities: []byte{9}},
			[]byte{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9}},
		{"a word that ends", []byte{0, 0, 0, 0, 0, 0, 0, 0, 5, 7, 1, 0, 0, 0, 0, 0, 0, 0, 2}, Draft{Words: []uint64{1, 2}},
			[]byte{0, 0, 0, 0, 0, 0, 0, 0, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0}},
	}
	reused := Draft{Seed: 3, Words: []uint64{4, 5, 6}, Answers: []byte{1, 1, 1, 1, 1}, Priorities: []byte{2, 2, 2, 2, 2}}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			reused.FromBytes(test.bytes)
			if !equalDrafts(&reused, &test.draft) {
				t.Errorf("the draft is %+v, expected %+v", reused, test.draft)
			}
			want := test.canonical
			if want == nil {
				want = test.bytes
			}
			if got := reused.Bytes(); !bytes.Equal(got, want) {
				t.Errorf("the bytes are\n% x, expected\n% x", got, want)
			}
		})
	}
}

func equalDrafts(a, b *Draft) bool {
	same := a.Seed == b.Seed && len(a.Words) == len(b.Words)
	for i := range a.Words {
		same = same && a.Words[i] == b.Words[i]
	}
	return same && bytes.Equal(a.Answers, b.Answers) && bytes.Equal(a.Priorities, b.Priorities)
}

// TestDraftLimits checks that parts beyond the limits are dropped, and the rest is kept.
func TestDraftLimits(t *testing.T) {
	d := Draft{Seed: 1, Words: make([]uint64, 100), Answers: bytes.Repeat([]byte{2}, 300), Priorities: bytes.Repeat([]byte{3}, 1000)}
	var got Draft
	got.FromBytes(d.Bytes())
	d.Words, d.Answers = d.Words[:maxWords], d.Answers[:maxAnswers]
	if !equalDrafts(&got, &d) {
		t.Errorf("%d words, %d answers, %d priorities were kept", len(got.Words), len(got.Answers), len(got.Priorities))
	}
}

// TestDraftMemory checks that a draft is read into its existing memory, and shares none
// with the bytes it is read from.
func TestDraftMemory(t *testing.T) {
	data := bytes.Repeat([]byte{7}, 1<<20)
	var d Draft
	if n := testing.AllocsPerRun(10, func() { d.FromBytes(data) }); n != 0 {
		t.Errorf("%v allocations", n)
	}
	if len(d.Words) != 7 || len(d.Answers) != 7 || len(d.Priorities) != 1<<20-10-56-7 || cap(d.Priorities) > 3<<19 {
		t.Errorf("%d words, %d answers, %d priorities", len(d.Words), len(d.Answers), len(d.Priorities))
	}
	clear(data)
	if d.Words[6] != 0x0707070707070707 || d.Answers[6] != 7 || d.Priorities[0] != 7 {
		t.Error("the draft shares the memory of what it was read from")
	}
}

// checkDraft fails unless the bytes of data's draft encode that draft, and are canonical.
func checkDraft(t *testing.T, data []byte) {
	t.Helper()
	var a, b Draft
	a.FromBytes(data)
	stored := a.Bytes()
	b.FromBytes(stored)
	if !equalDrafts(&a, &b) {
		t.Fatalf("% x is %+v, stored as % x, which is %+v", data, a, stored, b)
	}
	if again := b.Bytes(); !bytes.Equal(again, stored) {
		t.Fatalf("% x is stored as % x, then as % x", data, stored, again)
	}
	if len(stored) > max(draftHeader, len(data)+wordSize-1) {
		t.Fatalf("%d bytes became %d", len(data), len(stored))
	}
}

func TestDraftsOfRandomBytes(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 20_000 {
		data := make([]byte, r.IntN(100))
		for i := range data {
			data[i] = byte(r.Uint32() >> (8 * r.IntN(4)))
		}
		checkDraft(t, data)
	}
}

func FuzzDraft(f *testing.F) {
	f.Add([]byte{})
	f.Add((&Draft{Seed: 1, Words: []uint64{2}, Answers: []byte{3}, Priorities: []byte{4, 5}}).Bytes())
	f.Add(bytes.Repeat([]byte{0xff}, 600))
	f.Fuzz(checkDraft)
}

func TestDraftOf(t *testing.T) {
	c := &corpus.Case{Seed: 5,
		Inputs: []choice.Input{{Label: "a", Seed: 1, Words: []uint64{8}}, {Label: "b", Seed: 2, Words: []uint64{1, 2, 3, 4, 5}}},
		Record: choice.Record{Deliveries: []uint64{1, 2}, Choices: []choice.Choice{
			{Kind: choice.Program, N: 3, Value: 2}, {Kind: choice.Drop, N: 2}, {Kind: choice.Drop, N: 2}}}}
	in := &c.Inputs[0]
	want := &Draft{Seed: 5, Words: []uint64{8, in.Word(1), in.Word(2), in.Word(3), 1, 2, 3, 4}, Answers: []byte{2, 1}}
	if got := draftOf(c, &trace.Trace{}); !equalDrafts(got, want) {
		t.Errorf("%+v, expected %+v", got, want)
	}
	c.Inputs = make([]choice.Input, 20)
	if n := len(draftOf(c, &trace.Trace{}).Words); n != maxWords {
		t.Errorf("20 draws make %d words", n)
	}
}
