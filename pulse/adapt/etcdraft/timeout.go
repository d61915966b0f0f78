package etcdraft

import (
	"fmt"
	"reflect"
	"unsafe"

	"go.etcd.io/raft/v3"
)

// Timeouts lets the strategy choose the election timeouts of a RawNode, so that a run can be
// replayed. Raft itself draws the timeouts from crypto/rand.
//
// Raft draws a timeout when its role or term changes. Timeouts replaces the drawn timeout
// with the constant never. If raft's timeout later has another value, raft has drawn again.
// When the chosen timeout is over, Tick sets raft's timeout to zero for one tick.
//
// Invariant between ticks: raft's timeout is never, or raft has drawn it since the last tick.
type Timeouts struct {
	raw     *raft.RawNode
	state   *raft.StateType
	tick    int  // raft.Config.ElectionTick
	elapsed *int // raft's count of ticks
	limit   *int // raft's timeout
	chosen  int  // the strategy's timeout; 0 if not yet chosen since raft's last draw
}

// never is a timeout in ticks that no run reaches.
const never = 1 << 30

// TimeoutsOf returns the Timeouts of a RawNode. A driver calls it once for each RawNode. It
// panics if this version of raft lacks the fields that Timeouts needs.
func TimeoutsOf(n *raft.RawNode) Timeouts {
	r := reflect.ValueOf(n).Elem().FieldByName("raft")
	if r.Kind() != reflect.Pointer || r.Elem().Kind() != reflect.Struct {
		panic("etcdraft: this version of go.etcd.io/raft has a different layout, so its election timeouts cannot be controlled: use v3.7.0")
	}
	field := func(name string, kind reflect.Type) unsafe.Pointer {
		f := r.Elem().FieldByName(name)
		if !f.IsValid() || f.Type() != kind {
			panic(fmt.Sprintf("etcdraft: this version of go.etcd.io/raft has no %s, so its election timeouts cannot be controlled: use v3.7.0", name))
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

// Tick replaces RawNode.Tick. The parameter choose is pulse.Ctx.Choose or
// machine.Output.Choose, which return a number from 0 to n-1. Tick calls choose once for each
// timeout, at the first tick at which the timeout matters.
func (t *Timeouts) Tick(choose func(n int) int) {
	t.before(choose)
	t.raw.Tick()
	if *t.limit == 0 { // raft has not drawn a new timeout
		*t.limit = never
	}
}

// before prepares raft's timeout for a tick of the RawNode.
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
