package pulse

import (
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/value"
)

// Identities follow Bitá, section III-B: an actor or a message is named by its
// type, the step that made it and how many that step made before; a step by
// the message and its receiver. The sender need not be hashed into a step: it
// is named by the step that sent the message. The same causal step so has the
// same identity in every run, whatever the order at other actors.

const (
	rootID    = 0 // the step that the test is
	actorSalt = 0x9e3779b97f4a7c15
	copySalt  = 0xd6e8feb86659fd93
	faultSalt = 0xa0761d6478bd642f
	count     = 0xe7037ed1a0b428db // spreads the ordinal
)

// fold mixes two words by the two halves of their 128-bit product.
func fold(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a^0x2d358dccaa6c78a5, b^0x8bb84b93962eacc9)
	return hi ^ lo
}

func messageID(typ, step uint64, nth int32) uint64 { return fold(step, typ+uint64(nth)*count) }
func actorID(typ, step uint64, nth int32) uint64 {
	return fold(step^actorSalt, typ+uint64(nth)*count)
}
func stepID(message, receiver uint64) uint64 { return fold(message, receiver) }
func copyID(message uint64) uint64           { return fold(message, copySalt) }

// faultID names a fault by its kind, whom it strikes and that actor's step before it.
func faultID(kind uint64, actor, prev uint64) uint64 {
	return fold(fold(actor, faultSalt+kind), prev)
}

// A typeInfo is what is known of a Go type once it has been seen.
type typeInfo struct {
	name string // as traces show it
	hash uint64 // of the name with its package's path, so the same in every process
}

// types finds a typeInfo by the type word of an interface: one multiply and,
// nearly always, one probe. Invariant: len(keys) is a power of two, at most
// half of it in use, and keys[i] is 0 or the word of infos[i].
type types struct {
	recent [recentTypes]recentType
	keys   []uintptr
	infos  []typeInfo
	used   int
	shift  uint8
}

// A recentType saves the search for a type that was looked up before. The
// zero value says, rightly, that no message at all, whose word is 0, has hash 0.
type recentType struct {
	word uintptr
	hash uint64
}

const recentTypes = 64

func typeWord(v any) uintptr { return *(*uintptr)(unsafe.Pointer(&v)) }

// hash is of(v).hash, small enough to be inlined.
func (t *types) hash(v any) uint64 {
	word := typeWord(v)
	if r := &t.recent[word>>5%recentTypes]; r.word == word {
		return r.hash
	}
	return t.remember(v, word)
}

func (t *types) remember(v any, word uintptr) uint64 {
	hash := t.of(v).hash
	t.recent[word>>5%recentTypes] = recentType{word, hash}
	return hash
}

func (t *types) of(v any) *typeInfo {
	word := typeWord(v)
	for i := uint64(word) * actorSalt >> t.shift; ; i = (i + 1) & uint64(len(t.keys)-1) {
		if t.keys[i] == word && word != 0 {
			return &t.infos[i]
		}
		if t.keys[i] == 0 {
			return t.add(v, word)
		}
	}
}

var nilInfo = typeInfo{name: "nil"} // hash 0: see recentType

func (t *types) add(v any, word uintptr) *typeInfo {
	if word == 0 {
		return &nilInfo
	}
	if 2*(t.used+1) > len(t.keys) {
		t.grow()
	}
	typ := reflect.TypeOf(v)
	t.used++
	return t.put(word, typeInfo{name: typ.String(), hash: hashString(value.TypeName(typ))})
}

func (t *types) put(word uintptr, info typeInfo) *typeInfo {
	i := uint64(word) * actorSalt >> t.shift
	for t.keys[i] != 0 {
		i = (i + 1) & uint64(len(t.keys)-1)
	}
	t.keys[i], t.infos[i] = word, info
	return &t.infos[i]
}

func (t *types) grow() {
	old := *t
	t.keys, t.infos = make([]uintptr, 2*len(old.keys)), make([]typeInfo, 2*len(old.keys))
	t.shift--
	for i, word := range old.keys {
		if word != 0 {
			t.put(word, old.infos[i])
		}
	}
}

func newTypes() types {
	return types{keys: make([]uintptr, 64), infos: make([]typeInfo, 64), shift: 64 - 6}
}

// hashString is FNV-1a, finished by a fold.
func hashString(s string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * 0x100000001b3
	}
	return fold(h, uint64(len(s)))
}
