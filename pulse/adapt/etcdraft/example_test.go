package etcdraft_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"
	"testing"
	"time"

	"go.etcd.io/raft/v3"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/props/linear"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/adapt/etcdraft"
	"github.com/jostle-go/jostle/pulse/strategy"
)

// A store is a replicated state machine: values under keys. It remembers the last
// command of each client: raft may apply a command twice, and a client without an
// answer retries.
type store struct {
	Values map[string]string
	Done   map[int]int // for each client, the number of its last command
}

// A command is a proposal.
type command struct {
	Client, Number int
	Key, Value     string
}

func newStore() *store { return &store{map[string]string{}, map[int]int{}} }

func (s *store) Apply(_ uint64, data []byte) any {
	var c command
	if err := json.Unmarshal(data, &c); err != nil {
		panic(err)
	}
	if s.Done[c.Client] < c.Number {
		s.Done[c.Client] = c.Number
		s.Values[c.Key] = c.Value
	}
	return nil
}

func (s *store) Query(key any) any { return s.Values[key.(string)] }

func (s *store) Snapshot() []byte {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return data
}

func (s *store) Restore(snapshot []byte) {
	*s = *newStore()
	if err := json.Unmarshal(snapshot, s); err != nil {
		panic(err)
	}
}

// A call is what a client does: it puts a value, or gets one.
type call struct {
	key, value string // an empty value means get
}

// storeModel describes the store as its clients see it: one map.
var storeModel = linear.Model[string, call, string]{
	Name:      "store",
	Init:      func() string { return "" },
	Partition: func(in call) string { return in.key },
	Step: func(state string, in call, out string) (bool, string) {
		if in.value != "" {
			return true, in.value
		}
		return out == state, state
	},
	Describe: func(in call) string {
		if in.value != "" {
			return "put(" + in.key + ", " + in.value + ")"
		}
		return "get(" + in.key + ")"
	},
}

// storeIsLinearizable is a property: whatever the network, the disks and the power do, the
// replicated store is one store to its clients.
func storeIsLinearizable(c etcdraft.Config, faults pulse.Faults) func(*props.T) {
	return func(t *props.T) {
		sys := t.SystemWith(pulse.Options{Horizon: 3 * time.Second, Faults: faults})
		cluster := c.Spawn(sys)
		t.Always("raft", cluster.Err)
		useStore(t, sys, cluster)
	}
}

// useStore has two clients put and get, each time at another node, and judges the
// answers. A client without an answer retries at the next node.
func useStore(t *props.T, sys *pulse.System, cluster *etcdraft.Cluster) {
	h := linear.NewHistory(t, storeModel)
	for client := 1; client <= 2; client++ {
		sys.SpawnSpec(pulse.Spec{Name: "client", Safe: true, Process: func(p *pulse.Process) {
			for n := 1; n <= 4; n++ {
				p.Sleep(300 * time.Millisecond)
				in := call{key: "x", value: fmt.Sprintf("%d.%d", client, n)}
				var ask any
				if n%2 == 0 {
					in.value, ask = "", etcdraft.Read{Query: "x"}
				} else {
					data, _ := json.Marshal(command{client, n, in.key, in.value})
					ask = etcdraft.Propose{Data: data}
				}
				history := h.Call(p.Self(), in)
				for try := range 3 {
					answer, _ := p.AskTimeout(cluster.Ref((client+n+try)%3+1), ask, 300*time.Millisecond)
					if r, ok := answer.(etcdraft.Result); ok {
						out, _ := r.Value.(string)
						history.Return(out)
						t.Sometimes("a client is answered", true)
						break
					}
				}
			}
		}})
	}
	sys.Run()
	h.Check()
}

// aStore returns the state machine of a node.
func aStore() etcdraft.StateMachine { return newStore() }

// stormy returns the faults of the example. A message delayed by a second comes after
// its sender has retried.
var stormy = pulse.Faults{Drop: 2, Duplicate: 2, Delay: 2, DelayBy: []time.Duration{time.Second}, Crash: 1, RestartLost: 1, Partition: 1, Swarm: true}

func TestStoreIsLinearizable(t *testing.T) {
	trial.Long(t)
	for _, async := range []bool{false, true} {
		c := etcdraft.Config{StateMachine: aStore, SnapshotEvery: 3, Raft: raft.Config{ElectionTick: 3, AsyncStorageWrites: async}}
		t.Run(fmt.Sprintf("async %v", async), func(t *testing.T) {
			fuzz.Config{Runs: 400}.Check(t, storeIsLinearizable(c, stormy))
		})
	}
}

// A forgetful store remembers no clients: it performs a command twice if raft
// applies it twice.
type forgetful struct{ *store }

func (f forgetful) Apply(index uint64, data []byte) any {
	clear(f.Done)
	return f.store.Apply(index, data)
}

// TestBrokenStores: a fault of a store, or of how a node reads it, shows in the
// answers of the clients.
func TestBrokenStores(t *testing.T) {
	quick := etcdraft.Config{StateMachine: aStore, Raft: raft.Config{ElectionTick: 3}}
	forgets := quick
	forgets.StateMachine = func() etcdraft.StateMachine { return forgetful{newStore()} }
	for name, c := range map[string]etcdraft.Config{"forgetful": forgets, "reads alone": quick.With("reads alone")} {
		t.Run(name, func(t *testing.T) {
			f := fuzz.Config{Runs: 2000}.MustFind(t, func(t *props.T) {
				sys := t.SystemWith(pulse.Options{Horizon: 3 * time.Second, Faults: stormy})
				useStore(t, sys, c.Spawn(sys)) // without the monitors
			})
			if f.Failure.Kind != pulse.KindProperty || !strings.Contains(f.Failure.Text, "is not linearizable") {
				t.Errorf("found %s", f.Failure.Text)
			}
		})
	}
}

// TestStoreSnapshot: a snapshot holds the whole store.
func TestStoreSnapshot(t *testing.T) {
	s := newStore()
	data, _ := json.Marshal(command{1, 1, "x", "1"})
	s.Apply(1, data)
	again := newStore()
	again.Restore(s.Snapshot())
	if !maps.Equal(again.Values, s.Values) || !maps.Equal(again.Done, s.Done) {
		t.Errorf("a snapshot of %v is restored as %v", s, again)
	}
}

// This Example makes one run by hand. A test is the line fuzz.Check(t, property).
func Example() {
	property := storeIsLinearizable(etcdraft.Config{StateMachine: aStore}, pulse.Faults{Partition: 1})
	r := props.NewRunner("store", property)
	defer r.Close()
	res := r.Run(props.Plan{Strategy: strategy.Random(), StrategySeed: 1})
	fmt.Println(res.Failure)
	// Output: <nil>
}
