// Package shardtwice is an example program with a known bug. Its property: no write to a
// shard is lost when shards move.
//
// Systems that move shards between members often run a shard at two members, according to many
// reports (Akka's cluster sharding, Kafka's consumer groups). Here the reason is a request that is
// sent twice. The program is ours.
//
// A coordinator gives shards to the workers that are members, and passes writes on to them. To move a
// shard, it asks the owner to release the shard, waits for the answer, and assigns it to the next owner.
// If the answer is late, it sends the request again. A worker that has nothing to release answers at
// once. A worker joins, leaves and joins again, so a shard moves to this worker, back and again to this
// worker. In the broken form the second answer about the first move comes during the third move. The
// coordinator takes it for an answer about the third move, and assigns the shard while the old owner has
// it. The new owner loads the shard before the old owner saves it, and a write is lost.
//
// In the mended form each move has a number, which the answer repeats. An owner answers about a
// move only after it has saved the shard. The owner gets the shard again only after that move,
// so its answer is right at any time.
//
// Subject.Depth is 4. The timer of the first move fires before the answer comes. The second
// answer about this move comes during the third move, before the answer about that. In the
// meantime the shard is released and assigned twice. The old owner gets a write between its
// second assignment and the third move. The new owner loads the shard before the old owner saves
// it.
package shardtwice

import (
	"fmt"
	"slices"
	"time"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two shards, the second of which moves up to three times, and two writes to each.
type Config struct {
	Shards int // 0 means 2
	Writes int // the number of writes to each shard; 0 means 2
	Mended bool
}

// Options returns the options of a system in which the bug can occur: an answer may take
// longer than the coordinator waits.
func Options() pulse.Options { return pulse.Options{EarlyTimers: 1} }

type (
	join    struct{ worker pulse.Ref } // sent from the test to the coordinator
	leave   struct{ worker pulse.Ref } // sent from the test to the coordinator
	write   struct{ shard int }        // sent from the test to a client, and on to a worker
	overdue struct{ shard, move int }  // sent from the coordinator to itself

	assign   struct{ shard int }       // sent from the coordinator to a worker
	release  struct{ shard, move int } // sent from the coordinator to a worker
	released struct{ shard, move int } // the answer

	load   struct{ shard int } // sent from a worker to the store
	loaded struct{ shard, value int }
	save   struct{ shard, value int } // sent from a worker to the store
	saved  struct{ shard int }
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, writes := c.Shards, c.Writes
	if count == 0 {
		count = 2
	}
	if writes == 0 {
		writes = 2
	}
	st := &store{values: make([]int, count)}
	ref := sys.Spawn("store", st)
	co := &coordinator{shards: make([]shard, count), mixes: !c.Mended}
	boss := sys.Spawn("coordinator", co)
	workers, refs := make([]*worker, 2), make([]pulse.Ref, 2)
	for i := range workers {
		workers[i] = &worker{store: ref, coordinator: boss, shards: make([]copied, count)}
		refs[i] = sys.Spawn("worker", workers[i])
	}
	sys.Send(boss, join{refs[0]})
	sys.Send(boss, join{refs[1]})
	sys.Send(boss, leave{refs[1]})
	sys.Send(boss, join{refs[1]})
	client := sys.Spawn("client", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(boss, msg) }))
	for i := range count * writes {
		sys.Send(client, write{i % count})
	}
	return func() error {
		for i, s := range co.shards {
			owner := workers[slices.Index(refs, s.owner)]
			if got := owner.shards[i].value; got != writes {
				return fmt.Errorf("shard %d has %d of %d writes", i+1, got, writes)
			}
		}
		return nil
	}
}

// A store has the values of the shards that no worker has. The value of a shard is the
// number of its writes.
type store struct{ values []int }

func (s *store) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case load:
		ctx.Reply(loaded{msg.shard, s.values[msg.shard]})
	case save:
		s.values[msg.shard] = msg.value
		ctx.Reply(saved{msg.shard})
	}
}

// A shard is what the coordinator knows about one shard.
type shard struct {
	owner  pulse.Ref // the worker that has the shard; zero if no worker has had it yet
	next   pulse.Ref // the worker that gets the shard next
	moving bool
	move   int // the number of its moves
	writes int // the number of writes that wait until the shard is moved
}

// A coordinator distributes the shards evenly among the members.
type coordinator struct {
	members []pulse.Ref
	shards  []shard
	mixes   bool // set in the broken form: each answer of the owner counts as an answer to the last request
}

func (c *coordinator) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case join:
		c.members = append(c.members, msg.worker)
		c.balance(ctx)
	case leave:
		c.members = slices.DeleteFunc(c.members, func(m pulse.Ref) bool { return m == msg.worker })
		c.balance(ctx)
	case overdue:
		if s := &c.shards[msg.shard]; s.moving && s.move == msg.move {
			c.release(ctx, msg.shard)
		}
	case released:
		s := &c.shards[msg.shard]
		if s.moving && ctx.Sender() == s.owner && (c.mixes || msg.move == s.move) {
			s.moving = false
			c.assign(ctx, msg.shard)
			c.balance(ctx)
		}
	case write:
		c.shards[msg.shard].writes++
		c.pass(ctx, msg.shard)
	}
}

// balance begins to move the shards that should be at another worker, unless they are
// moving.
func (c *coordinator) balance(ctx *pulse.Ctx) {
	for i := range c.shards {
		s, next := &c.shards[i], c.members[i%len(c.members)]
		if s.moving || s.owner == next {
			continue
		}
		s.next = next
		if s.owner.IsZero() {
			c.assign(ctx, i)
			continue
		}
		s.moving = true
		s.move++
		c.release(ctx, i)
	}
}

func (c *coordinator) release(ctx *pulse.Ctx, i int) {
	s := &c.shards[i]
	ctx.Send(s.owner, release{i, s.move})
	ctx.After(time.Second, overdue{i, s.move})
}

func (c *coordinator) assign(ctx *pulse.Ctx, i int) {
	s := &c.shards[i]
	s.owner = s.next
	ctx.Send(s.owner, assign{i})
	c.pass(ctx, i)
}

// pass passes the waiting writes on to the owner of shard i, unless the shard is moving.
func (c *coordinator) pass(ctx *pulse.Ctx, i int) {
	s := &c.shards[i]
	for !s.moving && !s.owner.IsZero() && s.writes > 0 {
		s.writes--
		ctx.Send(s.owner, write{i})
	}
}

// A copied is what a worker knows about one shard. The shard is loaded when it is
// assigned, and saved when it is to be released.
type copied struct {
	has    bool // set from the assignment of the shard to its release
	busy   bool // set while the shard is being loaded or saved
	value  int
	writes int   // the number of writes that wait until the shard is loaded
	moves  []int // the numbers of the moves for which the worker must still answer
}

// A worker has the shards that are assigned to it.
type worker struct {
	store       pulse.Ref
	coordinator pulse.Ref
	shards      []copied
}

func (w *worker) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case assign:
		s := &w.shards[msg.shard]
		s.has, s.busy = true, true
		ctx.Send(w.store, load(msg))
	case loaded:
		s := &w.shards[msg.shard]
		s.value, s.busy, s.writes = msg.value+s.writes, false, 0
		w.save(ctx, msg.shard)
	case write:
		if s := &w.shards[msg.shard]; s.busy {
			s.writes++
		} else {
			s.value++
		}
	case release:
		s := &w.shards[msg.shard]
		s.moves = append(s.moves, msg.move)
		w.save(ctx, msg.shard)
	case saved:
		w.shards[msg.shard].busy = false
		w.answer(ctx, msg.shard)
	}
}

// save saves a shard that is to be released, unless it is being loaded or saved.
func (w *worker) save(ctx *pulse.Ctx, i int) {
	switch s := &w.shards[i]; {
	case s.busy || len(s.moves) == 0:
	case s.has:
		s.has, s.busy = false, true
		ctx.Send(w.store, save{i, s.value})
	default:
		w.answer(ctx, i)
	}
}

// answer answers the requests to release a shard.
func (w *worker) answer(ctx *pulse.Ctx, i int) {
	s := &w.shards[i]
	for _, move := range s.moves {
		ctx.Send(w.coordinator, released{i, move})
	}
	s.moves = nil
}
