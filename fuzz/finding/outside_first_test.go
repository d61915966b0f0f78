package finding

import (
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// This file has the first programs of TestOutside. They were written before the shrinker's passes that they
// measure.

const ms = time.Millisecond

// everyone sends msg to all actors except the sender.
func everyone(ctx *pulse.Ctx, refs []pulse.Ref, msg any) {
	for _, r := range refs {
		if r != ctx.Self() {
			ctx.Send(r, msg)
		}
	}
}

type (
	cartOp struct {
		At, Item int
		Remove   bool
	}
	cartAdd  struct{ item, by, count int }
	cartDrop struct {
		item, by int
		seen     map[int]int
	}
	cartSeen struct{ item int }
)

// A cartReplica counts, for each item, how often each replica has added the item and how many
// of these additions were removed.
type cartReplica struct {
	at          int
	peers       []pulse.Ref
	adds, drops [4]map[int]int
	seen        [4]int
}

func (c *cartReplica) has(item int) bool {
	for by, n := range c.adds[item] {
		if n > c.drops[item][by] {
			return true
		}
	}
	return false
}

func (c *cartReplica) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case cartOp:
		if msg.Remove {
			maps.Copy(c.drops[msg.Item], c.adds[msg.Item])
			c.seen[msg.Item] = 0
			everyone(ctx, c.peers, cartDrop{msg.Item, c.at, maps.Clone(c.adds[msg.Item])})
		} else {
			c.adds[msg.Item][c.at]++
			everyone(ctx, c.peers, cartAdd{msg.Item, c.at, c.adds[msg.Item][c.at]})
		}
		ctx.Reply(true)
	case cartAdd:
		c.adds[msg.item][msg.by] = max(c.adds[msg.item][msg.by], msg.count)
	case cartDrop:
		for by, n := range msg.seen {
			c.drops[msg.item][by] = max(c.drops[msg.item][by], n)
		}
		ctx.Reply(cartSeen{msg.item})
	case cartSeen:
		if c.seen[msg.item]++; c.seen[msg.item] == len(c.peers)-1 && !c.has(msg.item) { // the mistake: it drops the count of additions, which then starts again at 1
			delete(c.adds[msg.item], c.at)
			delete(c.drops[msg.item], c.at)
		}
	}
}

// cart is a shopping cart with several replicas. The mistake: a replica that deletes a
// tombstone forgets how often it has added the item. The other replicas then take a new
// addition for the removed one.
func cart(t *props.T) {
	n := props.Draw(t, rapid.IntRange(2, 5), "replicas")
	ops := props.Draw(t, rapid.SliceOfN(rapid.Custom(func(r *rapid.T) cartOp {
		return cartOp{rapid.IntRange(0, n-1).Draw(r, "at"), rapid.IntRange(0, 3).Draw(r, "item"), rapid.Bool().Draw(r, "remove")}
	}), 1, 10), "ops")
	sys := t.System()
	replicas, refs := make([]*cartReplica, n), make([]pulse.Ref, n)
	for i := range n {
		replicas[i] = &cartReplica{at: i, peers: refs}
		for k := range 4 {
			replicas[i].adds[k], replicas[i].drops[k] = map[int]int{}, map[int]int{}
		}
		refs[i] = sys.Spawn("replica", replicas[i])
	}
	sys.Go("client", func(p *pulse.Process) {
		for _, op := range ops {
			p.Ask(refs[op.At], op)
		}
	})
	sys.Run()
	for item := range 4 {
		for _, r := range replicas {
			if r.has(item) != replicas[0].has(item) {
				t.Fatalf("the replicas differ")
			}
		}
	}
}

type (
	leaseJob    struct{ Writes, Pause int }
	leaseTake   struct{}
	leaseRenew  struct{ token int }
	leaseFree   struct{ token int }
	leaseEnd    struct{ token int }
	leaseStored struct{ token int }
)

// A leaser grants a lock to one client after another, each for a limited time.
type leaser struct {
	lease  time.Duration
	token  int
	taken  bool
	queue  []pulse.Ref
	tokens int
}

func (l *leaser) next(ctx *pulse.Ctx) {
	if l.taken = len(l.queue) > 0; l.taken {
		l.tokens++
		l.token = l.tokens
		ctx.Send(l.queue[0], l.token)
		l.queue = l.queue[1:]
		ctx.After(l.lease, leaseEnd{l.token})
	}
}

func (l *leaser) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case leaseTake:
		if l.queue = append(l.queue, ctx.Sender()); !l.taken {
			l.next(ctx)
		}
	case leaseRenew:
		if l.taken && l.token == msg.token {
			ctx.After(l.lease, leaseEnd{l.token}) // the mistake: it leaves the earlier timer running
		}
	case leaseFree:
		if l.taken && l.token == msg.token {
			l.next(ctx)
		}
	case leaseEnd:
		if l.taken && l.token == msg.token {
			l.next(ctx)
		}
	}
}

// leases is a lock service with leases. The mistake: the renewal of a lease does not
// stop the lease's timer.
func leases(t *props.T) {
	lease := props.Draw(t, rapid.IntRange(5, 20), "lease")
	jobs := props.Draw(t, rapid.SliceOfN(rapid.Custom(func(r *rapid.T) leaseJob {
		return leaseJob{rapid.IntRange(1, 4).Draw(r, "writes"), rapid.IntRange(0, 9).Draw(r, "pause")}
	}), 2, 5), "jobs")
	sys := t.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly})
	server := sys.Spawn("server", &leaser{lease: time.Duration(lease) * ms})
	latest := 0
	store := sys.Spawn("store", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		token := msg.(leaseStored).token
		if token < latest {
			t.Fatalf("a client without the lock wrote")
		}
		latest = token
		ctx.Reply(true)
	}))
	for _, job := range jobs {
		sys.Go("client", func(p *pulse.Process) {
			p.Send(server, leaseTake{})
			token := p.Receive().(int)
			for range job.Writes {
				p.Sleep(time.Duration(job.Pause) * ms)
				p.Send(server, leaseRenew{token})
				p.Ask(store, leaseStored{token})
			}
			p.Send(server, leaseFree{token})
		})
	}
	sys.Run()
}

type dedupeAdd struct{ client, number, by int }

// dedupe is a counter that ignores repeated requests. The mistake: the window of remembered
// requests is common to all clients, so requests of other clients push a request out.
func dedupe(t *props.T) {
	window := props.Draw(t, rapid.IntRange(1, 3), "window")
	proxies := props.Draw(t, rapid.IntRange(1, 3), "proxies")
	clients := props.Draw(t, rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(1, 9), 0, 3), 1, 4), "clients")
	sys := t.SystemWith(pulse.Options{EarlyTimers: 2})
	sum, want := 0, 0
	var latest []dedupeAdd
	counter := sys.Spawn("counter", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		add := msg.(dedupeAdd)
		if !slices.Contains(latest, add) {
			sum += add.by
			latest = append(latest, add)
			latest = latest[max(0, len(latest)-window):]
		}
		ctx.Reply(add)
	}))
	doors := make([]pulse.Ref, proxies)
	for i := range doors {
		from := map[dedupeAdd]pulse.Ref{}
		doors[i] = sys.Spawn("proxy", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if add := msg.(dedupeAdd); ctx.Sender() == counter {
				ctx.Send(from[add], add)
			} else {
				from[add] = ctx.Sender()
				ctx.Send(counter, add)
			}
		}))
	}
	for i, list := range clients {
		sys.Go("client", func(p *pulse.Process) {
			for k, by := range list {
				want += by
				add := dedupeAdd{i, k, by}
				for answered := false; !answered; {
					p.Send(doors[(i+k)%proxies], add)
					for {
						msg, ok := p.ReceiveTimeout(10 * ms)
						if answered = ok && msg == add; answered || !ok {
							break
						}
					}
				}
			}
		})
	}
	sys.Run()
	if sum != want {
		t.Errorf("the counter is wrong")
	}
}

type (
	queueJob  struct{ Takes []int }
	queueTask struct{ job, attempt, takes int }
	queueDone struct {
		job int
		ok  bool
	}
	queueLate struct{ job, attempt int }
	queueIdle struct{}
)

// A workQueue gives jobs to workers that ask for them. If a worker does not answer in time, the queue gives the job to
// another worker.
type workQueue struct {
	jobs               []queueJob
	visible            time.Duration
	ready              []int
	idle               []pulse.Ref
	attempts, failures map[int]int
	done, dead         map[int]bool
}

func (q *workQueue) serve(ctx *pulse.Ctx) {
	for len(q.ready) > 0 && len(q.idle) > 0 {
		job := q.ready[0]
		q.ready = q.ready[1:]
		takes := q.jobs[job].Takes
		ctx.Send(q.idle[0], queueTask{job, q.attempts[job], takes[q.attempts[job]%len(takes)]})
		q.idle = q.idle[1:]
		ctx.After(q.visible, queueLate{job, q.attempts[job]})
		q.attempts[job]++
	}
}

func (q *workQueue) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case queueIdle:
		q.idle = append(q.idle, ctx.Sender())
	case queueDone:
		switch {
		case q.done[msg.job] || q.dead[msg.job]:
		case msg.ok:
			q.done[msg.job] = true
		default: // the mistake: it also counts the failure of an earlier attempt
			if q.failures[msg.job]++; q.failures[msg.job] == 2 {
				q.dead[msg.job] = true
			} else {
				q.ready = append(q.ready, msg.job)
			}
		}
	case queueLate:
		if q.attempts[msg.job] == msg.attempt+1 && !q.done[msg.job] && !q.dead[msg.job] && q.attempts[msg.job] < 4 {
			q.ready = append(q.ready, msg.job)
		}
	}
	q.serve(ctx)
}

// visibility is a queue with a visibility timeout. The mistake: the failure of an attempt that
// took too long counts against the job, and starts a third attempt while the second is still
// active.
func visibility(t *props.T) {
	visible := props.Draw(t, rapid.IntRange(5, 15), "visible")
	workers := props.Draw(t, rapid.IntRange(1, 4), "workers")
	jobs := props.Draw(t, rapid.SliceOfN(rapid.Custom(func(r *rapid.T) queueJob {
		return queueJob{rapid.SliceOfN(rapid.IntRange(0, 20), 1, 3).Draw(r, "takes")}
	}), 1, 4), "jobs")
	sys := t.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly})
	q := &workQueue{jobs: jobs, visible: time.Duration(visible) * ms, attempts: map[int]int{}, failures: map[int]int{}, done: map[int]bool{}, dead: map[int]bool{}}
	for i := range jobs {
		q.ready = append(q.ready, i)
	}
	queue, runs := sys.Spawn("queue", q), map[int]int{}
	for range workers {
		sys.Go("worker", func(p *pulse.Process) {
			for range 6 {
				p.Send(queue, queueIdle{})
				msg, ok := p.ReceiveTimeout(100 * ms)
				if !ok {
					return
				}
				task := msg.(queueTask)
				runs[task.job]++
				p.Sleep(time.Duration(task.takes) * ms)
				if task.takes <= visible && q.dead[task.job] {
					t.Fatalf("a job in work was given up")
				}
				runs[task.job]--
				p.Send(queue, queueDone{task.job, task.takes <= visible})
			}
		})
	}
	sys.Run()
}

type (
	memberEvent struct {
		At, Of int
		Kind   string
	}
	memberRumor struct {
		of, life int
		up       bool
	}
	memberTold struct {
		memberRumor
		hops int
	}
	memberAsk struct{}
)

// A member knows, for each node, whether the node is up, and how often the node has
// restarted.
type member struct {
	at    int
	peers []pulse.Ref
	known []memberRumor
}

func (m *member) learn(ctx *pulse.Ctx, r memberRumor, hops int) {
	now := m.known[r.of]
	if r.up && r.life <= now.life || !r.up && !now.up { // the mistake: it ignores the life of the node that leaves
		return
	}
	if m.known[r.of] = r; hops > 0 {
		everyone(ctx, m.peers, memberTold{r, hops - 1})
	}
}

func (m *member) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case memberEvent:
		own := m.known[m.at]
		switch {
		case msg.Kind == "leave" && own.up:
			m.learn(ctx, memberRumor{m.at, own.life, false}, 2)
		case msg.Kind == "return" && !own.up:
			m.learn(ctx, memberRumor{m.at, own.life + 1, true}, 2)
		case msg.Kind == "suspect" && msg.Of != m.at:
			ctx.Send(m.peers[msg.Of], memberAsk{})
		}
	case memberTold:
		if msg.of != m.at {
			m.learn(ctx, msg.memberRumor, msg.hops)
		}
	case memberAsk:
		ctx.Reply(memberTold{m.known[m.at], 0})
	}
}

// gossip is a membership service by gossip. The mistake: a late rumor that a node has left counts
// although the node has come back.
func gossip(t *props.T) {
	n := props.Draw(t, rapid.IntRange(4, 7), "nodes")
	events := props.Draw(t, rapid.SliceOfN(rapid.Custom(func(r *rapid.T) memberEvent {
		return memberEvent{rapid.IntRange(0, n-1).Draw(r, "at"), rapid.IntRange(0, n-1).Draw(r, "of"),
			rapid.SampledFrom([]string{"leave", "return", "suspect"}).Draw(r, "kind")}
	}), 2, 6), "events")
	sys := t.SystemWith(pulse.Options{Steps: 1000})
	members, refs := make([]*member, n), make([]pulse.Ref, n)
	for i := range n {
		members[i] = &member{at: i, peers: refs}
		for k := range n {
			members[i].known = append(members[i].known, memberRumor{k, 0, true})
		}
		refs[i] = sys.Spawn("node", members[i])
	}
	for _, e := range events {
		sys.Send(refs[e.At], e)
	}
	sys.Run()
	for i, m := range members {
		if m.known[i].up && m.known[i].life > 0 && slices.ContainsFunc(members, func(o *member) bool { return !o.known[i].up }) {
			t.Fatalf("a node that came back is taken for down")
		}
	}
}

type (
	shardTx    struct{ Shards []int }
	shardLock  struct{ tx int }
	shardVote  struct{ value int }
	shardWrite struct{ tx, value int }
	shardAbort struct{ tx int }
)

// A shard has one number and its lock.
type shard struct {
	value, owner int
	taken        bool
}

func (s *shard) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case shardLock:
		if s.taken {
			ctx.Reply(shardVote{-1})
			return
		}
		s.taken, s.owner = true, msg.tx
		ctx.Reply(shardVote{s.value})
	case shardWrite:
		s.value, s.taken = msg.value, false
		ctx.Reply(true)
	case shardAbort: // the mistake: it frees the lock even if another transaction holds it
		s.taken = false
	}
}

// shards commits transactions in two phases. The mistake: an aborted transaction frees locks
// that other transactions hold.
func shards(t *props.T) {
	n := props.Draw(t, rapid.IntRange(2, 5), "shards")
	txs := props.Draw(t, rapid.SliceOfN(rapid.Custom(func(r *rapid.T) shardTx {
		return shardTx{rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 2, n, rapid.ID[int]).Draw(r, "shards")}
	}), 1, 5), "transactions")
	sys := t.System()
	all, refs, wrote := make([]*shard, n), make([]pulse.Ref, n), make([]int, n)
	for i := range n {
		all[i] = &shard{}
		refs[i] = sys.Spawn("shard", all[i])
	}
	for id, tx := range txs {
		sys.Go("coordinator", func(p *pulse.Process) {
			values := map[int]int{}
			for _, s := range tx.Shards {
				vote := p.Ask(refs[s], shardLock{id}).(shardVote)
				if vote.value < 0 {
					for _, s := range tx.Shards {
						p.Send(refs[s], shardAbort{id})
					}
					return
				}
				values[s] = vote.value
			}
			for _, s := range tx.Shards {
				p.Ask(refs[s], shardWrite{id, values[s] + 1})
				wrote[s]++
			}
		})
	}
	sys.Run()
	for i, s := range all {
		if s.value != wrote[i] {
			t.Fatalf("an update is lost")
		}
	}
}

type (
	synodPrepare  struct{ ballot int }
	synodPromise  struct{ ballot, accepted, value int }
	synodAccept   struct{ ballot, value int }
	synodAccepted struct{ ballot, value int }
)

// synod is Paxos with a drawn number of proposers. The mistake: a proposer takes the value of the
// first promise that has one, instead of the value with the highest ballot.
func synod(t *props.T) {
	n := props.Draw(t, rapid.IntRange(3, 5), "acceptors")
	values := props.Draw(t, rapid.SliceOfN(rapid.IntRange(1, 9), 2, 4), "values")
	sys := t.System()
	refs, chosen, counts := make([]pulse.Ref, n), map[int]bool{}, map[synodAccepted]int{}
	for i := range n {
		promised, accepted := 0, synodAccept{}
		refs[i] = sys.Spawn("acceptor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg := msg.(type) {
			case synodPrepare:
				if msg.ballot > promised {
					promised = msg.ballot
					ctx.Reply(synodPromise{msg.ballot, accepted.ballot, accepted.value})
				}
			case synodAccept:
				if msg.ballot >= promised {
					promised, accepted = msg.ballot, msg
					if counts[synodAccepted(msg)]++; counts[synodAccepted(msg)] > n/2 {
						if chosen[msg.value] = true; len(chosen) > 1 {
							t.Fatalf("two values are chosen")
						}
					}
				}
			}
		}))
	}
	for i, value := range values {
		sys.Go("proposer", func(p *pulse.Process) {
			value := value
			for _, r := range refs {
				p.Send(r, synodPrepare{i + 1})
			}
			taken := false
			for range n/2 + 1 {
				if promise := p.Receive().(synodPromise); promise.accepted > 0 && !taken { // the mistake: it takes the value of the first promise, whatever its ballot
					taken, value = true, promise.value
				}
			}
			for _, r := range refs {
				p.Send(r, synodAccept{i + 1, value})
			}
		})
	}
	sys.Run()
}

type (
	chainWrite struct {
		client pulse.Ref
		value  int
	}
	chainOrder struct{ nodes []pulse.Ref }
)

// A chainNode passes writes to its successor. The last node answers.
type chainNode struct {
	nodes []pulse.Ref
	log   []int
	out   bool
}

func (c *chainNode) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case chainOrder: // the mistake: it does not send the writes again that the removed node had not passed on
		c.nodes = msg.nodes
		c.out = !slices.Contains(c.nodes, ctx.Self())
	case chainWrite:
		if c.out {
			return
		}
		c.log = append(c.log, msg.value)
		if at := slices.Index(c.nodes, ctx.Self()); at == len(c.nodes)-1 {
			ctx.Send(msg.client, msg.value)
		} else {
			ctx.Send(c.nodes[at+1], msg)
		}
	}
}

// chain is replication by a chain, from which one node is removed.
func chain(t *props.T) {
	n := props.Draw(t, rapid.IntRange(3, 6), "nodes")
	gone := props.Draw(t, rapid.IntRange(0, 5), "removed") % n
	clients := props.Draw(t, rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 99), 2, 4), 1, 4), "clients")
	sys := t.System()
	all, refs := make([]*chainNode, n), make([]pulse.Ref, n)
	for i := range n {
		all[i] = &chainNode{}
		refs[i] = sys.Spawn("node", all[i])
	}
	for _, c := range all {
		c.nodes = refs
	}
	left := slices.Delete(slices.Clone(refs), gone, gone+1)
	nodes := slices.Delete(slices.Clone(all), gone, gone+1)
	for _, list := range clients {
		sys.Go("client", func(p *pulse.Process) {
			for i, v := range list {
				p.Send(left[0], chainWrite{p.Self(), v})
				p.Receive()
				if tail := nodes[len(nodes)-1]; i == len(list)-1 && !slices.Equal(tail.log, nodes[0].log[:min(len(tail.log), len(nodes[0].log))]) {
					t.Fatalf("the tail lacks a write")
				}
			}
		})
	}
	sys.Go("master", func(p *pulse.Process) {
		for _, r := range refs {
			p.Send(r, chainOrder{left})
		}
	})
	sys.Run()
}

var firstOutside = []outsideProgram{
	{"cart", cart, [2]int{0, 11}, []drawn{numbered(1), listsOf(structs(numbered(2), numbered(4), bools), 1, 3)}, "two replicas, three operations at most"},
	{"leases", leases, [2]int{0, 11}, nil, ""},
	{"dedupe", dedupe, [2]int{0, 13}, nil, ""},
	{"visibility", visibility, [2]int{0, 14}, nil, ""},
	{"gossip", gossip, [2]int{2, 17}, nil, ""},
	{"shards", shards, [2]int{0, 23}, nil, ""},
	{"synod", synod, [2]int{0, 20}, nil, ""},
	{"chain", chain, [2]int{0, 11}, nil, ""},
}
