package etcdraft

import (
	"fmt"
	"reflect"
	"unsafe"

	"go.etcd.io/raft/v3"
)

// Timeouts makes the election timeouts of a RawNode decisions of the strategy, so that a run
// can be replayed. Raft itself draws them from crypto/rand.
//
// Raft draws a timeout when its role or term changes. Timeouts replaces it by never,
// which no count of ticks reaches. If raft's timeout is another number, raft has
// drawn again. When the chosen timeout is over, Tick sets raft's to zero for one
// tick.
//
// Invariant between ticks: raft's timeout is never, or raft has drawn it since the last tick.
type Timeouts struct {
	raw     *raft.RawNode
	state   *raft.StateType
	tick    int  // raft.Config.ElectionTick
	elapsed *int // raft's count of ticks
	limit   *int // raft's timeout
	chosen  int  // by the strategy; 0 if it was not asked since raft has drawn
}

// never is a timeout that no run reaches.
const never = 1 << 30

// TimeoutsOf returns the Timeouts of a RawNode. A driver calls it once for each. It panics if
// this version of raft has no such fields.
func TimeoutsOf(n *raft.RawNode) Timeouts {
	r := reflect.ValueOf(n).Elem().FieldByName("raft")
	if r.Kind() != reflect.Pointer || r.Elem().Kind() != reflect.Struct {
		panic("etcdraft: this version of go.etcd.io/raft keeps its state otherwise, so that its election timeouts cannot be decided: take v3.7.0")
	}
	field := func(name string, kind reflect.Type) unsafe.Pointer {
		f := r.Elem().FieldByName(name)
		if !f.IsValid() || f.Type() != kind {
			panic(fmt.Sprintf("etcdraft: this version of go.etcd.io/raft has no %s, so that its election timeouts cannot be decided: take v3.7.0", name))
		}
		return f.Addr().UnsafePointer()
	}
	number := reflect.TypeFor[int]()
	return Timeouts{
		raw:     n,
		state:   (*raft.StateType)(field("state", reflect.TypeFor[raft.StateType]())),
		tick:    *(*int)(field("electionTimeout", number)),
		elapsed: (*int)(field("electionElapsed", number)),
		limit:   (*int)(field("randomizedElectionTimeout", number)),
	}
}

// Tick replaces RawNode.Tick. Choose returns a number from 0 to n-1: give it
// pulse.Ctx.Choose or machine.Output.Choose. Tick calls it at the first tick at which
// the answer matters.
func (t *Timeouts) Tick(choose func(n int) int) {
	t.before(choose)
	t.raw.Tick()
	if *t.limit == 0 { // raft has not drawn
		*t.limit = never
	}
}

// before prepares a tick of the RawNode.
func (t *Timeouts) before(choose func(n int) int) {
	if *t.limit != never {
		*t.limit, t.chosen = never, 0
	}
	if *t.state == raft.StateLeader || *t.elapsed+1 < t.tick {
		return
	}
	if t.chosen == 0 {
		t.chosen = t.tick + choose(t.tick)
	}
	if *t.elapsed+1 >= t.chosen {
		*t.limit = 0
	}
}
