package pulse

import (
	"reflect"
	"unsafe"

	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/value"
)

// The identities are those of the paper Bitá (Tasharofi et al., ASE 2013),
// section III-B. The identity of an actor or a message is a hash of its type,
// the step that made it, and its ordinal number among the actors or messages
// made by that step. The identity of a step is a hash of the received message
// and the receiver. So a step with the same causal history has the same
// identity in every run, whatever the order of concurrent steps of other
// actors.

const (
	rootID    = 0 // stands for the identity of the step that creates an actor or a message, if the test creates it
	actorSalt = hash.Gamma
	copySalt  = 0xd6e8feb86659fd93
	faultSalt = 0xa0761d6478bd642f
	count     = 0xe7037ed1a0b428db // multiplied with the ordinal number of an actor or message among those made by one step
)

func messageID(typ, step uint64, nth int32) uint64 { return hash.Fold(step, typ+uint64(nth)*count) }
func actorID(typ, step uint64, nth int32) uint64 {
	return hash.Fold(step^actorSalt, typ+uint64(nth)*count)
}
func stepID(message, receiver uint64) uint64 { return hash.Fold(message, receiver) }
func copyID(message uint64) uint64           { return hash.Fold(message, copySalt) }

// faultID returns the identity of a fault: a hash of its kind, the affected
// actor and the identity of that actor's previous step.
func faultID(kind uint64, actor, prev uint64) uint64 {
	return hash.Fold(hash.Fold(actor, faultSalt+kind), prev)
}

// A typeInfo caches what the system needs to know about a Go type.
type typeInfo struct {
	name   string // name of the type as traces show it
	hash   uint64 // a hash of the name and package path, which is the same in every process
	starts starts // whether actors of this type are notified of their starts
}

// types maps each Go type to its typeInfo. The key is the type word of an
// interface value.
//
// Invariants: the field table maps each type seen so far to an index of infos.
// Each hash in the field recent equals the hash of the same type in infos.
type types struct {
	recent [recentTypes]recentType
	table  hash.Table
	infos  []typeInfo
}

// A recentType caches the hash of a recently used type. The zero value is a
// valid entry, because the nil message has the type word 0 and the hash 0.
type recentType struct {
	word uintptr
	hash uint64
}

const recentTypes = 64

func typeWord(v any) uintptr { return *(*uintptr)(unsafe.Pointer(&v)) }

// lookUp returns the only entry of the cache t.recent that can hold the type
// of v. lookUp is small enough to be inlined.
func (t *types) lookUp(v any) *recentType { return &t.recent[typeWord(v)>>5%recentTypes] }

// hash returns the hash of the type of v, from the cache t.recent if possible.
func (t *types) hash(v any) uint64 {
	if r := t.lookUp(v); r.word == typeWord(v) {
		return r.hash
	}
	return t.remember(v, typeWord(v))
}

func (t *types) remember(v any, word uintptr) uint64 {
	h := t.of(v).hash
	t.recent[word>>5%recentTypes] = recentType{word, h}
	return h
}

// of returns the information about the type of v.
func (t *types) of(v any) *typeInfo {
	word := typeWord(v)
	if i, ok := t.table.Get(uint64(word)); ok {
		return &t.infos[i]
	}
	return t.add(v, word)
}

func (t *types) add(v any, word uintptr) *typeInfo {
	info := typeInfo{name: "nil"} // the hash stays 0, as recentType requires for a nil message
	if typ := reflect.TypeOf(v); typ != nil {
		info = typeInfo{name: typ.String(), hash: hash.String(value.TypeName(typ)), starts: startsOf(v, typ)}
	}
	t.table.Put(uint64(word), int32(len(t.infos)))
	t.infos = append(t.infos, info)
	return &t.infos[len(t.infos)-1]
}
