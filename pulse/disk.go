package pulse

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/trace"
)

// A Disk stores named values that survive crashes and restarts of their actor.
// It is empty when an actor is spawned. Like the Ctx that returned it, a Disk
// is valid only during its actor's steps.
//
// Read returns a written value at once. Sync makes the value survive crashes.
// A crash loses some, none or all of the writes since the last Sync, as the
// strategy decides. A crash loses the last of these writes or, with
// Faults.UnorderedWrites, any of these writes. A panic and the restart after
// it lose no writes, since only a crash stands for a failure of the machine.
//
// Sync takes no virtual time and always succeeds.
type Disk struct{ ctx *Ctx }

// Disk returns the actor's disk.
func (c *Ctx) Disk() Disk { return Disk{c} }

// Write stores a value under a name. A nil value deletes the name. Do not
// change a value after writing it, nor a value that Read has returned: write a
// copy. Options.Isolation checks this rule.
func (d Disk) Write(name string, value any) {
	if a := d.actor("Disk.Write"); a != nil {
		d.ctx.sys.write(a, name, value)
	}
}

// Read returns the value last written under a name. ok is false if there is
// none. After a crash, lost writes do not count.
func (d Disk) Read(name string) (value any, ok bool) {
	a := d.actor("Disk.Read")
	if a == nil || a.disk == nil {
		return nil, false
	}
	return a.disk.read(name)
}

// Sync makes all writes so far survive crashes.
func (d Disk) Sync() {
	if a := d.actor("Disk.Sync"); a != nil && a.disk != nil {
		a.disk.sync()
	}
}

// actor returns the owner of the disk, or nil if the call comes from another
// goroutine.
func (d Disk) actor(what string) *actor {
	if d.ctx == nil {
		panic(&Failure{Kind: KindMisuse, Text: what + ": the Disk is the zero Disk; use the one that Ctx.Disk returns"})
	}
	if !d.ctx.ok(what) {
		return nil
	}
	return d.ctx.sys.actors[d.ctx.actor]
}

// A disk is the content of a Disk.
//
// Invariant: the list safe is sorted by name, and has no duplicate names and
// no nil values.
type disk struct {
	safe []written
	open []written // the writes since the last Sync, oldest first
}

// A written is one write to a disk.
type written struct {
	name  string
	value any
	print uint64 // fingerprint of the value when it was written; 0 if the value is not checked
	text  string // the value as text when it was written
}

func (d *disk) reset() {
	clear(d.safe)
	clear(d.open)
	d.safe, d.open = d.safe[:0], d.open[:0]
}

// isEmpty reports whether a disk has no writes; a nil disk is empty.
func (d *disk) isEmpty() bool { return d == nil || len(d.safe)+len(d.open) == 0 }

func (d *disk) read(name string) (value any, ok bool) {
	for i := len(d.open) - 1; i >= 0; i-- {
		if w := &d.open[i]; w.name == name {
			return w.value, w.value != nil
		}
	}
	if i, found := d.find(name); found {
		return d.safe[i].value, true
	}
	return nil, false
}

// find returns the index of name in d.safe, or the index at which to insert
// name. It compares name with the last name first, which is fast for ascending
// names, as in a log.
func (d *disk) find(name string) (i int, found bool) {
	if n := len(d.safe); n == 0 || d.safe[n-1].name < name {
		return n, false
	}
	return slices.BinarySearchFunc(d.safe, name, func(w written, name string) int { return strings.Compare(w.name, name) })
}

// keep applies a write to d.safe, the writes that survive crashes.
func (d *disk) keep(w written) {
	i, found := d.find(w.name)
	switch {
	case w.value == nil && found:
		d.safe = slices.Delete(d.safe, i, i+1)
	case w.value == nil:
	case found:
		d.safe[i] = w
	default:
		d.safe = slices.Insert(d.safe, i, w)
	}
}

func (d *disk) sync() {
	for _, w := range d.open {
		d.keep(w)
	}
	clear(d.open)
	d.open = d.open[:0]
}

// mostShown is the maximum number of writes that the text of a disk shows.
const mostShown = 16

// shown returns a list of writes as text. label formats a value.
func shown(list []written, label func(any) string) string {
	words := make([]string, 0, mostShown)
	for _, w := range list[:min(len(list), mostShown)] {
		words = append(words, fmt.Sprintf("%q = %s", w.name, label(w.value)))
	}
	if more := len(list) - len(words); more > 0 {
		words = append(words, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(words, ", ")
}

// text returns the content of a disk as text, or "" if the disk is empty.
func (d *disk) text(hidden func(reflect.Type) bool) string {
	label := func(v any) string { return trace.StateLabel(v, hidden) }
	switch {
	case d.isEmpty():
		return ""
	case len(d.open) == 0:
		return "its disk: " + shown(d.safe, label)
	case len(d.safe) == 0:
		return "its disk, not synced: " + shown(d.open, label)
	}
	return "its disk: " + shown(d.safe, label) + "; not synced: " + shown(d.open, label)
}

// write adds an unsynced write to an actor's disk.
func (c *cast) write(a *actor, name string, value any) {
	c.rec.written++
	if most := perPending * int(c.mail.limit); int(c.rec.written) > most {
		c.bound(most, "writes", "writes to disks", "write")
	}
	if a.used = true; a.disk == nil {
		a.disk = &disk{}
	}
	w := written{name: name, value: value}
	if c.todo.everyStep&workIsolate != 0 && !c.values.Plain(value) {
		w.print, w.text = c.values.Fingerprint(value), c.label(value)
	}
	a.disk.open = append(a.disk.open, w)
}

// loseWrites asks the strategy which unsynced writes a crash loses. It drops
// the lost writes and makes all other writes safe.
func (c *cast) loseWrites(a *actor) {
	if a.disk == nil || len(a.disk.open) == 0 {
		return
	}
	d := a.disk
	var lost []written
	if c.options.Faults.UnorderedWrites {
		for _, w := range d.open {
			if c.loss(a, 2) == 0 {
				d.keep(w)
			} else {
				lost = append(lost, w)
			}
		}
	} else {
		kept := len(d.open) - c.loss(a, len(d.open)+1)
		for _, w := range d.open[:kept] {
			d.keep(w)
		}
		lost = d.open[kept:]
	}
	if c.rec.on && len(lost) > 0 {
		c.rec.note("lost from the disk of " + c.rec.nameOf(a.actor) + ": " + shown(lost, c.label))
	}
	clear(d.open)
	d.open = d.open[:0]
}

// loss asks the strategy what an actor's disk loses in a crash, as a number
// from 0 to n-1. The answer becomes part of the actor's history. If the run
// has failed, loss returns 0 without asking.
func (c *cast) loss(a *actor, n int) int {
	if c.fails.failure != nil {
		return 0
	}
	v := c.choose(choice.Loss, n)
	if c.states != nil {
		c.states.happened(event{kind: eventLearned, actor: a.actor, step: none, v: uint64(v)})
	}
	return v
}

// checkDisks fails the run if a value on a disk was changed after it was
// written.
func (c *cast) checkDisks() {
	if c.rec.written == 0 {
		return
	}
	for _, a := range c.actors {
		if a.disk.isEmpty() || a.life == ended {
			continue
		}
		for _, list := range [...][]written{a.disk.safe, a.disk.open} {
			for i := range list {
				if w := &list[i]; w.print != 0 && c.values.Fingerprint(w.value) != w.print {
					c.changedOnDisk(a, w)
				}
			}
		}
	}
}

// changedOnDisk fails the run because the value of write w was changed after
// the write.
func (c *cast) changedOnDisk(a *actor, w *written) {
	f := &Failure{Kind: KindIsolation, Step: int(c.rec.step), Site: trace.TypeLabel(w.value),
		Text: fmt.Sprintf("a value on the disk of %s was changed: %q was written as %s, now it is %s",
			c.rec.nameOf(a.actor), w.name, w.text, trace.Label(w.value)),
		Detail: "    changed by " + c.changer() + "\n    a disk shares nothing with its actor: write a copy, and change a copy of what was read"}
	c.fails.fail(f)
	panic(f)
}
