package value

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A block is the memory that a pointer, a slice or a map refers to. Blocks with equal keys
// are the same block, unless the hashes collide.
type block struct {
	key        uint64  // a hash of the start, the type, and for a slice the length and, in a walk for a state, the capacity
	start, end uintptr // the addresses; end is start for a map, because no other block overlaps the memory of a map
}

// blocks is a list of blocks. Blocks are numbered in the order in which they are added, and
// removed in reverse order.
//
// Invariant: index maps the key of each of the first b.indexed blocks of list to its number.
// It may also contain removed blocks, so a number from index is valid only if the block with
// this number has the key.
type blocks struct {
	list    []block
	index   hash.Table
	indexed int
}

// With fewer than fewBlocks blocks, add searches the list and does not use the index.
const fewBlocks = 12

func (b *blocks) reset() {
	b.list, b.indexed = b.list[:0], 0
	if b.index.Len() > 0 {
		b.index.Reset()
	}
}

func (b *blocks) cut(n int) { b.list, b.indexed = b.list[:n], min(b.indexed, n) }

// add returns the number of block x in the list. If x is not in the list, add appends it.
// known reports whether x was in the list.
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

// A span is the range of memory of one block.
type span struct {
	start, end uintptr
	block      int32
}

// overlapTag is an arbitrary constant that is mixed into the hash of each overlap.
const overlapTag = 0x5ca1ab28

// Overlaps writes which blocks of the walk overlap in memory. Examples are a slice and a
// pointer to one of its elements, or two slices of one array. Each block is compared with the
// earlier block that has the highest end, so that all connected blocks are covered.
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
		slices.Sort(lines) // otherwise the order of the lines would depend on addresses
		w.Say(strings.Join(lines, "") + "\n")
	}
}
