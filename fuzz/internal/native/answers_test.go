package native

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/jostle-go/jostle/pulse/choice"
)

// TestAnswerForm checks the meaning of answers, one question after another.
func TestAnswerForm(t *testing.T) {
	type ask struct {
		kind choice.Kind
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
		{"nothing", nil, []ask{{choice.Program, 5}, {choice.Drop, 2}}, "[- -]"},
		{"numbers", []byte{3, 5, 7, 255}, []ask{{choice.Program, 5}, {choice.Program, 5}, {choice.Swarm, 8}, {choice.Program, 256}, {choice.Program, 2}}, "[3 0 7 255 -]"},
		{"numbers of two bytes", []byte{1, 2, 1, 2, 9}, []ask{{choice.Program, 1 << 16}, {choice.Program, 257}, {choice.Program, 257}, {choice.Program, 2}}, "[513 256 - -]"},
		{"numbers of four bytes", []byte{1, 2, 3, 4, 1, 2, 3}, []ask{{choice.Program, 1<<31 - 1}, {choice.Program, 1<<16 + 1}}, "[67305985 -]"},
		{"one answer needs none", nil, []ask{{choice.Program, 1}, {choice.Drop, 1}, {choice.Drop, 0}}, "[0 0 0]"},
		{"quiet", []byte{2, 192}, []ask{{choice.Drop, 2}, {choice.Fault, 9}, {choice.Clock, 2}, {choice.Duplicate, 2}, {choice.Drop, 2}}, "[0 0 0 1 -]"},
		{"numbers between", []byte{1, 4, 192}, []ask{{choice.Drop, 2}, {choice.Program, 5}, {choice.Drop, 2}, {choice.Drop, 2}}, "[0 4 0 1]"},
		{"faults", []byte{192, 193, 194, 195, 255}, many(5, ask{choice.Fault, 4}), "[1 2 3 1 1]"},
		{"all faults of one byte", []byte{192, 255}, many(2, ask{choice.Fault, 65}), "[1 64]"},
		{"more faults", []byte{200, 0, 200, 255, 200}, many(3, ask{choice.Fault, 257}), "[1 256 -]"},
		{"even more", []byte{200, 1, 1, 0}, []ask{{choice.Fault, 300}, {choice.Drop, 2}}, "[258 0]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var r answerReader
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

// randomChoices returns choices like those of a run. One in `rate` of its rare choices is
// a fault or an early timer.
func randomChoices(r *rand.Rand, length, rate int) (list []choice.Choice) {
	for range length {
		c := choice.Choice{Kind: choice.Kind(r.IntN(int(choice.Loss + 1))), N: uint32(1 + r.IntN(6))}
		switch r.IntN(20) {
		case 0:
			c.N = uint32(1 + r.IntN(400))
		case 1:
			c.N = 1 + r.Uint32N(1<<31-1) // up to the largest number of possible answers
		}
		if !c.Kind.IsRare() || r.IntN(rate) == 0 {
			c.Value = r.Uint32N(c.N)
		}
		list = append(list, c)
	}
	return list
}

// TestAnswersOfChoices converts choices to answers. The answers give the
// same choices as far as there is room, and are short if little happens.
func TestAnswersOfChoices(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cut := 0
	for i := range 3000 {
		list := randomChoices(r, r.IntN(300), 1+i%30)
		answers := appendAnswers(nil, list)
		if len(answers) > maxAnswers {
			t.Fatalf("%d answers", len(answers))
		}
		var reader answerReader
		reader.Reset(answers)
		for n, c := range list {
			v, ok := reader.Next(c.Kind, int(c.N))
			if !ok && len(answers) > maxAnswers-5 {
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

// TestQuietAnswersAreShort checks that 10,000 answers of zero to rare questions take few
// bytes, and that the bytes passed to appendAnswers remain in front.
func TestQuietAnswersAreShort(t *testing.T) {
	list := make([]choice.Choice, 10_000)
	for i := range list {
		list[i] = choice.Choice{Kind: choice.Drop, N: 2}
	}
	list[500].Value = 1
	b := appendAnswers([]byte("head"), list)
	want := append([]byte("head"), 191, 191, 115, 192)
	if len(b) != 4+3+1+50 || !bytes.Equal(b[:8], want) {
		t.Errorf("%d bytes: %v", len(b), b)
	}
}

func FuzzAnswers(f *testing.F) {
	f.Add([]byte{1, 2, 3}, []byte{0, 5, 2, 2})
	f.Add([]byte{200, 0, 200, 255, 200}, []byte{5, 255, 5, 255, 5, 255})
	f.Fuzz(func(t *testing.T, answers, asks []byte) {
		var r, again answerReader
		r.Reset(answers)
		var list []choice.Choice
		for ; len(asks) >= 2; asks = asks[2:] {
			c := choice.Choice{Kind: choice.Kind(asks[0]) % (choice.Loss + 1), N: uint32(asks[1])*uint32(asks[1]) + 1}
			v, ok := r.Next(c.Kind, int(c.N))
			if c.Value = uint32(v); !ok {
				break
			}
			if c.Check() != nil {
				t.Fatalf("%v", c.Check())
			}
			list = append(list, c)
		}
		again.Reset(appendAnswers(nil, list))
		for i, c := range list {
			if v, ok := again.Next(c.Kind, int(c.N)); ok && v != int(c.Value) {
				t.Fatalf("choice %d of %v becomes %d", i, list, v)
			}
		}
	})
}
