package finding

import (
	"slices"
	"time"

	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse"
)

// This file has the later programs of TestOutside. They were written after the shrinker's passes that they measure.

type (
	groupJoin   struct{}
	groupAssign struct{ parts map[int]int } // the partitions of a member, with their offsets
	groupCommit struct{ part, offset int }
)

// rebalance is a group of consumers. The mistake: the coordinator accepts a commit by a member that
// has lost the partition.
func rebalance(t *props.T) {
	parts := props.Draw(t, rapid.IntRange(1, 3), "partitions")
	batches := props.Draw(t, rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(1, 3), 2, 4), 3, 5), "batches")
	sys := t.System()
	offsets, members := make([]int, parts), []pulse.Ref(nil)
	coordinator := sys.Spawn("coordinator", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg := msg.(type) {
		case groupJoin:
			members = append(members, ctx.Sender())
			for i, m := range members {
				mine := map[int]int{}
				for p := (len(members) + i) % len(members); p < parts; p += len(members) {
					mine[(p+len(members))%parts] = offsets[(p+len(members))%parts]
				}
				ctx.Send(m, groupAssign{mine})
			}
		case groupCommit: // the mistake: it does not compare the generations
			if msg.offset < offsets[msg.part] {
				t.Fatalf("an offset goes back")
			}
			offsets[msg.part] = msg.offset
			ctx.Reply(msg)
		}
	}))
	for _, list := range batches {
		sys.Go("member", func(p *pulse.Process) {
			p.Send(coordinator, groupJoin{})
			mine := p.Receive().(groupAssign).parts
			for _, n := range list {
				for part := range parts {
					at, ok := mine[part]
					if !ok {
						continue
					}
					p.Send(coordinator, groupCommit{part, at + n})
					for done := false; !done; {
						switch msg := p.Receive().(type) {
						case groupAssign:
							mine = msg.parts
						case groupCommit:
							if done = true; mine[part] == at {
								mine[part] = msg.offset
							}
						}
					}
				}
			}
		})
	}
	sys.Run()
}

type (
	replWrite struct{ value int }
	replCopy  struct {
		from  pulse.Ref
		value int
	}
	replAck  struct{ value int }
	replAsk  struct{}
	replLog  struct{ log []int }
	replFail struct{}
)

// failover is a primary with replicas. The mistake: the monitor promotes the first replica that
// answers, instead of the replica with the longest log.
func failover(t *props.T) {
	n := props.Draw(t, rapid.IntRange(3, 5), "replicas")
	writes := props.Draw(t, rapid.SliceOfN(rapid.IntRange(0, 9), 1, 5), "writes")
	after := props.Draw(t, rapid.IntRange(0, 4), "fails after")
	sys := t.System()
	refs, down := make([]pulse.Ref, n), false
	for i := range n {
		log, from, acks := []int(nil), pulse.Ref{}, map[int]int{}
		refs[i] = sys.Spawn("replica", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg := msg.(type) {
			case replFail:
				down = true
			case replWrite:
				if !down {
					log, from = append(log, msg.value), ctx.Sender()
					everyone(ctx, refs, replCopy{ctx.Self(), msg.value})
				}
			case replCopy:
				log = append(log, msg.value)
				ctx.Send(msg.from, replAck{msg.value})
			case replAck:
				if acks[msg.value]++; acks[msg.value] == n/2 && !down {
					ctx.Send(from, msg)
				}
			case replAsk:
				ctx.Reply(replLog{slices.Clone(log)})
			}
		}))
	}
	var acked []int
	monitor := sys.Go("monitor", func(p *pulse.Process) {
		p.Receive()
		for _, r := range refs[1:] {
			p.Send(r, replAsk{})
		}
		log := p.Receive().(replLog).log
		for _, v := range acked {
			if !slices.Contains(log, v) {
				t.Fatalf("an answered write is lost")
			}
		}
	})
	sys.Go("client", func(p *pulse.Process) {
		for i := range writes {
			if i == after%len(writes) {
				p.Send(refs[0], replFail{})
				p.Send(monitor, replFail{})
				return
			}
			p.Send(refs[0], replWrite{i})
			acked = append(acked, p.Receive().(replAck).value)
		}
	})
	sys.Run()
}

type (
	hintOp struct {
		Key, Missed int
		Delete      bool
	}
	hintPut struct{ key, value, time int }
	hintUp  struct{ replica int }
)

// hints is a store whose coordinator keeps writes for a replica that has missed them. The mistake:
// a late write gets the time at which it is sent, not the time at which it was made.
func hints(t *props.T) {
	n := props.Draw(t, rapid.IntRange(3, 5), "replicas")
	ops := props.Draw(t, rapid.SliceOfN(rapid.Custom(func(r *rapid.T) hintOp {
		return hintOp{rapid.IntRange(0, 2).Draw(r, "key"), rapid.IntRange(-1, n-1).Draw(r, "missed"), rapid.Bool().Draw(r, "delete")}
	}), 1, 7), "ops")
	sys := t.System()
	refs, stores := make([]pulse.Ref, n), make([]map[int]hintPut, n)
	for i := range n {
		stores[i] = map[int]hintPut{}
		refs[i] = sys.Spawn("replica", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			if put := msg.(hintPut); put.time >= stores[i][put.key].time {
				stores[i][put.key] = put
			}
			ctx.Reply(true)
		}))
	}
	clock, kept := 0, map[int][]hintPut{}
	coordinator := sys.Spawn("coordinator", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg := msg.(type) {
		case hintOp:
			clock++
			put := hintPut{msg.Key, clock, clock}
			if msg.Delete {
				put.value = 0
			}
			for i, r := range refs {
				if i == msg.Missed {
					kept[i] = append(kept[i], put)
					ctx.After(ms, hintUp{i})
				} else {
					ctx.Send(r, put)
				}
			}
		case hintUp:
			for _, put := range kept[msg.replica] {
				put.time = clock // the mistake: it replaces the time at which the write was made
				ctx.Send(refs[msg.replica], put)
			}
			kept[msg.replica] = nil
		}
	}))
	sys.Go("client", func(p *pulse.Process) {
		for _, op := range ops {
			p.Send(coordinator, op)
			p.Sleep(ms / 4)
		}
	})
	sys.Run()
	for _, s := range stores {
		for key := range 3 {
			if s[key].value != stores[0][key].value {
				t.Fatalf("the replicas differ")
			}
		}
	}
}

type (
	watchPut  struct{ key, value int }
	watchList struct{}
	watchAll  struct {
		at   int
		data [3]int
	}
	watchFrom struct{ at int }
)

// watch is a store with watchers. The mistake: a watch begins when it is registered, and not at the
// version of the list that the watcher has read.
func watch(t *props.T) {
	watchers := props.Draw(t, rapid.IntRange(1, 3), "watchers")
	writers := props.Draw(t, rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 2), 2, 4), 1, 3), "writers")
	sys := t.System()
	data, at, watching := [3]int{}, 0, []pulse.Ref(nil)
	store := sys.Spawn("store", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg := msg.(type) {
		case watchPut:
			at++
			data[msg.key] = msg.value
			for _, w := range watching {
				ctx.Send(w, msg)
			}
			ctx.Reply(true)
		case watchList:
			ctx.Reply(watchAll{at, data})
		case watchFrom: // the mistake: it does not send the changes after version msg.at
			watching = append(watching, ctx.Sender())
		}
	}))
	seen := make([][3]int, watchers)
	for i := range watchers {
		sys.Go("watcher", func(p *pulse.Process) {
			all := p.Ask(store, watchList{}).(watchAll)
			seen[i] = all.data
			p.Send(store, watchFrom{all.at})
			for {
				put := p.Receive().(watchPut)
				seen[i][put.key] = put.value
			}
		})
	}
	for w, list := range writers {
		sys.Go("writer", func(p *pulse.Process) {
			for k, key := range list {
				p.Ask(store, watchPut{key, 10*w + k + 1})
			}
		})
	}
	sys.Run()
	for i := range seen {
		if seen[i] != data {
			t.Fatalf("a watcher missed a write")
		}
	}
}

type (
	bufferPut   struct{}
	bufferTake  struct{}
	bufferDone  struct{}
	bufferRetry struct{}
)

// buffer is a bounded buffer as a monitor. The mistake: it wakes only one waiting client,
// although that client may be unable to go on.
func buffer(t *props.T) {
	size := props.Draw(t, rapid.IntRange(1, 3), "size")
	producers := props.Draw(t, rapid.SliceOfN(rapid.IntRange(1, 4), 1, 4), "producers")
	consumers := props.Draw(t, rapid.IntRange(1, 4), "consumers")
	sys := t.System()
	total := 0
	for _, n := range producers {
		total += n
	}
	full, waiting := 0, []pulse.Ref(nil)
	monitor := sys.Spawn("monitor", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		_, put := msg.(bufferPut)
		switch {
		case put && full == size || !put && full == 0:
			waiting = append(waiting, ctx.Sender())
			return
		case put:
			full++
		default:
			full--
		}
		ctx.Reply(bufferDone{})
		if len(waiting) > 0 { // the mistake: it wakes only one waiting client, not all
			ctx.Send(waiting[0], bufferRetry{})
			waiting = waiting[1:]
		}
	}))
	call := func(p *pulse.Process, msg any) {
		for p.Send(monitor, msg); p.Receive() != (bufferDone{}); {
			p.Send(monitor, msg)
		}
	}
	ended := 0
	for _, n := range producers {
		sys.Go("producer", func(p *pulse.Process) {
			for range n {
				call(p, bufferPut{})
			}
			ended++
		})
	}
	for i := range consumers {
		sys.Go("consumer", func(p *pulse.Process) {
			for k := i; k < total; k += consumers {
				call(p, bufferTake{})
			}
			ended++
		})
	}
	sys.Run()
	if ended < len(producers)+consumers {
		t.Errorf("clients wait forever")
	}
}

type (
	sagaOrder struct {
		Services []int
		Refused  int
	}
	sagaReserve struct {
		order int
		no    bool
	}
	sagaAnswer struct{ ok bool }
	sagaCancel struct{ order, service int }
)

// saga books at several services. The mistake: a cancellation that comes before its booking
// is ignored.
func saga(t *props.T) {
	n := props.Draw(t, rapid.IntRange(2, 4), "services")
	orders := props.Draw(t, rapid.SliceOfN(rapid.Custom(func(r *rapid.T) sagaOrder {
		return sagaOrder{rapid.SliceOfNDistinct(rapid.IntRange(0, n-1), 2, n, rapid.ID[int]).Draw(r, "services"), rapid.IntRange(-1, n-1).Draw(r, "refused")}
	}), 1, 4), "orders")
	sys := t.System()
	refs, booked := make([]pulse.Ref, n), make([]map[int]bool, n)
	for i := range n {
		booked[i] = map[int]bool{}
		refs[i] = sys.Spawn("service", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg := msg.(type) {
			case sagaReserve:
				booked[i][msg.order] = !msg.no
				ctx.Reply(sagaAnswer{!msg.no})
			case sagaCancel: // the mistake: it does not remember the cancellation, which must refuse a later booking
				delete(booked[i], msg.order)
			}
		}))
	}
	refunds := sys.Spawn("refunds", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		ctx.Send(refs[msg.(sagaCancel).service], msg)
	}))
	over := map[int]bool{}
	for id, o := range orders {
		sys.Go("order", func(p *pulse.Process) {
			for _, s := range o.Services {
				p.Send(refs[s], sagaReserve{id, s == o.Refused})
			}
			for range o.Services {
				if !p.Receive().(sagaAnswer).ok {
					over[id] = true
					for _, s := range o.Services {
						p.Send(refunds, sagaCancel{id, s})
					}
					return
				}
			}
		})
	}
	sys.Run()
	for _, b := range booked {
		for id, is := range b {
			if is && over[id] {
				t.Fatalf("a booking of a canceled order is left")
			}
		}
	}
}

type (
	permitTake struct{}
	permitGot  struct{}
	permitGive struct{}
)

// permits is a semaphore. The mistake: a client that has given up ignores a permit that comes later, so the permit is
// lost.
func permits(t *props.T) {
	n := props.Draw(t, rapid.IntRange(1, 3), "permits")
	clients := props.Draw(t, rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 20), 2, 4), 2, 5), "clients")
	sys := t.SystemWith(pulse.Options{EarlyTimers: pulse.NeverEarly})
	free, waiting := n, []pulse.Ref(nil)
	semaphore := sys.Spawn("semaphore", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg.(type) {
		case permitTake:
			waiting = append(waiting, ctx.Sender())
		case permitGive:
			free++
		}
		for free > 0 && len(waiting) > 0 {
			free--
			ctx.Send(waiting[0], permitGot{})
			waiting = waiting[1:]
		}
	}))
	for _, list := range clients {
		sys.Go("client", func(p *pulse.Process) {
			for _, hold := range list {
				p.Send(semaphore, permitTake{})
				if _, ok := p.ReceiveTimeout(10 * ms); !ok {
					return
				}
				p.Sleep(time.Duration(hold) * ms)
				p.Send(semaphore, permitGive{})
				p.Sleep(time.Duration(hold) * ms)
			}
		})
	}
	sys.Run()
	if free < n {
		t.Errorf("a permit is lost")
	}
}

type causalPost struct {
	by    int
	clock [6]int
}

// causal delivers posts in causal order. The mistake: a replica checks its buffer only once after a
// delivery, although one buffered post may allow another.
func causal(t *props.T) {
	n := props.Draw(t, rapid.IntRange(4, 6), "members")
	posts := props.Draw(t, rapid.SliceOfN(rapid.IntRange(0, 2), 3, 3), "posts")
	sys := t.SystemWith(pulse.Options{Delivery: pulse.DeliveryUnordered})
	refs, left := make([]pulse.Ref, n), make([][]causalPost, n)
	for i := range n {
		clock, mine := [6]int{}, 0
		deliverable := func(p causalPost) bool {
			for k, v := range p.clock {
				if k == p.by && v != clock[k]+1 || k != p.by && v > clock[k] {
					return false
				}
			}
			return true
		}
		refs[i] = sys.Spawn("member", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			post, ok := msg.(causalPost)
			if !ok {
				clock[i]++
				everyone(ctx, refs, causalPost{i, clock})
				return
			}
			if left[i] = append(left[i], post); !deliverable(post) {
				return
			}
			clock[post.by]++
			left[i] = left[i][:len(left[i])-1]
			left[i] = slices.DeleteFunc(left[i], func(p causalPost) bool { // the mistake: it searches only once for posts that are allowed now
				if deliverable(p) {
					clock[p.by]++
					return true
				}
				return false
			})
			if mine < 1 && i > 0 && i < len(posts) && posts[i] > 0 { // reads the latest post, which answers the first one
				mine++
				clock[i]++
				everyone(ctx, refs, causalPost{i, clock})
			}
		}))
	}
	for range posts[0] + 1 {
		sys.Send(refs[0], "post")
	}
	sys.Run()
	for _, list := range left {
		if len(list) > 0 {
			t.Fatalf("a post is never delivered")
		}
	}
}

type (
	moneySend struct{ From, To, Amount int }
	moneyCome struct{ amount int }
	moneyMark struct{}
)

// markers takes a snapshot of accounts by markers. The mistake: the snapshot lacks the
// money in transit.
func markers(t *props.T) {
	n := props.Draw(t, rapid.IntRange(3, 5), "accounts")
	transfers := props.Draw(t, rapid.SliceOfN(rapid.Custom(func(r *rapid.T) moneySend {
		return moneySend{rapid.IntRange(0, n-1).Draw(r, "from"), rapid.IntRange(0, n-1).Draw(r, "to"), rapid.IntRange(1, 50).Draw(r, "amount")}
	}), 1, 6), "transfers")
	first := props.Draw(t, rapid.IntRange(0, n-1), "first")
	sys := t.System()
	refs, saved := make([]pulse.Ref, n), make([]int, n)
	for i := range n {
		balance, marked := 100, false
		refs[i] = sys.Spawn("account", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg := msg.(type) {
			case moneySend:
				if balance >= msg.Amount && msg.To != i {
					balance -= msg.Amount
					ctx.Send(refs[msg.To], moneyCome{msg.Amount})
				}
			case moneyCome:
				balance += msg.amount
			case moneyMark:
				if !marked {
					marked, saved[i] = true, balance
					everyone(ctx, refs, msg)
				}
			}
		}))
	}
	sys.Go("bank", func(p *pulse.Process) {
		for _, tr := range transfers {
			p.Send(refs[tr.From], tr)
		}
	})
	sys.Send(refs[first], moneyMark{})
	sys.Run()
	sum := 0
	for _, v := range saved {
		sum += v
	}
	if sum != 100*n {
		t.Errorf("the snapshot lacks money")
	}
}

type (
	lineOp struct {
		Cache int
		Write bool
	}
	lineAsk   struct{ write bool }
	lineGrant struct{ version int }
	lineDrop  struct{}
)

// coherence is a directory of caches. The mistake: it grants a write before all copies
// are dropped.
func coherence(t *props.T) {
	n := props.Draw(t, rapid.IntRange(2, 4), "caches")
	programs := props.Draw(t, rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(r *rapid.T) lineOp {
		return lineOp{rapid.IntRange(0, n-1).Draw(r, "cache"), rapid.Bool().Draw(r, "write")}
	}), 1, 4), 1, 3), "programs")
	sys := t.System()
	latest, acked := 0, 0
	var sharers []pulse.Ref
	directory := sys.Spawn("directory", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		if msg.(lineAsk).write {
			latest++
			for _, r := range sharers {
				if r != ctx.Sender() {
					ctx.Send(r, lineDrop{})
				}
			}
			sharers = nil
		}
		sharers = append(sharers, ctx.Sender())
		ctx.Reply(lineGrant{latest}) // the mistake: it grants before the answers to lineDrop have come
	}))
	caches := make([]pulse.Ref, n)
	for i := range caches {
		version, client := -1, []pulse.Ref(nil)
		caches[i] = sys.Spawn("cache", pulse.Func(func(ctx *pulse.Ctx, msg any) {
			switch msg := msg.(type) {
			case lineOp:
				if !msg.Write && version >= 0 {
					ctx.Reply(version)
					return
				}
				client = append(client, ctx.Sender())
				ctx.Send(directory, lineAsk{msg.Write})
			case lineGrant:
				version = msg.version
				ctx.Send(client[0], version)
				client = client[1:]
			case lineDrop:
				version = -1
			}
		}))
	}
	for _, list := range programs {
		sys.Go("client", func(p *pulse.Process) {
			for _, op := range list {
				floor := acked
				p.Send(caches[op.Cache], op)
				got := p.Receive().(int)
				if op.Write {
					acked = max(acked, got)
				} else if got < floor {
					t.Fatalf("a stale value was read")
				}
			}
		})
	}
	sys.Run()
}

type (
	nameUp   struct{ service, life int }
	nameDown struct{ service, life int }
)

// names is a registry of services that restart. The mistake: the end of a service's earlier
// life removes its new registration.
func names(t *props.T) {
	n := props.Draw(t, rapid.IntRange(2, 5), "services")
	restarts := props.Draw(t, rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 6), "restarts")
	sys := t.System()
	known := map[int]bool{}
	registry := sys.Spawn("registry", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg := msg.(type) {
		case nameUp:
			known[msg.service] = true
			ctx.Reply(true)
		case nameDown: // the mistake: it does not compare the lives of the service
			known[msg.service] = false
		}
	}))
	janitor := sys.Spawn("janitor", pulse.Func(func(ctx *pulse.Ctx, msg any) { ctx.Send(registry, msg) }))
	lives := make([]int, n)
	refs := make([]pulse.Ref, n)
	for i := range n {
		refs[i] = sys.Go("service", func(p *pulse.Process) {
			for {
				p.Ask(registry, nameUp{i, lives[i]})
				p.Receive()
				p.Send(janitor, nameDown{i, lives[i]})
				lives[i]++
			}
		})
	}
	sys.Go("operator", func(p *pulse.Process) {
		for _, i := range restarts {
			p.Send(refs[i], "restart")
		}
	})
	sys.Run()
	for i := range n {
		if !known[i] {
			t.Fatalf("a running service is unknown")
		}
	}
}

type (
	outboxPoll struct{}
	outboxRows struct{ rows []int }
	outboxMark struct{ row int }
	outboxMail struct{ row int }
)

// outbox has relays that send rows and then mark them as sent. The mistake: two relays send
// the same row.
func outbox(t *props.T) {
	relays := props.Draw(t, rapid.IntRange(1, 3), "relays")
	batch := props.Draw(t, rapid.IntRange(1, 4), "batch")
	rows := props.Draw(t, rapid.SliceOfN(rapid.IntRange(0, 9), 3, 8), "rows")
	sys := t.System()
	marked, sent := make([]bool, len(rows)), make([]int, len(rows))
	table := sys.Spawn("table", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		switch msg := msg.(type) {
		case outboxPoll:
			var list []int
			for i := range rows {
				if !marked[i] && len(list) < batch {
					list = append(list, i)
				}
			}
			ctx.Reply(outboxRows{list})
		case outboxMark:
			marked[msg.row] = true
			ctx.Reply(true)
		}
	}))
	mailer := sys.Spawn("mailer", pulse.Func(func(ctx *pulse.Ctx, msg any) {
		sent[msg.(outboxMail).row]++
		ctx.Reply(true)
	}))
	for range relays {
		sys.Go("relay", func(p *pulse.Process) {
			for {
				list := p.Ask(table, outboxPoll{}).(outboxRows).rows
				if len(list) == 0 {
					return
				}
				for _, row := range list {
					p.Ask(mailer, outboxMail{row})
					p.Ask(table, outboxMark{row})
				}
			}
		})
	}
	sys.Run()
	for _, n := range sent {
		if n > 1 {
			t.Fatalf("a mail was sent twice")
		}
	}
}

var laterOutside = []outsideProgram{
	{"rebalance", rebalance, [2]int{0, 8}, []drawn{numbered(3), listsOf(listsOf(numbered(3), 2, 2), 3, 3)}, "three members with two batches"},
	{"failover", failover, [2]int{0, 9}, []drawn{numbered(1), listsOf(numbered(1), 1, 4), numbered(5)}, "three replicas, four writes at most"},
	{"hints", hints, [2]int{0, 18}, nil, ""},
	{"watch", watch, [2]int{0, 9}, []drawn{numbered(3), listsOf(listsOf(numbered(3), 2, 2), 1, 2)}, "two writers of two values at most"},
	{"buffer", buffer, [2]int{0, 13}, []drawn{numbered(1), listsOf(numbered(2), 1, 2), numbered(2)}, "room for one, two producers of two at most, two consumers at most"},
	{"saga", saga, [2]int{0, 8}, nil, ""},
	{"permits", permits, [2]int{0, 11}, nil, ""},
	{"causal", causal, [2]int{1, 10}, nil, ""},
	{"markers", markers, [2]int{1, 10}, []drawn{numbered(1), listsOf(structs(numbered(3), numbered(3), numbered(1)), 1, 2), numbered(3)}, "three accounts, two transfers of 1 at most"},
	{"coherence", coherence, [2]int{0, 11}, []drawn{numbered(1), listsOf(listsOf(structs(numbered(2), bools), 1, 2), 1, 2)}, "two caches, two programs of two operations at most"},
	{"names", names, [2]int{0, 12}, []drawn{numbered(1), listsOf(numbered(2), 1, 4)}, "two services, four restarts at most"},
	{"outbox", outbox, [2]int{0, 26}, nil, ""},
}
