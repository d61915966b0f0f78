package protoactor_test

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/asynkron/protoactor-go/actor"
	"pgregory.net/rapid"

	"github.com/jostle-go/jostle/fuzz"
	"github.com/jostle-go/jostle/fuzz/subjects/procreg"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/props"
	"github.com/jostle-go/jostle/pulse/adapt/protoactor"
)

// The subjects writer, messenger, procreg and barber as programs for proto.actor. The
// packages with these names describe them. Their processes, such as users and
// clients, are actors that wait for futures here.

type (
	execute struct{}
	write   struct{ result int }
	written struct{}
	done    struct{}
	flush   struct{}
	flushed struct{}
)

type resultWriter struct {
	results, stored []int
	acknowledges    bool
}

func (w *resultWriter) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case write:
		w.results = append(w.results, m.result)
		if w.acknowledges {
			ctx.Respond(written{})
		}
	case flush:
		w.stored, w.results = w.results, nil
		ctx.Respond(flushed{})
	}
}

// resultsAreStored is the property of subject writer, with actors of proto.actor.
func resultsAreStored(mended bool) func(*props.T) {
	return func(t *props.T) {
		n := props.Draw(t, rapid.IntRange(1, 4), "actions")
		sys := t.System()
		as := protoactor.New(sys)
		w := &resultWriter{acknowledges: mended}
		writer := as.Root.Spawn(of(w))
		left := n
		terminator, _ := as.Root.SpawnNamed(fromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(done); ok {
				if left--; left == 0 {
					ctx.Request(writer, flush{})
				}
			}
		}), "terminator")
		for i := range n {
			action, _ := as.Root.SpawnNamed(fromFunc(func(ctx actor.Context) {
				switch ctx.Message().(type) {
				case execute:
					ctx.Request(writer, write{i + 1})
					if !mended {
						ctx.Send(terminator, done{})
					}
				case written:
					ctx.Send(terminator, done{})
				}
			}), fmt.Sprint("action", i+1))
			as.Root.Send(action, execute{})
		}
		sys.Run()
		if len(w.stored) != n {
			t.Errorf("stored %d of %d results", len(w.stored), n)
		}
	}
}

type (
	logOn     struct{ user int }
	logOff    struct{ user int }
	note      struct{ from, to, number int }
	loggedOn  struct{}
	loggedOff struct{}
	delivered struct{ note note }
	absent    struct{}
)

type client struct {
	actor.Behavior
	server, user *actor.PID
	shown, sent  []note
	waits        bool
}

func newClient(server *actor.PID, waits bool) *client {
	c := &client{Behavior: actor.NewBehavior(), server: server, waits: waits}
	c.Become(c.online)
	return c
}

func (c *client) Receive(ctx actor.Context) { c.Behavior.Receive(ctx) }

func (c *client) online(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case logOn:
		c.ask(ctx, m)
	case logOff:
		c.ask(ctx, m)
		if !c.waits {
			c.leave(ctx)
		}
	case note:
		if ctx.Sender() == nil { // of the server
			c.shown = append(c.shown, m)
			return
		}
		c.ask(ctx, m)
	case loggedOff:
		c.leave(ctx)
	case delivered:
		c.sent = append(c.sent, m.note)
		ctx.Send(c.user, m)
	case loggedOn, absent:
		ctx.Send(c.user, m)
	}
}

func (c *client) ask(ctx actor.Context, m any) {
	c.user = ctx.Sender()
	ctx.Request(c.server, m)
}

func (c *client) leave(ctx actor.Context) {
	ctx.Send(c.user, loggedOff{})
	c.Become(func(actor.Context) {})
}

// messagesAreShown is the property of subject messenger, with actors of proto.actor.
func messagesAreShown(mended bool) func(*props.T) {
	return func(t *props.T) {
		writes := props.Draw(t, rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, 1), 0, 3), 2, 3), "writes")
		sys := t.System()
		as := protoactor.New(sys)
		online := make([]*actor.PID, len(writes))
		server, _ := as.Root.SpawnNamed(fromFunc(func(ctx actor.Context) {
			switch m := ctx.Message().(type) {
			case logOn:
				online[m.user] = ctx.Sender()
				ctx.Respond(loggedOn{})
			case logOff:
				online[m.user] = nil
				ctx.Respond(loggedOff{})
			case note:
				if online[m.to] == nil {
					ctx.Respond(absent{})
					return
				}
				ctx.Send(online[m.to], m)
				ctx.Respond(delivered{m})
			}
		}), "server")
		var clients []*client
		for i, list := range writes {
			c := newClient(server, mended)
			clients = append(clients, c)
			pid := as.Root.Spawn(of(c))
			as.Root.SpawnNamed(fromFunc(func(ctx actor.Context) {
				if _, ok := ctx.Message().(*actor.Started); !ok {
					return
				}
				ctx.RequestFuture(pid, logOn{i}, -1).Wait()
				for n, to := range list {
					ctx.RequestFuture(pid, note{i, to, n + 1}, -1).Wait()
				}
				ctx.RequestFuture(pid, logOff{i}, -1).Wait()
			}), fmt.Sprint("user", i))
		}
		sys.Run()
		for _, c := range clients {
			for _, l := range c.sent {
				if !slices.Contains(clients[l.to].shown, l) {
					t.Fatalf("message %d from user %d to user %d was sent and not shown", l.number, l.from, l.to)
				}
			}
		}
	}
}

// A process can be registered. It knows whether it is dead.
type process struct{ dead bool }

func (p *process) Receive(ctx actor.Context) {
	if _, ok := ctx.Message().(*actor.Stopping); ok {
		p.dead = true
	}
}

type (
	add struct {
		name int
		pid  *actor.PID
	}
	drop    struct{ name int }
	remove  struct{ name int }
	whereIs struct{ name int }
)

type registry struct {
	processes map[string]*process // by ids
	names     map[int]*actor.PID
	added     []add
}

func (r *registry) alive(name int) bool {
	p := r.names[name]
	return p != nil && !r.processes[p.Id].dead
}

func (r *registry) Receive(ctx actor.Context) {
	switch m := ctx.Message().(type) {
	case add:
		if r.names[m.name] != nil {
			ctx.Respond(false)
			return
		}
		r.names[m.name] = m.pid
		r.added = append(r.added, m)
		ctx.Watch(m.pid)
		ctx.Respond(true)
	case drop:
		alive := r.alive(m.name)
		if !alive {
			delete(r.names, m.name)
		}
		ctx.Respond(!alive)
	case remove:
		alive := r.alive(m.name)
		r.added = slices.DeleteFunc(r.added, func(a add) bool { return a.name == m.name && r.names[m.name] != nil && a.pid.Id == r.names[m.name].Id })
		delete(r.names, m.name)
		ctx.Respond(alive)
	case whereIs:
		if r.alive(m.name) {
			ctx.Respond(r.names[m.name].Id)
		} else {
			ctx.Respond("")
		}
	case *actor.Terminated:
		for _, a := range r.added {
			if a.pid.Id == m.Who.Id && r.names[a.name] != nil && r.names[a.name].Id == m.Who.Id {
				delete(r.names, a.name)
			}
		}
	}
}

// A user carries out the commands of a client, one after the other.
type user struct {
	registry  *actor.PID
	processes []*actor.PID
	persists  bool
}

func (u *user) ask(ctx actor.Context, m any) any {
	answer, _ := ctx.RequestFuture(u.registry, m, -1).Result()
	return answer
}

func (u *user) command(ctx actor.Context, c procreg.Command) string {
	switch c.Op {
	case procreg.Register:
		for tries := 1; u.ask(ctx, add{c.Name, u.processes[c.Process]}) != true; tries++ {
			if tries == 2 && !u.persists || u.ask(ctx, drop{c.Name}) != true {
				return "badarg"
			}
		}
		return "true"
	case procreg.Unregister:
		if u.ask(ctx, remove{c.Name}) == true {
			return "true"
		}
		return "badarg"
	case procreg.Kill:
		if ctx.StopFuture(u.processes[c.Process]).Wait() != nil {
			return "" // a search may let the future time out; then the result is unknown
		}
		return "true"
	}
	id := u.ask(ctx, whereIs{c.Name})
	if i := slices.IndexFunc(u.processes, func(p *actor.PID) bool { return p.Id == id }); i >= 0 {
		return fmt.Sprintf("process %d", i+1)
	}
	return "undefined"
}

// registryIsAtomic is the property of subject procreg, with actors of proto.actor.
func registryIsAtomic(mended bool) func(*props.T) {
	return func(t *props.T) {
		names := props.Draw(t, rapid.IntRange(1, 2), "names")
		n := props.Draw(t, rapid.IntRange(1, 2), "processes")
		commands := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) procreg.Command {
			return procreg.Command{
				Op:      rapid.SampledFrom([]procreg.Op{procreg.Register, procreg.Register, procreg.Register, procreg.Unregister, procreg.WhereIs, procreg.Kill}).Draw(t, "op"),
				Name:    rapid.IntRange(0, names-1).Draw(t, "name"),
				Process: rapid.IntRange(0, n-1).Draw(t, "process"),
			}
		}), 1, 3)
		before := props.Draw(t, commands, "before")
		lists := props.Draw(t, rapid.SliceOfN(commands, 1, 3), "clients")

		sys := t.System()
		as := protoactor.New(sys)
		u := &user{persists: mended}
		r := &registry{names: map[int]*actor.PID{}, processes: map[string]*process{}}
		u.registry = as.Root.Spawn(of(r))
		for range n {
			p := &process{}
			pid := as.Root.Spawn(of(p))
			u.processes, r.processes[pid.Id] = append(u.processes, pid), p
		}
		var h procreg.History
		carryOut := func(ctx actor.Context, list []procreg.Command) {
			for _, c := range list {
				returned := h.Record(protoactor.Ref(as, ctx.Self()), c)
				result := u.command(ctx, c)
				if result == "" {
					return // the command has not returned
				}
				returned(result)
			}
		}
		as.Root.SpawnNamed(fromFunc(func(ctx actor.Context) {
			if _, ok := ctx.Message().(*actor.Started); !ok {
				return
			}
			carryOut(ctx, before)
			for i, list := range lists {
				ctx.SpawnNamed(fromFunc(func(ctx actor.Context) {
					if _, ok := ctx.Message().(*actor.Started); ok {
						carryOut(ctx, list)
					}
				}), fmt.Sprint("client", i+1))
			}
		}), "client")
		sys.Run()
		if err := h.Check(); err != nil {
			t.Error(err)
		}
	}
}

// customersLeave is the property of subject barber, with actors of proto.actor.
func customersLeave(mended bool) func(*props.T) {
	return func(t *props.T) {
		customers := props.Draw(t, rapid.IntRange(1, 5), "customers")
		chairs := props.Draw(t, rapid.IntRange(1, 3), "chairs")
		sys := t.System()
		list := openShop(protoactor.New(sys), customers, chairs, mended)
		t.Eventually("every customer leaves", func() bool {
			return !slices.ContainsFunc(list, func(v *visitor) bool { return !v.left })
		})
		sys.Run()
	}
}

type (
	job    struct{ n int }
	result struct{ n int }
)

// resultsSurvive returns a property with a boss and a worker. The worker sends its last
// result and stops. When the boss is notified of the stop, it considers missing results
// lost, and orders them again. But this notice is a system message and may overtake the
// result. In the mended form, the boss poisons the worker after it has received the result.
func resultsSurvive(mended bool) func(*props.T) {
	return func(t *props.T) {
		sys := t.System()
		as := protoactor.New(sys)
		results, again, first := 0, false, (*actor.PID)(nil)
		worker := fromFunc(func(ctx actor.Context) {
			if m, ok := ctx.Message().(job); ok {
				ctx.Respond(result(m))
				if !mended {
					ctx.Stop(ctx.Self())
				}
			}
		})
		as.Root.SpawnNamed(fromFunc(func(ctx actor.Context) {
			switch ctx.Message().(type) {
			case *actor.Started:
				first, _ = ctx.SpawnNamed(worker, "worker")
				ctx.Request(first, job{1})
			case result:
				results++
				if mended {
					ctx.Poison(first)
				}
			case *actor.Terminated:
				if results == 0 && !again {
					again = true
					w, _ := ctx.SpawnNamed(worker, "another")
					ctx.Request(w, job{1})
				}
			}
		}), "boss")
		sys.Run()
		if results != 1 {
			t.Errorf("the job was done %d times", results)
		}
	}
}

// A teller is a testing.TB that records its messages.
type teller struct {
	testing.TB
	text   strings.Builder
	failed bool
}

func (t *teller) Helper()           {}
func (t *teller) Output() io.Writer { return &t.text }
func (t *teller) Failed() bool      { return t.failed }
func (t *teller) Fail()             { t.failed = true }
func (t *teller) FailNow()          { t.failed = true }
func (t *teller) Log(v ...any)      { fmt.Fprintln(&t.text, v...) }
func (t *teller) Error(v ...any)    { t.Log(v...); t.Fail() }
func (t *teller) Fatal(v ...any)    { t.Error(v...) }
func (t *teller) Logf(format string, v ...any) {
	t.Log(fmt.Sprintf(format, v...))
}
func (t *teller) Errorf(format string, v ...any) { t.Error(fmt.Sprintf(format, v...)) }
func (t *teller) Fatalf(format string, v ...any) { t.Error(fmt.Sprintf(format, v...)) }

// bugs are programs, each in a form with a bug and in a form without.
var bugs = []struct {
	name     string
	property func(mended bool) func(*props.T)
	want     []string // texts that the failure's report must contain
}{
	{"writer", resultsAreStored, []string{"stored 0 of 1 results", "fails in ", "exactly where flush comes before write(1) at resultWriter", "flush: sent at bugs_test.go", "handler :", "replayed 2 of 2"}},
	{"messenger", messagesAreShown, []string{"was sent and not shown", "replayed 2 of 2", "fails in "}},
	{"procreg", registryIsAtomic, []string{"no atomic registry answers like this", "replayed 2 of 2"}},
	{"barber", customersLeave, []string{"every customer leaves", "replayed 2 of 2", "fails in "}},
	{"result", resultsSurvive, []string{"the job was done 2 times", "replayed 2 of 2", "Terminated(boss/worker)"}},
}

// TestBugs checks that the bugs are found, shrunk, explained and replayed, and that
// the mended programs hold.
func TestBugs(t *testing.T) {
	trial.Long(t)
	for _, b := range bugs {
		if (b.name == "procreg" || b.name == "barber") && os.Getenv("JOSTLE_NIGHTLY") == "" {
			continue // at night only: these subjects take longest to shrink and explain
		}
		t.Run(b.name, func(t *testing.T) {
			told := &teller{TB: t}
			fuzz.Config{Runs: 20_000, Shrink: 20 * time.Second, Folder: t.TempDir()}.Check(told, b.property(false))
			for _, want := range b.want {
				if !strings.Contains(told.text.String(), want) {
					t.Errorf("the text lacks %q:\n%s", want, told.text.String())
					break
				}
			}
			fuzz.Config{Runs: 1000}.Check(t, b.property(true))
		})
	}
}

// TestResultInEveryOrder checks that a search through all orders finds the same failures.
func TestResultInEveryOrder(t *testing.T) {
	for mended, want := range map[bool]int{false: 1, true: 0} {
		told := &teller{TB: t}
		v := fuzz.Config{Folder: t.TempDir(), KeepOn: true}.Explore(told, resultsSurvive(mended))
		if told.failed != (want > 0) || want > 0 && !strings.Contains(strings.Join(strings.Fields(told.text.String()), " "), "Terminated(boss/worker) comes before result(1) from worker at boss") {
			t.Errorf("mended %v: %+v\n%s", mended, v, told.text.String())
		}
	}
}
