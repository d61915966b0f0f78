package coverage

import (
	"reflect"
	"slices"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A vocabulary gives a number to each text, and holds the hash of each text.
type vocabulary struct {
	numbers map[string]int32
	texts   []string
	hashes  []uint64
	bytes   int
}

func (v *vocabulary) of(text string) int32 {
	n, ok := v.numbers[text]
	if !ok {
		if v.numbers == nil {
			v.numbers = map[string]int32{}
		}
		n = int32(len(v.texts))
		v.numbers[text] = n
		v.texts = append(v.texts, text)
		v.hashes = append(v.hashes, hash.String(text))
		v.bytes += len(text) + perText
	}
	return n
}

// placed returns the index of an actor in receivers, or -1 if the actor is unknown.
func (o *Orders) placed(id uint64) int32 {
	if place, ok := o.places.Get(id); ok {
		return place
	}
	return -1
}

// placeOf returns the index of an actor in receivers. It adds the actor if it is new.
// Beyond the limits, all new actors of a type share one receiver.
func (o *Orders) placeOf(a *trace.Actor) int32 {
	if place := o.placed(a.ID); place >= 0 {
		return place
	}
	if len(o.receivers) < mostActors && !o.full() {
		return o.addReceiver(receiver{id: a.ID, name: o.words.of(a.Type), label: o.words.of(a.Label)})
	}
	id := hash.Fold(hash.String(a.Type), foldSalt)
	if place, ok := o.places.Get(id); ok {
		return place
	}
	return o.addReceiver(receiver{id: id, name: o.words.of(a.Type), label: o.words.of("(others)")})
}

// The bytes that a step, an actor and a text take in addition to rows. They include an
// entry of a hash table that is a quarter full.
const (
	perStep  = 24 + 4*16
	perActor = 256 + 4*16
	perText  = 96
)

const foldSalt = 0x9fb21c651e98df25

func (o *Orders) addReceiver(r receiver) int32 {
	place := int32(len(o.receivers))
	o.receivers = append(o.receivers, r)
	o.places.Put(r.id, place)
	o.bytes += perActor
	return place
}

// full reports whether the memory for rows is used up.
func (o *Orders) full() bool {
	most := o.Bytes
	if most <= 0 {
		most = defaultBytes
	}
	return o.Memory() >= most
}

// isShared reports whether a receiver stands for several actors of one type.
func (o *Orders) isShared(a *receiver) bool {
	return a.id == hash.Fold(o.words.hashes[a.name], foldSalt)
}

// A numbering maps the identity of each known step to the step's number at its actor, or
// to skipped if the step does not count.
type numbering struct {
	hash.Table
	// near is a cache of the table. It has perNear entries for each step, so that
	// collisions are rare, but at most mostNear entries.
	near []numbered
}

// A numbered is an entry of the cache: a step with its number. The zero value is an empty
// entry.
type numbered struct {
	id     uint64
	number int32
}

const (
	leastNear = 1 << 7
	mostNear  = 1 << 13
	perNear   = 8
)

// nearest returns the entry of the cache near that a step may use. The cache must not be
// empty.
func nearest(near []numbered, id uint64) *numbered { return &near[id&uint64(len(near)-1)] }

// set records the number of a step, in the table and in the cache.
func (n *numbering) set(id uint64, k int32) {
	n.Put(id, k)
	if len(n.near) > 0 {
		*nearest(n.near, id) = numbered{id, k}
	}
}

// widen makes the cache large enough for the known steps. If the cache grows, it is empty
// afterwards.
func (n *numbering) widen() {
	want := max(len(n.near), leastNear)
	for want < mostNear && want < perNear*n.Len() {
		want *= 2
	}
	if want > len(n.near) {
		n.near = make([]numbered, want)
	}
}

// read writes the number of each step, beginning at index from, into the slice run. It
// stops at the first step without a number and returns the index of the step, or
// len(steps). The cache halves the time of a look-up.
func (n *numbering) read(steps []trace.Step, run []int32, from int) int {
	near := n.near
	run = run[:len(steps)]
	for i := from; i < len(steps); i++ {
		st := &steps[i]
		if st.Kind != trace.Receive || st.Settled {
			run[i] = skipped
			continue
		}
		at := nearest(near, st.ID)
		if at.id != st.ID || at.id == 0 {
			k, ok := n.Get(st.ID)
			if !ok {
				return i
			}
			*at = numbered{st.ID, k}
		}
		run[i] = at.number
	}
	return len(steps)
}

// read fills o.run with the number of each step of a run. It gives numbers to new steps.
func (o *Orders) read(t *trace.Trace) {
	o.run = slices.Grow(o.run[:0], len(t.Steps))[:len(t.Steps)]
	o.numbers.widen()
	for i := o.numbers.read(t.Steps, o.run, 0); i < len(o.run); i = o.numbers.read(t.Steps, o.run, i+1) {
		o.run[i] = o.number(t, i)
	}
}

// number gives a number to a step without one, and returns the number. It returns skipped
// if the step does not count.
func (o *Orders) number(t *trace.Trace, step int) int32 {
	st := &t.Steps[step]
	if !Counts(t, step) {
		if o.skips < mostSkipped {
			o.skips++
			o.numbers.set(st.ID, skipped)
		}
		return skipped
	}
	l, d := &o.live[st.Actor], &t.Sends[st.Send]
	if l.place < 0 {
		l.place = o.placeOf(&t.Actors[st.Actor])
	}
	if o.hasNoRoom(l.place) {
		return o.fold(l.place, d)
	}
	return o.addStep(l.place, told{id: st.ID, msg: o.words.of(typeOf(d)), from: o.words.of(senderOf(t, d))})
}

// hasNoRoom reports whether further steps of a receiver are told apart by message type alone.
func (o *Orders) hasNoRoom(place int32) bool {
	a, limit := &o.receivers[place], o.Steps
	if limit <= 0 {
		limit = defaultSteps
	}
	return len(a.steps) >= limit || o.full() || o.isShared(a)
}

// fold returns the number of a folded step, which is a step beyond the limits. All folded
// steps of an actor with the same message type have one number.
func (o *Orders) fold(place int32, d *trace.Send) int32 {
	typ := reflect.TypeOf(d.Body)
	if f := &o.last; f.typ == typ && f.place == place && f.kind == d.Kind && typ != nil {
		o.own.folded++
		return f.number
	}
	k := o.folded(place, o.words.of(typeOf(d)))
	o.last = folding{typ, place, d.Kind, k}
	return k
}

// folded returns the number that all folded steps of an actor with the given message type have.
func (o *Orders) folded(place, msg int32) int32 {
	o.own.folded++
	id := hash.Fold(o.receivers[place].id^foldSalt, o.words.hashes[msg])
	k, ok := o.numbers.Get(id)
	if !ok {
		k = o.addStep(place, told{id: id, msg: msg, from: o.words.of("(any)"), folded: true})
	}
	return k
}

// A folding caches the last result of fold, because consecutive folded steps often have
// the same actor and message type.
type folding struct {
	typ    reflect.Type
	place  int32
	kind   trace.SendKind
	number int32
}

// typeOf returns the name of the type of a message, including the package.
func typeOf(d *trace.Send) string {
	if d.Body == nil {
		return d.Kind.String()
	}
	return reflect.TypeOf(d.Body).String()
}

func senderOf(t *trace.Trace, d *trace.Send) string {
	if d.From < 0 || d.From == trace.Test {
		return "test"
	}
	return t.Actors[d.From].Label
}

func (o *Orders) addStep(place int32, s told) int32 {
	a := &o.receivers[place]
	k := int32(len(a.steps))
	a.steps = append(a.steps, s)
	o.bytes += perStep
	o.numbers.set(s.id, k)
	if int(k) >= 64*a.width {
		o.widen(a)
	}
	for m := range a.rows {
		if m < open || len(a.rows[m]) > 0 {
			a.rows[m] = appendZeros(a.rows[m], a.width)
			o.bytes += 8 * a.width
		}
	}
	a.rows[many][int(k)*a.width+int(k)>>6] |= 1 << (k & 63)
	return k
}

// Rows of at least manyWords words grow by an eighth at a time, and shorter rows double.
// Longer rows are needed only for folded steps, which have the numbers beyond Orders.Steps
// and are few.
const manyWords = defaultSteps / 64

// widen makes all rows of a receiver longer, for more step numbers.
func (o *Orders) widen(a *receiver) {
	width := max(1, 2*a.width)
	if a.width >= manyWords {
		width = a.width + a.width/8
	}
	for m, old := range a.rows {
		if a.width == 0 || len(old) == 0 {
			continue
		}
		wide := make([]uint64, 0, 2*width*(len(old)/a.width))
		for i := 0; i < len(old); i += a.width {
			wide = appendZeros(append(wide, old[i:i+a.width]...), width-a.width)
		}
		o.bytes += 8 * (len(wide) - len(old))
		a.rows[m] = wide
	}
	a.width = width
}

// appendZeros appends n zeros to list. If the list is full, it doubles the capacity,
// because the caller appends one row at a time.
func appendZeros(list []uint64, n int) []uint64 {
	if len(list)+n > cap(list) {
		list = append(make([]uint64, 0, max(16, 2*(len(list)+n))), list...)
	}
	end := len(list)
	list = list[:end+n]
	clear(list[end:])
	return list
}

// Folded returns the number of receives that were told apart by message type alone, because
// their actor had too many steps or the memory was used up.
func (o *Orders) Folded() (n int) {
	for _, s := range o.past.sources {
		n += s.folded
	}
	return n
}

// Memory returns the number of bytes that count toward the limit Bytes. These are the bytes
// of receivers, steps, texts and rows.
func (o *Orders) Memory() int { return o.bytes + o.words.bytes }
