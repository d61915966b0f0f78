package explore

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/trace"
)

// The form of a kept search: a line that says what it is, in which version,
// with a checksum of the rest; then JSON.
const (
	keptForm    = "jostle exploration "
	keptVersion = "1"
)

// A kept is what is left of a search, and what it has come to. It has all that
// the rest of the search depends on: the path of decisions and what is known
// of the branches beside it, or the frames of the optimal search. Places in
// lists and numbers of actors mean the same in any run of the program, since
// it repeats itself.
type kept struct {
	Search  searched
	Used    string // the reduction that the search has gone over to, or was asked for
	Verdict Result
	Cut     bool `json:",omitempty"` // something was left out because of a bound
	Habits  keptHabits
	Classes []byte          `json:",omitempty"` // of the distinct orders, 8 bytes each
	Touches [][]trace.Touch `json:",omitempty"`
	Nodes   []keptNode      `json:",omitempty"`
	Frames  []keptFrame     `json:",omitempty"`
	From    int             `json:",omitempty"` // the first new step of the top frame
}

// A searched is what of the options decides which runs a search makes.
type searched struct {
	Reduction     string
	Sleep         bool
	Ordering      string
	Depth         int
	CountDistinct bool
}

func (o *Options) searched() searched {
	return searched{o.Reduction.String(), o.sleeps(), o.Ordering.String(), o.Depth, o.CountDistinct && !o.sleeps()}
}

func (s searched) String() string {
	text := "reduction " + s.Reduction
	if s.Sleep {
		text += " with sleep sets"
	}
	text += ", ordering " + s.Ordering
	if s.Depth > 0 {
		text += fmt.Sprintf(", %d steps deep", s.Depth)
	}
	if s.CountDistinct {
		text += ", counting distinct orders"
	}
	return text
}

// keptHabits are what the orderings HMS and SGR have learned.
type keptHabits struct {
	Received, Sent []int32 `json:",omitempty"`
	Leads          []bool  `json:",omitempty"`
}

type keptNode struct {
	Hash        uint64
	Kind        kind
	First       int32 `json:",omitempty"` // of turns: the message that is taken first
	N, Cur      int32
	Step, Group int32
	Delay, Open bool
	Done        int32
	Leaves      float64
	Cands       []keptCand `json:",omitempty"`
}

type keptCand struct {
	Seq, Index, Send, Actor, Channel, Rank int32
	Touches                                int32 `json:",omitempty"` // a place in kept.Touches, plus one
	Mark                                   mark
}

type keptFrame struct {
	Base, Words int
	Past        []byte // 8 bytes a word
	Steps       []keptStep
}

// A keptStep holds what of the frame's lists belongs to the step.
type keptStep struct {
	ID, Hash           uint64
	Index, N           int32
	ByDefault, Settled bool
	Alts               []keptAlt     `json:",omitempty"`
	Answers            []keptReply   `json:",omitempty"`
	Revisits           []keptRevisit `json:",omitempty"`
}

type keptAlt struct {
	ID    uint64
	Index int32
}

type keptReply struct{ Value, N int32 }

type keptRevisit struct {
	Step int32
	ID   uint64
}

// encode writes a search in its form.
func (k *kept) encode() ([]byte, error) {
	body, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	return append(fmt.Appendf(nil, "%s%s %s\n", keptForm, keptVersion, checksum(body)), body...), nil
}

func checksum(body []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) }

// decode reads a search. An error says what is wrong and what to do.
func decode(data []byte) (*kept, error) {
	line, body, _ := bytes.Cut(data, []byte("\n"))
	words, is := strings.CutPrefix(string(line), keptForm)
	switch {
	case strings.HasPrefix(keptForm+keptVersion, string(line)):
		return nil, errors.New("it is not whole: remove it to begin again")
	case !is:
		return nil, errors.New("it is not an exploration that was kept by jostle: name another file")
	}
	version, sum, _ := strings.Cut(words, " ")
	if version != keptVersion {
		return nil, fmt.Errorf("it is of version %.20q, and this jostle knows version %s: "+
			"go on with the jostle that wrote it, or remove it to begin again", version, keptVersion)
	}
	if checksum(body) != sum {
		return nil, errors.New("it is damaged or not whole: remove it to begin again")
	}
	k := &kept{}
	err := json.Unmarshal(body, k)
	if err == nil {
		err = k.check()
	}
	if err != nil {
		return nil, fmt.Errorf("it is not what jostle writes: remove it to begin again (%w)", err)
	}
	return k, nil
}

// check says what in a kept search cannot be so. What it lets pass can be gone
// on with, though it may be of another program.
func (k *kept) check() error {
	if used := reductionOf(k.Used); used == reductions {
		return fmt.Errorf("there is no reduction %.20q", k.Used)
	}
	size := len(k.Habits.Received)
	if len(k.Habits.Sent) != size || len(k.Habits.Leads) != size*size || size > 1<<15 || len(k.Classes)%8 != 0 {
		return errors.New("its lists have wrong lengths")
	}
	for i := range k.Nodes {
		if err := k.Nodes[i].check(len(k.Touches)); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	if used := reductionOf(k.Used); len(k.Frames) > 0 && used != Optimal || len(k.Frames) == 0 && used == Optimal {
		return errors.New("its frames are not of its reduction")
	}
	for i := range k.Frames {
		top := i == len(k.Frames)-1
		if err := k.Frames[i].check(top, k.From); err != nil {
			return fmt.Errorf("frame %d: %w", i, err)
		}
	}
	return nil
}

func reductionOf(name string) Reduction {
	if i := slices.Index(reductionNames[:], name); i >= 0 {
		return Reduction(i)
	}
	return reductions
}

func (n *keptNode) check(touches int) error {
	switch {
	case n.Kind > strikes || n.N < 1 || n.Cur < 0 || n.Cur >= n.N || n.Step < 0:
		return errors.New("it is no decision")
	case n.First < 0 || n.First > 0 && (n.Kind != turns || n.First >= n.N):
		return fmt.Errorf("it cannot begin with message %d of %d", n.First, n.N)
	case n.Kind == picks && int(n.N) != len(n.Cands) || n.Kind != picks && len(n.Cands) > 0:
		return fmt.Errorf("it has %d messages of %d", len(n.Cands), n.N)
	case n.Group < 0 || n.Group > n.N:
		return fmt.Errorf("it has taken up %d messages of %d", n.Group, n.N)
	}
	for _, c := range n.Cands {
		if c.Index < 0 || c.Index >= n.N || c.Send < 0 || c.Actor < 0 || c.Touches < 0 || int(c.Touches) > touches {
			return fmt.Errorf("it has a message that cannot be: %+v", c)
		}
	}
	return nil
}

// mostWords bounds a set of steps: more would be runs of millions of steps, of
// which none could be kept.
const mostWords = 1 << 16

// check checks a frame. What is to be found out anew of the top frame, from
// step `from` on, need not be there.
func (f *keptFrame) check(top bool, from int) error {
	sets := len(f.Steps)
	if top {
		sets = from
	}
	switch {
	case f.Base < 0 || f.Base > len(f.Steps) || sets < 0 || sets > len(f.Steps) || len(f.Steps) == 0:
		return errors.New("its steps are not all there")
	case f.Words < 0 || f.Words > mostWords || len(f.Past)%8 != 0 || len(f.Past)/8 < sets*f.Words || !top && f.Words*64 < sets:
		return errors.New("its sets of steps are not all there")
	}
	for i := range f.Steps {
		if err := f.Steps[i].check(int32(i)); err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
	return nil
}

func (s *keptStep) check(number int32) error {
	if s.Index < unknown || s.Index >= max(s.N, 1) {
		return fmt.Errorf("it takes message %d of %d", s.Index, s.N)
	}
	for _, a := range s.Alts {
		if a.Index < 0 || a.Index >= s.N {
			return fmt.Errorf("it could take message %d of %d", a.Index, s.N)
		}
	}
	for _, q := range s.Answers {
		if q.Value < 0 || q.Value >= q.N {
			return fmt.Errorf("it has answer %d of %d", q.Value, q.N)
		}
	}
	for _, r := range s.Revisits {
		if r.Step < 0 || r.Step >= number {
			return fmt.Errorf("it revisits step %d", r.Step)
		}
	}
	return nil
}

// keep adds the path to what is kept.
func (s *stack) keep(k *kept) {
	for i := range s.nodes {
		n := &s.nodes[i]
		m := keptNode{Hash: n.hash, Kind: n.kind, N: n.n, Cur: n.cur, Step: n.step, Group: n.group,
			Delay: n.delay, Open: n.open, Done: n.done, Leaves: n.leaves}
		switch n.kind {
		case turns:
			m.First = n.base
		case picks:
			for _, c := range s.of(n) {
				m.Cands = append(m.Cands, keptCand{c.seq, c.index, c.send, c.actor, c.channel, c.rank, c.touches, c.mark})
			}
		}
		k.Nodes = append(k.Nodes, m)
	}
}

// restore makes the path of what was kept. The sets of touches have the
// places that touches says.
func (s *stack) restore(k *kept, touches []int32) {
	for i := range k.Nodes {
		m := &k.Nodes[i]
		n := node{hash: m.Hash, kind: m.Kind, n: m.N, cur: m.Cur, step: m.Step, group: m.Group, pick: s.lastPick(),
			delay: m.Delay, open: m.Open, done: m.Done, leaves: m.Leaves}
		switch m.Kind {
		case turns:
			n.base = m.First
		case picks:
			n.base = int32(len(s.cands))
		}
		for _, c := range m.Cands {
			d := cand{seq: c.Seq, index: c.Index, send: c.Send, actor: c.Actor, channel: c.Channel, rank: c.Rank, mark: c.Mark}
			if c.Touches > 0 {
				d.touches = touches[c.Touches-1]
			}
			s.cands = append(s.cands, d)
		}
		s.nodes = append(s.nodes, n)
	}
}

// keep returns what is kept of a frame. Of the last step, what is left to vary
// may be less than its ends say.
func (f *frame) keep() keptFrame {
	sets := f.past[:min(len(f.past), len(f.steps)*f.words)]
	g := keptFrame{Base: f.base, Words: f.words, Past: packed(sets)}
	for i := range f.steps {
		s := &f.steps[i]
		t := keptStep{ID: s.id, Hash: s.hash, Index: s.index, N: s.n, ByDefault: s.byDefault, Settled: s.settled}
		alts, answers, revisits := f.ends(i - 1)
		for _, a := range f.alts[alts:min(int(s.alts), len(f.alts))] {
			t.Alts = append(t.Alts, keptAlt{a.id, a.index})
		}
		for _, q := range f.answers[answers:min(int(s.answers), len(f.answers))] {
			t.Answers = append(t.Answers, keptReply{q.value, q.n})
		}
		for _, r := range f.revisits[revisits:min(int(s.revisits), len(f.revisits))] {
			t.Revisits = append(t.Revisits, keptRevisit{r.step, r.id})
		}
		g.Steps = append(g.Steps, t)
	}
	return g
}

// restore makes a frame of what was kept of it.
func (g *keptFrame) restore() *frame {
	f := &frame{base: g.Base, words: g.Words, past: unpacked(g.Past)}
	for i := range g.Steps {
		t := &g.Steps[i]
		for _, a := range t.Alts {
			f.alts = append(f.alts, alt{a.ID, a.Index})
		}
		for _, q := range t.Answers {
			f.answers = append(f.answers, reply{q.Value, q.N})
		}
		for _, r := range t.Revisits {
			f.revisits = append(f.revisits, revisit{r.Step, r.ID})
		}
		f.steps = append(f.steps, taken{id: t.ID, hash: t.Hash, index: t.Index, n: t.N, byDefault: t.ByDefault, settled: t.Settled,
			alts: int32(len(f.alts)), answers: int32(len(f.answers)), revisits: int32(len(f.revisits))})
	}
	return f
}

// packed writes words as bytes, which take less room in JSON.
func packed(words []uint64) []byte {
	b := make([]byte, 0, 8*len(words))
	for _, x := range words {
		b = binary.LittleEndian.AppendUint64(b, x)
	}
	return b
}

func unpacked(b []byte) []uint64 {
	words := make([]uint64, len(b)/8)
	for i := range words {
		words[i] = binary.LittleEndian.Uint64(b[8*i:])
	}
	return words
}
