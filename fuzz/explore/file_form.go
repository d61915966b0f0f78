package explore

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"strings"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// The file of a search begins with a line that contains the format, its version and a
// checksum. The checksum is that of the JSON text that follows.
const (
	keptForm    = "jostle exploration "
	keptVersion = "2"
)

// A kept is a search in the form in which it is saved in a file. It has the result so
// far, and everything needed to continue the search. For a depth-first search that is the
// path of decisions, with marks for the branches to explore. For an optimal search it is
// the stack of frames. Saved indices are valid in any run, because the program is
// deterministic.
//
// The names of the fields are also the names in the file, so they must not change within
// a version.
type kept struct {
	Name     string `json:",omitempty"` // the name of the explored program
	Search   keptMethod
	Used     string          // the reduction in use, which differs from the requested one after a restart
	Sleeps   bool            // set if sleep sets are in use
	Divides  bool            `json:",omitempty"` // lessons.divides
	Heeds    bool            `json:",omitempty"` // lessons.heedsMeetings
	Verdict  Result          // the result so far
	Probed   map[string]int  `json:",omitempty"` // the number of failed probes, by signature
	Cut      bool            `json:",omitempty"` // set if a bound has excluded some orders
	Habits   keptHabits      // statistics for OrderHMS, OrderSGR and Optimal
	Classes  []byte          `json:",omitempty"` // the hashes of the distinct orders, 8 bytes each
	Touches  [][]trace.Touch `json:",omitempty"` // the sets of accesses by the candidates' steps: see touches
	Nodes    []keptNode      `json:",omitempty"` // the path of a depth-first search
	Frames   []keptFrame     `json:",omitempty"` // the stack of an optimal search
	Unwanted []byte          `json:",omitempty"` // the questions whose answer is no (optimal.unwanted), 8 bytes each
	From     int             `json:",omitempty"` // the number of steps that the last frame shares with the run made last
}

// A keptMethod holds the options that determine the runs of a search. A search continues
// from a file only if its keptMethod equals the file's keptMethod.
type keptMethod struct {
	Reduction     string
	Sleep         bool
	Ordering      string
	Depth         int
	CountDistinct bool
}

func keptMethodOf(m *Method) keptMethod {
	return keptMethod{m.Reduction.String(), m.sleeps(), m.Ordering.String(), m.Depth, m.listsClasses()}
}

func (s keptMethod) String() string {
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

// keptHabits are the habits (statistics about actors) in a file.
type keptHabits struct {
	Received, Sent []int32 `json:",omitempty"`
	Leads          []bool  `json:",omitempty"`
	Refused        []int32 `json:",omitempty"`
}

// A keptNode is a node of the path in a file.
type keptNode struct {
	Hash        uint64 // node.digest
	Kind        kind
	First       int32      `json:",omitempty"` // for kind turns, the index of the message taken first; else not saved
	N, Cur      int32      // node.answers and node.current
	Step, Group int32      // node.step and node.groupEnd
	Delay, Open bool       // node.nextGroup and node.opened
	Cands       []keptCand `json:",omitempty"`
}

// A keptCand is a candidate (a possible event at a choice point) in a file.
type keptCand struct {
	Seq, Index, Send, Actor, Channel, Rank int32
	Touches                                int32         `json:",omitempty"` // the step's accesses: an index in kept.Touches, plus one; 0 for none
	Kind                                   candidateKind `json:",omitempty"`
	Mark                                   mark
}

// A keptFrame is a frame (a prefix of decisions of the optimal search) in a file.
type keptFrame struct {
	Base, Words int
	Past        []byte // the happens-before sets (frame.past), 8 bytes per word
	Question    uint64 `json:",omitempty"`
	Steps       []keptStep
}

// A keptStep is a frameStep in a file, together with its elements of frame.alts,
// frame.answers and frame.revisits.
type keptStep struct {
	ID, Hash           uint64
	Index, N           int32
	ByDefault, Settled bool
	Alts               []keptAlt     `json:",omitempty"`
	Answers            []keptReply   `json:",omitempty"`
	Revisits           []keptRevisit `json:",omitempty"`
}

// A keptAlt is an alt (an alternative message of a step) in a file.
type keptAlt struct {
	ID    uint64
	Index int32
}

// A keptReply is a reply (the value of a choice) in a file.
type keptReply struct{ Value, N int32 }

// A keptRevisit is a revisit (see the type revisit) in a file.
type keptRevisit struct {
	Step     int32
	ID       uint64
	Question uint64 `json:",omitempty"`
}

// encode returns the text of the file.
func (k *kept) encode() ([]byte, error) {
	body, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	body = append(body, '\n')
	return append(fmt.Appendf(nil, "%s%s %s\n", keptForm, keptVersion, checksum(body)), body...), nil
}

func checksum(body []byte) string { return fmt.Sprintf("%08x", crc32.ChecksumIEEE(body)) }

// decode returns the search that the text of a file describes. Its errors say what is
// wrong and what to do.
func decode(data []byte) (*kept, error) {
	line, body, _ := bytes.Cut(data, []byte("\n"))
	words, is := strings.CutPrefix(string(line), keptForm)
	switch {
	case strings.HasPrefix(keptForm+keptVersion, string(line)):
		return nil, errors.New("it is incomplete: remove it to start over")
	case !is:
		return nil, errors.New("it is not an exploration saved by jostle: use another file")
	}
	version, sum, _ := strings.Cut(words, " ")
	if version != keptVersion {
		return nil, fmt.Errorf("it has version %.20q, and this jostle supports version %s: "+
			"continue with the jostle that wrote it, or remove it to start over", version, keptVersion)
	}
	if checksum(body) != sum {
		return nil, errors.New("it is damaged or incomplete: remove it to start over")
	}
	k := &kept{}
	err := json.Unmarshal(body, k)
	if err == nil {
		err = k.check()
	}
	if err != nil {
		return nil, fmt.Errorf("its contents are invalid: remove it to start over (%w)", err)
	}
	return k, nil
}

// check returns an error if the saved search is inconsistent. If it is consistent, a
// search can continue from it, though it may belong to another program.
func (k *kept) check() error {
	used, ok := reductionOf(k.Used)
	if !ok {
		return fmt.Errorf("there is no reduction %.20q", k.Used)
	}
	size := len(k.Habits.Received)
	if len(k.Habits.Sent) != size || len(k.Habits.Leads) != size*size || size > 1<<15 || len(k.Classes)%8 != 0 || len(k.Unwanted)%8 != 0 {
		return errors.New("some of its lists have invalid lengths")
	}
	for i := range k.Nodes {
		if err := k.Nodes[i].check(len(k.Touches)); err != nil {
			return fmt.Errorf("node %d: %w", i, err)
		}
	}
	if (len(k.Frames) > 0) != (used == Optimal) {
		return errors.New("only a search with the reduction optimal has frames, and it has at least one")
	}
	for i := range k.Frames {
		top := i == len(k.Frames)-1
		if err := k.Frames[i].check(top, k.From); err != nil {
			return fmt.Errorf("frame %d: %w", i, err)
		}
	}
	return nil
}

// canBe reports whether c is valid at a node with `of` candidates.
func (c *keptCand) canBe(of int32) bool {
	isIndex := c.Index >= 0 && c.Index < of
	switch c.Kind {
	case aMessage:
		return isIndex && c.Send >= 0 && c.Actor >= 0
	case aCrash:
		return isIndex && c.Send == trace.None && c.Actor >= 0
	case aPass:
		return isIndex && c.Send == trace.None && c.Actor == trace.None
	}
	return c.Kind == noCrash && c.Index == pulse.Hold && c.Send == trace.None && c.Actor >= 0
}

func (n *keptNode) check(touches int) error {
	switch {
	case n.Kind > strikes || n.N < 1 || n.Cur < 0 || n.Cur >= n.N || n.Step < 0:
		return errors.New("its kind, index or step is invalid")
	case n.First < 0 || n.First > 0 && (n.Kind != turns || n.First >= n.N):
		return fmt.Errorf("its first message has the index %d, with %d messages deliverable", n.First, n.N)
	case n.Kind == picks && int(n.N) != len(n.Cands) || n.Kind != picks && len(n.Cands) > 0:
		return fmt.Errorf("it has %d candidates for %d alternatives", len(n.Cands), n.N)
	case n.Group < 0 || n.Group > n.N:
		return fmt.Errorf("it has marked %d of %d candidates", n.Group, n.N)
	}
	for _, c := range n.Cands {
		if !c.canBe(n.N) || c.Touches < 0 || int(c.Touches) > touches {
			return fmt.Errorf("it has an invalid candidate: %+v", c)
		}
	}
	return nil
}

// mostWords bounds the length of a set of steps. A larger set would belong to a run of
// millions of steps, which could not be saved.
const mostWords = 1 << 16

// check returns an error if a frame is inconsistent. In the top frame, the happens-before
// sets of steps that the next run does not share may be missing, because those sets are
// recomputed.
func (f *keptFrame) check(top bool, shared int) error {
	sets := len(f.Steps)
	if top {
		sets = shared
	}
	switch {
	case f.Base < 0 || f.Base > len(f.Steps) || sets < 0 || sets > len(f.Steps) || len(f.Steps) == 0:
		return errors.New("steps are missing")
	case f.Words < 0 || f.Words > mostWords || len(f.Past)%8 != 0 || len(f.Past)/8 < sets*f.Words || !top && f.Words*64 < sets:
		return errors.New("happens-before sets are missing")
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
		return fmt.Errorf("its message has the index %d, with %d messages deliverable", s.Index, s.N)
	}
	for _, a := range s.Alts {
		if a.Index < 0 || a.Index >= s.N {
			return fmt.Errorf("an alternative message has the index %d, with %d messages deliverable", a.Index, s.N)
		}
	}
	for _, q := range s.Answers {
		if q.Value < 0 || q.Value >= q.N {
			return fmt.Errorf("a choice has the answer %d, with %d alternatives", q.Value, q.N)
		}
	}
	for _, r := range s.Revisits {
		if r.Step < 0 || r.Step >= number {
			return fmt.Errorf("it revisits step %d, which is no earlier step", r.Step)
		}
	}
	return nil
}

// packed returns words as bytes, because bytes take less space in JSON than numbers.
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
