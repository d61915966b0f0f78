package value

import (
	"cmp"
	"reflect"
	"slices"
	"unsafe"
)

// A mapBuffer holds copies of the entries of a map during a walk.
type mapBuffer struct {
	iter         reflect.MapIter
	keys, values reflect.Value // reflect slices with copies of the map's keys and of its values
	firstKey     unsafe.Pointer
	firstValue   unsafe.Pointer
	order        []keyedEntry // the sorted entries, which Walker.order sets
}

// A keyedEntry is an entry of a mapBuffer, given by its index, with the hash by which it is
// sorted.
type keyedEntry struct {
	key   uint64
	place int
}

// mapping writes a map, or a reference to it if the walk has written the map
// before.
func (w *Walker) mapping(sh *shape, m unsafe.Pointer) {
	switch {
	case m == nil:
		w.Tag(0, "nil ")
	case !w.refer(sh, m, 0, 0):
	case w.later && !(sh.key.plain && sh.elem.plain):
		w.postpone(sh, m, 0)
	case w.deeper():
		w.entries(sh, m)
		w.depth--
	}
}

// entries writes the entries of the map m. It writes the sum of the entries' hashes if keys
// and values are plain and the walk writes no text. Otherwise it writes the entries sorted by
// hash.
func (w *Walker) entries(sh *shape, m unsafe.Pointer) {
	w.cell = m
	n := sh.inCell.Len()
	w.Signed(int64(n))
	b := sh.fill(n)
	w.cell = nil
	if sh.key.plain && sh.elem.plain && !w.texts {
		sum := uint64(0)
		for i := range n {
			sum += w.probeEntry(sh, b, i)
		}
		w.Word(sum)
	} else {
		w.sortedEntries(sh, b, n)
	}
	b.iter.Reset(reflect.Value{})
	b.keys.Clear()
	b.values.Clear()
	sh.buffers = append(sh.buffers, b)
}

// fill copies the n entries of the map that the field inCell holds into a
// buffer.
func (sh *shape) fill(n int) *mapBuffer {
	var b *mapBuffer
	if last := len(sh.buffers) - 1; last >= 0 {
		b, sh.buffers = sh.buffers[last], sh.buffers[:last]
	} else {
		b = &mapBuffer{}
	}
	if !b.keys.IsValid() || b.keys.Len() < n {
		b.keys = reflect.MakeSlice(reflect.SliceOf(sh.key.typ), 2*n, 2*n)
		b.values = reflect.MakeSlice(reflect.SliceOf(sh.elem.typ), 2*n, 2*n)
		b.firstKey, b.firstValue = b.keys.UnsafePointer(), b.values.UnsafePointer()
	}
	b.iter.Reset(sh.inCell)
	for i := 0; b.iter.Next(); i++ {
		b.keys.Index(i).SetIterKey(&b.iter)
		b.values.Index(i).SetIterValue(&b.iter)
	}
	return b
}

func (w *Walker) key(sh *shape, b *mapBuffer, i int) {
	w.value(sh.key, unsafe.Add(b.firstKey, uintptr(i)*sh.key.size))
}

func (w *Walker) entry(sh *shape, b *mapBuffer, i int) {
	if w.key(sh, b, i); !w.unread {
		w.Say("→ ")
		w.value(sh.elem, unsafe.Add(b.firstValue, uintptr(i)*sh.elem.size))
	}
}

// probeEntry returns the hash of a single entry.
func (w *Walker) probeEntry(sh *shape, b *mapBuffer, i int) uint64 {
	m := w.Probe()
	w.entry(sh, b, i)
	return w.EndProbe(m)
}

// order sorts the entries of a buffer by the hash of the key. If keys contain pointers, a walk
// for a state sorts by the hash of the whole entry.
func (w *Walker) order(sh *shape, b *mapBuffer, n int) {
	whole := !sh.key.plain && !w.later
	b.order = b.order[:0]
	for i := range n {
		m := w.Probe()
		if whole {
			w.entry(sh, b, i)
		} else if w.key(sh, b, i); w.later {
			w.runOneLevel(int(m.errands))
		}
		b.order = append(b.order, keyedEntry{w.EndProbe(m), i})
		if w.unread {
			return
		}
	}
	slices.SortFunc(b.order, func(x, y keyedEntry) int { return cmp.Compare(x.key, y.key) })
}

// runOneLevel runs the errands from index n on, and discards the errands that these errands
// add. The discarded errands might lead to maps whose keys lead to further maps, and so on.
// Each map would have to be sorted again in every probe of a key of the previous map.
func (w *Walker) runOneLevel(n int) {
	for i, end := n, len(w.errands); i < end; i++ {
		w.run(w.errands[i])
	}
	clear(w.errands[n:])
	w.errands = w.errands[:n]
}

// sortedEntries writes entries in the order of their hashes. Two entries with equal hashes
// cannot be sorted. They differ only in the identity of the blocks that they refer to, or
// below the first level. A walk for a state cannot read a map with such entries. A walk for a
// fingerprint writes the sum of their hashes, and forgets the blocks that they refer to.
func (w *Walker) sortedEntries(sh *shape, b *mapBuffer, n int) {
	if w.order(sh, b, n); w.unread {
		return
	}
	w.Say("[")
	for i, end := 0, 0; i < n; i = end {
		for end = i + 1; end < n && b.order[end].key == b.order[i].key; end++ {
		}
		switch {
		case end == i+1:
			w.entry(sh, b, b.order[i].place)
		case w.addresses:
			sum := uint64(0)
			for _, k := range b.order[i:end] {
				sum += w.probeEntry(sh, b, k.place)
			}
			w.Word(sum)
		default:
			w.cannot("holds a map with keys that cannot be told apart")
		}
		if w.unread {
			return
		}
	}
	w.Say("] ")
}
