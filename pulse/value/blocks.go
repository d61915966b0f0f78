package value

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A block is the memory behind a pointer, a slice or a map. Two blocks with one key are
// the same block, unless their hashes collide.
type block struct {
	key        uint64  // of its start, the shape that leads to it and, for a slice, the length and capacity
	start, end uintptr // equal for a map: nothing else leads into its memory
}

// blocks are numbered in the order of adding, and removed in reverse order.
//
// Invariant: index has the places of the first indexed blocks of list. Other entries of
// index belong to removed blocks, so a place is valid only if list has the key there.
type blocks struct {
	list    []block
	index   hash.Table
	indexed int
}

// fewBlocks is how many blocks are searched in sequence before an index is built.
const fewBlocks = 12

func (b *blocks) reset() {
	b.list, b.indexed = b.list[:0], 0
	if b.index.Len() > 0 {
		b.index.Reset()
	}
}

// cut removes all but the first n.
func (b *blocks) cut(n int) { b.list, b.indexed = b.list[:n], min(b.indexed, n) }

// add returns the number of a block, and adds it unless it is known.
func (b *blocks) add(x block) (number int, known bool) {
	n := len(b.list)
	if n < fewBlocks {
		for i := range b.list {
			if b.list[i].key == x.key {
				return i, true
			}
		}
		b.list = append(b.list, x)
		return n, false
	}
	for ; b.indexed < n; b.indexed++ {
		b.index.Put(b.list[b.indexed].key, int32(b.indexed))
	}
	if i, had := b.index.Add(x.key, int32(n)); had {
		if int(i) < n && b.list[i].key == x.key {
			return int(i), true
		}
		b.index.Put(x.key, int32(n))
	}
	b.list = append(b.list, x)
	b.indexed++
	return n, false
}

// A span is the memory of a block.
type span struct {
	start, end uintptr
	block      int32
}

// overlapTag marks the hash of each overlap.
const overlapTag = 0x5ca1ab28

// Overlaps writes which blocks of the walk overlap, such as a slice and a pointer to one
// of its elements, or two slices of one array. Each block is placed relative to the one
// that reaches farthest among those that begin before it, so all connected blocks are
// tied together.
func (w *Walker) Overlaps() {
	w.spans = w.spans[:0]
	for i := range w.blocks.list {
		if b := &w.blocks.list[i]; b.end > b.start {
			w.spans = append(w.spans, span{b.start, b.end, int32(i)})
		}
	}
	slices.SortFunc(w.spans, func(x, y span) int {
		if x.start != y.start {
			return cmp.Compare(x.start, y.start)
		}
		return cmp.Compare(x.block, y.block)
	})
	sum, far := uint64(0), span{}
	var lines []string
	for _, sp := range w.spans {
		if sp.start < far.end {
			sum += hash.Fold(hash.Fold(overlapTag+uint64(far.block), uint64(sp.block)), uint64(sp.start-far.start))
			if w.texts {
				lines = append(lines, fmt.Sprintf("\n#%d lies %d behind #%d", sp.block+2, sp.start-far.start, far.block+2))
			}
		}
		if sp.end > far.end {
			far = sp
		}
	}
	if w.Word(sum); w.texts {
		slices.Sort(lines) // not by address
		w.Say(strings.Join(lines, "") + "\n")
	}
}
