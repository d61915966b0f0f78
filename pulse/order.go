package pulse

import (
	"math"
	"math/bits"
)

// A View records when a strategy last called Enabled.Changed. The next call of
// Changed with this View returns which deliverable messages have changed
// since, so that the strategy need not scan all messages in each step. For the
// zero View all messages count as changed. Use the zero View at the start of
// each run.
type View struct {
	run, step int32
	count     int
}

// Changed returns which messages may differ from those at the last call with
// this View. The message with index at may differ, unless at is negative, and
// so may each message with index from or higher. Both indices may exceed the
// number of messages. If a step has passed without a call to Changed, from is
// zero. Call Changed in every Pick.
func (e *Enabled) Changed(v *View) (at, from int) {
	now := View{e.sys.run, e.sys.rec.steps, len(e.mail.ready)}
	then := *v
	*v = now
	if e.last.run != now.run || e.last.step != now.step {
		e.last, e.moved, e.mail.moved = now, e.mail.moved, math.MaxInt
	}
	switch moved := min(e.moved, e.mail.moved); {
	case then.run != now.run:
		return -1, 0
	case then.step == now.step: // no step since the last call, but perhaps a clock tick
		return -1, min(moved, then.count)
	case then.step+1 == now.step:
		return e.picked, min(moved, then.count-1)
	}
	return -1, 0
}

// An Order finds the deliverable message with the highest priority. If there
// are many deliverable messages, an Order asks for the priority of a message
// only once, when the message becomes deliverable. The zero Order is ready for
// use.
type Order struct {
	view View
	tree Tournament
}

// Renew makes the Order ask for all priorities again. A strategy must call
// Renew after it has changed priorities, also at the start of a run.
func (o *Order) Renew() { o.view = View{} }

// First returns the index of the message with the highest priority. If several
// messages have that priority, First returns the smallest index. The function
// priority returns the priority of message i.
//
// If every Pick calls First, a call takes time logarithmic in the number of
// messages. After a step, First calls priority for the message that now has
// the index of the delivered message, even if both messages are of one
// channel.
func (o *Order) First(e *Enabled, priority func(i int) uint64) int {
	n := e.Len()
	if n <= fewReady {
		best, top := 0, uint64(0)
		for i := range n {
			if v := priority(i); v > top {
				best, top = i, v
			}
		}
		return best
	}
	at, from := e.Changed(&o.view)
	if at >= 0 && at < min(from, n) {
		o.tree.Set(at, priority(at))
	}
	o.tree.cut(n)
	if from == 0 {
		o.tree.fill(n, priority)
		return o.tree.First()
	}
	for i := from; i < n; i++ {
		o.tree.Set(i, priority(i))
	}
	return o.tree.First()
}

// A Tournament maintains the index of the largest word in a list. Words that
// were not set are zero. The zero Tournament is ready for use.
type Tournament struct {
	// Invariants: nodes is empty or a binary tree of 2·leaves nodes, where
	// node j has the children 2j and 2j+1. Word i of the list is node
	// leaves+i. An inner node holds the larger word of its children and the
	// index of that word. If the two words are equal, the node holds the
	// smaller index. Words with index count or higher are zero.
	nodes  []best
	leaves int
	count  int
}

type best struct {
	key uint64
	at  int32
}

// First returns the index of the largest word. If several words are largest,
// First returns the smallest index.
func (t *Tournament) First() int {
	if t.leaves == 0 {
		return 0
	}
	return int(t.nodes[1].at)
}

// Set sets word i to key.
func (t *Tournament) Set(i int, key uint64) {
	if i >= t.leaves {
		t.grow(i + 1)
	}
	t.count = max(t.count, i+1)
	at := uint64(i)
	nodes := t.nodes
	j := t.leaves + i
	nodes[j].key = key
	for ; j > 1; j /= 2 {
		// The processor cannot predict which of two siblings is larger, so the
		// code avoids a branch. less is 1 if the word of other is larger than
		// key, or if it is equal and other is on the left.
		other := &nodes[j^1]
		_, less := bits.Sub64(key, other.key, uint64(j&1))
		key ^= (key ^ other.key) & -less
		at ^= (at ^ uint64(other.at)) & -less
		up := &nodes[j/2]
		if up.key == key && up.at == int32(at) {
			return
		}
		up.key, up.at = key, int32(at)
	}
}

// Reset sets all words to zero and keeps the memory.
func (t *Tournament) Reset() { t.cut(0) }

// cut sets all words with index n or higher to zero.
func (t *Tournament) cut(n int) {
	if t.count <= n {
		return
	}
	if t.count-n > t.leaves/8 {
		clear(t.nodes[t.leaves+n : t.leaves+t.count])
		for i := n; i < t.count; i++ {
			t.nodes[t.leaves+i].at = int32(i)
		}
		t.play()
	} else {
		for i := t.count - 1; i >= n; i-- {
			t.Set(i, 0)
		}
	}
	t.count = n
}

// fill sets the first n words to key(0), ..., key(n-1).
func (t *Tournament) fill(n int, key func(i int) uint64) {
	if n > t.leaves {
		t.grow(n)
	}
	t.count = max(t.count, n)
	for i := range n {
		t.nodes[t.leaves+i].key = key(i)
	}
	t.play()
}

// grow makes room for n words.
func (t *Tournament) grow(n int) {
	old := t.nodes[t.leaves:]
	leaves := max(16, 1<<bits.Len(uint(n-1)))
	t.nodes, t.leaves = make([]best, 2*leaves), leaves
	copy(t.nodes[leaves:], old)
	for i := len(old); i < leaves; i++ {
		t.nodes[leaves+i].at = int32(i)
	}
	t.play()
}

// play recomputes all inner nodes.
func (t *Tournament) play() {
	for j := t.leaves - 1; j > 0; j-- {
		left, right := t.nodes[2*j], t.nodes[2*j+1]
		if right.key > left.key {
			left = right
		}
		t.nodes[j] = left
	}
}
