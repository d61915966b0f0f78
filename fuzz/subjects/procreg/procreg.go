// Package procreg is an example program with a known bug. Its property: a registry of
// processes is linearizable.
//
// It comes from PULSE (Claessen et al., ICFP 2009), which tested a process registry
// for Erlang; the program is ours, with one of the bugs that PULSE found and a
// similar one.
//
// Clients register processes under names, unregister and look up names, and kill
// processes. The registry learns of a death by a Down message, which may come late.
// Until then the dead process keeps its name. A look-up does not return a dead
// process. A client that wants the name of a dead process asks the registry to drop
// the name, and then tries again. Each operation must seem to happen at one moment
// between its call and its return, in an ideal registry. There, dead processes have
// no names, and registering a dead process has no effect.
//
// In the first broken form a client whose second try fails believes that the name
// is taken. But another client may have registered a dead process in between. The
// smallest case is PULSE's: a dead process is registered once, and then twice in
// parallel. One of the three registrations is refused, although no living process
// ever had the name. In the mended form a client tries until it or another living
// process has the name. Subject.Depth is 1: at the registry, Down comes after
// both registrations. The requests that follow must also come in one certain
// order.
//
// In the second broken form (Config.Forgets), the registry drops all names that a process registered
// when the process is down. It does this even if another process has a name now. That process then
// loses its name. Subject.Depth is 1: Down comes after the next registration of the name.
package procreg

import "github.com/jostle-go/jostle/pulse"

// Config chooses the program to build. The zero value is the first broken form with
// PULSE's smallest case. If only Forgets is set, it is the second broken form with
// a client that kills a process, gives its name to another and looks it up.
type Config struct {
	Processes int         // 0 means 2
	Before    []Command   // the commands of one client that runs before the clients in Clients
	Clients   [][]Command // the commands of each client; nil means the smallest case
	Forgets   bool
	Mended    bool
}

// Op is the kind of a command.
type Op uint8

// The commands. Processes are numbered from 0.
const (
	Register Op = iota
	Unregister
	WhereIs
	Kill
)

func (o Op) String() string { return [...]string{"register", "unregister", "whereis", "kill"}[o] }

// A Command is one operation of a client.
type Command struct {
	Op      Op
	Name    int // for Register, Unregister, WhereIs
	Process int // for Register, Kill
}

// smallest returns the config with the smallest case that shows its bug.
func (c Config) smallest() Config {
	first := Command{Op: Register}
	if c.Forgets {
		c.Before = []Command{first}
		c.Clients = [][]Command{{{Op: Kill}, {Op: Register, Process: 1}, {Op: WhereIs}}}
		return c
	}
	c.Before = []Command{{Op: Kill}, first}
	c.Clients = [][]Command{{first}, {first}}
	return c
}

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	h := &History{}
	c.Start(sys, h.Record)
	return h.Check
}

// A Recorder is called when a client begins a command. It returns a function that
// is called with the result: "true", "badarg", "undefined" or "process 1".
type Recorder func(client pulse.Ref, c Command) (returned func(result string))

// Start adds the program to a system. The recorder is called for each command.
func (c Config) Start(sys *pulse.System, record Recorder) {
	if c.Clients == nil {
		c = c.smallest()
	}
	n := c.Processes
	if n == 0 {
		n = 2
	}
	u := &user{record: record, processes: make([]pulse.Ref, n), persists: c.Forgets || c.Mended}
	u.registry = sys.Spawn("registry", &registry{sys: sys, names: map[int]pulse.Ref{}, forgets: c.Forgets && !c.Mended})
	for i := range u.processes {
		u.processes[i] = sys.Spawn("process", pulse.Func(func(*pulse.Ctx, any) {}))
	}
	sys.Go("client", func(p *pulse.Process) {
		u.do(p, c.Before)
		for _, list := range c.Clients {
			p.Go("client", func(p *pulse.Process) { u.do(p, list) })
		}
	})
}

// The requests of clients to the registry. The answer to whereIs is a Ref. The
// answers to all other requests are bools.
type (
	add struct {
		name    int
		process pulse.Ref
	}
	drop    struct{ name int } // asks to drop the name if a dead process has it; the answer reports whether the name is free
	remove  struct{ name int }
	whereIs struct{ name int }
)

// A registry knows processes by their names.
type registry struct {
	sys     *pulse.System
	names   map[int]pulse.Ref
	added   []add // all registrations; a Down will come for each process in the list
	forgets bool  // set for the second bug: the registry also drops names that other processes have taken over
}

func (r *registry) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case add:
		ctx.Reply(r.add(ctx, msg))
	case drop:
		alive := r.alive(msg.name)
		if !alive {
			delete(r.names, msg.name)
		}
		ctx.Reply(!alive)
	case remove:
		alive := r.alive(msg.name)
		r.forget(add{msg.name, r.names[msg.name]})
		delete(r.names, msg.name)
		ctx.Reply(alive)
	case whereIs:
		if r.alive(msg.name) {
			ctx.Reply(r.names[msg.name])
		} else {
			ctx.Reply(pulse.Ref{})
		}
	case pulse.Down:
		r.down(msg.Actor)
	}
}

// alive reports whether a living process has a name.
func (r *registry) alive(name int) bool {
	p, ok := r.names[name]
	return ok && r.sys.Alive(p)
}

// add registers a process, unless another process, dead or alive, has the name.
func (r *registry) add(ctx *pulse.Ctx, a add) bool {
	if _, ok := r.names[a.name]; ok {
		return false
	}
	r.names[a.name] = a.process
	r.added = append(r.added, a)
	ctx.Watch(a.process)
	return true
}

// forget removes a registration from the list of registrations that a Down undoes.
func (r *registry) forget(a add) {
	for i := range r.added {
		if r.added[i] == a {
			r.added[i] = add{}
		}
	}
}

// down drops the names of a dead process.
func (r *registry) down(dead pulse.Ref) {
	for _, a := range r.added {
		if a.process == dead && (r.forgets || r.names[a.name] == dead) {
			delete(r.names, a.name)
		}
	}
}

// A user carries out the commands of a client.
type user struct {
	record    Recorder
	registry  pulse.Ref
	processes []pulse.Ref
	persists  bool // set if the user tries until a living process has the name
}

// do carries out a list of commands.
func (u *user) do(p *pulse.Process, list []Command) {
	for _, c := range list {
		returned := u.record(p.Self(), c)
		returned(u.command(p, c))
	}
}

// command carries out one command and returns its result.
func (u *user) command(p *pulse.Process, c Command) string {
	switch c.Op {
	case Register:
		return yes(u.register(p, c.Name, u.processes[c.Process]))
	case Unregister:
		return yes(p.Ask(u.registry, remove{c.Name}).(bool))
	case Kill:
		kill(p, u.processes[c.Process])
		return yes(true)
	}
	return u.nameOf(p.Ask(u.registry, whereIs{c.Name}).(pulse.Ref))
}

func (u *user) register(p *pulse.Process, name int, process pulse.Ref) bool {
	for tries := 1; !p.Ask(u.registry, add{name, process}).(bool); tries++ {
		if tries == 2 && !u.persists || !p.Ask(u.registry, drop{name}).(bool) {
			return false
		}
	}
	return true
}

// kill kills a process and returns when the process is dead.
func kill(p *pulse.Process, process pulse.Ref) {
	p.Watch(process)
	p.Kill(process)
	p.ReceiveMatch(func(msg any) bool {
		d, ok := msg.(pulse.Down)
		return ok && d.Actor == process
	})
}

func yes(ok bool) string {
	if ok {
		return "true"
	}
	return "badarg"
}

// nameOf returns the name of a process in histories.
func (u *user) nameOf(r pulse.Ref) string {
	for i, p := range u.processes {
		if p == r {
			return process(i)
		}
	}
	return undefined
}
