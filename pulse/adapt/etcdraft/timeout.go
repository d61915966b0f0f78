package etcdraft

import (
	"fmt"
	"reflect"
	"unsafe"

	"go.etcd.io/raft/v3"
)

// timeouts are the election timeouts of a RawNode as decisions. Raft draws a timeout
// when its role or term changes, by crypto/rand. What it has drawn is replaced by a number
// that no count of ticks reaches, which also shows when it draws anew; and when a timeout
// is over that was chosen here, it is replaced by zero for the Tick that is to see it.
//
// Invariant between ticks: what raft compares with is never, or what raft has drawn since.
type timeouts struct {
	tick    int  // Config.ElectionTick
	elapsed *int // raft's count of ticks
	limit   *int // what raft compares it with
	chosen  int  // by the strategy; 0 when it was not asked since raft has drawn
}

// never is a timeout that no run reaches.
const never = 1 << 30

// timeoutsOf finds the fields in a node. It panics if there are none.
func timeoutsOf(n *raft.RawNode, tick int) timeouts {
	r := reflect.ValueOf(n).Elem().FieldByName("raft")
	if r.Kind() != reflect.Pointer || r.Elem().Kind() != reflect.Struct {
		panic("etcdraft: this version of go.etcd.io/raft keeps its state otherwise, so that its election timeouts cannot be decided: take v3.7.0")
	}
	field := func(name string) *int {
		f := r.Elem().FieldByName(name)
		if !f.IsValid() || f.Kind() != reflect.Int {
			panic(fmt.Sprintf("etcdraft: this version of go.etcd.io/raft has no %s, so that its election timeouts cannot be decided: take v3.7.0", name))
		}
		return (*int)(unsafe.Pointer(f.UnsafeAddr()))
	}
	return timeouts{tick: tick, elapsed: field("electionElapsed"), limit: field("randomizedElectionTimeout")}
}

// before prepares a Tick. Choose is asked at the first tick at which the answer matters.
func (t *timeouts) before(leads bool, choose func(n int) int) {
	if *t.limit != never {
		*t.limit, t.chosen = never, 0
	}
	if leads || *t.elapsed+1 < t.tick {
		return
	}
	if t.chosen == 0 {
		t.chosen = t.tick + choose(t.tick)
	}
	if *t.elapsed+1 >= t.chosen {
		*t.limit = 0
	}
}

// after follows a Tick.
func (t *timeouts) after() {
	if *t.limit == 0 { // raft has not drawn
		*t.limit = never
	}
}
