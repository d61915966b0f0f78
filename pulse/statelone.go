package pulse

import (
	"github.com/jostle-go/jostle/pulse/value"
)

// In most programs no two actors and no two messages share memory: each handler
// is a pointer to a struct without pointers, and no message has a pointer. A
// walk over such a state, the quick walk, need not search for blocks of memory
// that it has written already. It computes the same hash as an ordinary walk.
// From earlier walks it reuses only the places of the handlers, so it notices
// every change of their contents.

// lone is what a stateWalk knows about handlers that share no memory.
type lone struct {
	on    bool          // set during a quick walk, which relies on handlers and messages not sharing memory
	list  []loneHandler // by actor
	apart bool          // set if no two handlers of list overlap in memory
	skip  int           // the number of walks until the next attempt at a quick walk
}

// A loneHandler is what a stateWalk knows about the handler of an actor.
type loneHandler struct {
	value.Single
	is         bool   // set if the handler is a pointer to a value without pointers, and has no Hash
	id, parent uint64 // the identities of the actor and its parent
	plain      uint64 // the hash of all that comes before the contents, if the method isPlain of the actor returns true
}

// moreSkips is the number of ordinary walks after a quick walk that failed. The walk
// after them is quick again.
const moreSkips = 15

// quickly walks over the state and returns true if no memory is shared. If it
// returns false, the caller must begin the walk again.
func (w *stateWalk) quickly() bool {
	l := &w.lone
	if l.skip > 0 {
		l.skip--
		return false
	}
	w.begin(false)
	if l.learn(w) {
		l.on = true
		w.everything()
		if l.on = false; !w.HasBlocks() {
			return true
		}
	}
	l.skip = moreSkips
	return false
}

// learn updates l.list, the list of handlers, and reports whether no two
// handlers in the list overlap in memory.
func (l *lone) learn(w *stateWalk) bool {
	actors := w.sys.actors
	changed := len(l.list) > len(actors)
	if changed {
		l.list = l.list[:len(actors)]
	}
	for len(l.list) < len(actors) {
		l.list = append(l.list, loneHandler{})
	}
	for i := 1; i < len(actors); i++ { // index 0 is the test, whose handler is the system itself
		a, h := actors[i], &l.list[i]
		if b := a.behind(); !h.Is(b) || h.id != a.id || h.parent != w.idOf(a.parent) {
			l.list[i] = w.loneHandler(a)
			changed = true
		}
	}
	if changed {
		for i := range l.list {
			l.list[i].Forget() // the hash of a Ref in a handler depends on the actors, which have changed
		}
		l.apart = w.Apart(len(l.list), func(i int) *value.Single { return &l.list[i].Single })
	}
	return l.apart
}

// loneHandler returns what the walk must know about the handler of an actor.
func (w *stateWalk) loneHandler(a *actor) loneHandler {
	h := loneHandler{Single: w.SingleOf(a.behind()), id: a.id, parent: w.idOf(a.parent)}
	_, hashes := a.behind().(hasher)
	if h.is = !hashes && !h.IsEmpty(); h.is {
		before := w.Part()
		w.Word(h.id)
		w.Word(h.parent)
		w.Word(0)
		w.BeforeSingle(&h.Single)
		h.plain = w.EndPart(before)
	}
	return h
}

// isPlain reports whether the method facts writes nothing about an actor except
// identities, and the actor has no disk.
func (a *actor) isPlain() bool {
	return a.life == alive && a.accept == acceptAll && a.await == 0 && a.restarts == 0 && !a.special && a.room == 0 &&
		len(a.watchers) == 0 && a.pending == nil && a.disk.isEmpty()
}

// If l.list has the handler of an actor and the actor is plain, actor writes
// the actor as a part and returns true.
func (l *lone) actor(w *stateWalk, a *actor) bool {
	h := &l.list[a.actor]
	if !h.is || !a.isPlain() {
		return false
	}
	w.BeginPart(h.plain)
	w.InSingle(&h.Single, a.behind())
	return true
}

// If l.list has the handler of an actor, handler writes the handler and returns
// true.
func (l *lone) handler(w *stateWalk, a *actor) bool {
	h := &l.list[a.actor]
	if !h.is {
		return false
	}
	w.BeforeSingle(&h.Single)
	w.InSingle(&h.Single, a.behind())
	return true
}
