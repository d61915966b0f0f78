package choice

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"
)

// TestAnswerForm holds what answers mean, one question after another.
func TestAnswerForm(t *testing.T) {
	type ask struct {
		kind Kind
		n    int
	}
	many := func(times int, a ask) (list []ask) {
		for range times {
			list = append(list, a)
		}
		return list
	}
	tests := []struct {
		name    string
		answers []byte
		asks    []ask
		want    string // a dash stands for no answer
	}{
		{"nothing", nil, []ask{{Program, 5}, {Drop, 2}}, "[- -]"},
		{"numbers", []byte{3, 5, 7, 255}, []ask{{Program, 5}, {Program, 5}, {Swarm, 8}, {Program, 256}, {Program, 2}}, "[3 0 7 255 -]"},
		{"numbers of two bytes", []byte{1, 2, 1, 2, 9}, []ask{{Program, 1 << 16}, {Program, 257}, {Program, 257}, {Program, 2}}, "[513 256 - -]"},
		{"numbers of four bytes", []byte{1, 2, 3, 4, 1, 2, 3}, []ask{{Program, 1<<32 - 1}, {Program, 1<<16 + 1}}, "[67305985 -]"},
		{"one answer needs none", nil, []ask{{Program, 1}, {Drop, 1}, {Drop, 0}}, "[0 0 0]"},
		{"quiet", []byte{2, 192}, []ask{{Drop, 2}, {Fault, 9}, {Clock, 2}, {Duplicate, 2}, {Drop, 2}}, "[0 0 0 1 -]"},
		{"numbers between", []byte{1, 4, 192}, []ask{{Drop, 2}, {Program, 5}, {Drop, 2}, {Drop, 2}}, "[0 4 0 1]"},
		{"faults", []byte{192, 193, 194, 195, 255}, many(5, ask{Fault, 4}), "[1 2 3 1 1]"},
		{"all faults of one byte", []byte{192, 255}, many(2, ask{Fault, 65}), "[1 64]"},
		{"more faults", []byte{200, 0, 200, 255, 200}, many(3, ask{Fault, 257}), "[1 256 -]"},
		{"even more", []byte{200, 1, 1, 0}, []ask{{Fault, 300}, {Drop, 2}}, "[258 0]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var r AnswerReader
			r.Reset(test.answers)
			var got []any
			for _, a := range test.asks {
				v, ok := r.Next(a.kind, a.n)
				if !ok {
					got = append(got, "-")
					continue
				}
				got = append(got, v)
			}
			if fmt.Sprint(got) != test.want {
				t.Errorf("the answers are %v, expected %v", got, test.want)
			}
		})
	}
}

// randomChoices makes choices as a run does, with faults one time in rate.
func randomChoices(r *rand.Rand, length, rate int) (list []Choice) {
	for range length {
		c := Choice{Kind: Kind(r.IntN(int(kinds))), N: uint32(1 + r.IntN(6))}
		switch r.IntN(20) {
		case 0:
			c.N = uint32(1 + r.IntN(400))
		case 1:
			c.N = 1 + r.Uint32N(1<<32-1)
		}
		if !c.Kind.isRare() || r.IntN(rate) == 0 {
			c.Value = r.Uint32N(c.N)
		}
		list = append(list, c)
	}
	return list
}

// TestAnswersOfChoices holds that the answers made of choices answer as the
// choices do, up to what there is room for, and are few where little happens.
func TestAnswersOfChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cut := 0
	for i := range 3000 {
		list := randomChoices(r, r.IntN(300), 1+i%30)
		answers := AppendAnswers(nil, list)
		if len(answers) > MaxAnswers {
			t.Fatalf("%d answers", len(answers))
		}
		var reader AnswerReader
		reader.Reset(answers)
		for n, c := range list {
			v, ok := reader.Next(c.Kind, int(c.N))
			if !ok && len(answers) > MaxAnswers-5 {
				cut++
				break
			}
			if !ok || v != int(c.Value) {
				t.Fatalf("choice %d of %v is answered by %d, %v", n, list, v, ok)
			}
		}
	}
	if cut == 0 || cut > 2500 {
		t.Errorf("%d of 3,000 lists were cut", cut)
	}
}

// TestQuietAnswersAreShort holds that 10,000 questions at which nothing happens
// take little room, and that a prefix is kept.
func TestQuietAnswersAreShort(t *testing.T) {
	list := make([]Choice, 10_000)
	for i := range list {
		list[i] = Choice{Kind: Drop, N: 2}
	}
	list[500].Value = 1
	b := AppendAnswers([]byte("head"), list)
	want := append([]byte("head"), 191, 191, 115, 192)
	if len(b) != 4+3+1+50 || !bytes.Equal(b[:8], want) {
		t.Errorf("%d bytes: %v", len(b), b)
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte{0, 5, 2, 2})
	f.Add([]byte{200, 0, 200, 255, 200}, []byte{5, 255, 5, 255, 5, 255})
	f.Fuzz(func(t *testing.T, answers, asks []byte) {
		var r, again AnswerReader
		r.Reset(answers)
		var list []Choice
		for ; len(asks) >= 2; asks = asks[2:] {
			c := Choice{Kind: Kind(asks[0]) % kinds, N: uint32(asks[1])*uint32(asks[1]) + 1}
			v, ok := r.Next(c.Kind, int(c.N))
			if c.Value = uint32(v); !ok {
				break
			}
			if c.check() != nil {
				t.Fatalf("%v", c.check())
			}
			list = append(list, c)
		}
		again.Reset(AppendAnswers(nil, list))
		for i, c := range list {
			if v, ok := again.Next(c.Kind, int(c.N)); ok && v != int(c.Value) {
				t.Fatalf("choice %d of %v becomes %d", i, list, v)
			}
		}
	})
}
