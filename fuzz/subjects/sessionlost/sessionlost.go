// Package sessionlost is an example program with a known bug. Its property: each command of a
// client is applied once.
//
// A replicated server has a table of sessions, which says for each client which commands the server
// has applied. It applies no command again that is sent again. The table is part of the state, and so
// of each snapshot (Ongaro, "Consensus: Bridging Theory and Practice", 6.3). A snapshot without the
// table is a common bug. RedisRaft added the table later (pull request 568). The program is ours.
//
// A primary applies commands, and answers a command when its backup has it, too. A new backup gets
// a snapshot first. When the primary has crashed, the backup takes its place, and the clients send
// it the commands that are not answered yet. In the broken form the snapshot lacks the table. The
// primary answers a command before the backup is added, and the answer is late. The backup restores
// the snapshot, the primary crashes, and the client sends the command again. The backup applies it
// for the second time.
//
// In the mended form the snapshot contains the table. The backup takes over only after it has
// restored the snapshot. It gets each command in the snapshot or after it, so each command is in
// its table.
//
// Subject.Depth is 0, with a crash, because the oldest-first order does not contain the messages
// that must move. The primary gets the command before it adds the backup, and crashes after that.
// The client hears of the new primary before it gets the answer of the old one. Until then the
// backup restores the snapshot, and the monitor promotes it.
package sessionlost

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two clients of two commands.
type Config struct {
	Clients  int // 0 means 2
	Commands int // the number of commands of each client; 0 means 2
	Mended   bool
}

// Options returns the options of a system in which the bug can occur: a server may crash.
func Options() pulse.Options { return pulse.Options{Faults: pulse.Faults{Crash: 1}} }

type (
	begin   struct{}                     // sent from the test to the monitor and the clients
	command struct{ client, number int } // sent from a client to the primary
	answer  struct{ number int }
	forward struct{ client, number int } // sent from the primary to its backup
	applied struct{ number int }         // the answer to forward
	restore struct{ counts, last table } // sent from the primary to its backup as a snapshot

	add     struct{ backup pulse.Ref } // sent from the monitor to the primary
	ready   struct{}                   // sent from the backup to the monitor when it has restored the snapshot
	promote struct{}                   // sent from the monitor to the backup
	leads   struct{}                   // the answer to promote
	primary struct{ server pulse.Ref } // sent from the monitor to the clients to name the new primary
)

// A table has a number for each client.
type table []int

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	count, commands := c.Clients, c.Commands
	if count == 0 {
		count = 2
	}
	if commands == 0 {
		commands = 2
	}
	m := &monitor{}
	watch := sys.SpawnSpec(pulse.Spec{Name: "monitor", Actor: m, Safe: true})
	servers := make([]*server, 2)
	for i := range servers {
		servers[i] = &server{monitor: watch, forgets: !c.Mended, counts: make(table, count), last: make(table, count)}
		m.servers = append(m.servers, sys.Spawn("server", servers[i]))
	}
	for i := range count {
		m.clients = append(m.clients, sys.Spawn("client", &client{me: i, primary: m.servers[0], commands: commands}))
	}
	for _, r := range m.clients {
		sys.Send(r, begin{})
	}
	sys.Send(watch, begin{})
	return func() error {
		for i, s := range servers {
			for k, n := range s.counts {
				if n > commands {
					return fmt.Errorf("client %d has sent %d commands, server %d has applied %d", k+1, commands, i+1, n)
				}
			}
		}
		return nil
	}
}

// A monitor makes the second server the backup of the first, and promotes it after a crash.
type monitor struct {
	servers []pulse.Ref
	clients []pulse.Ref
	ready   bool // set once the backup has restored a snapshot
	down    bool // set once the first server has crashed
}

func (m *monitor) Receive(ctx *pulse.Ctx, msg any) {
	switch msg.(type) {
	case begin:
		ctx.Watch(m.servers[0])
		ctx.Send(m.servers[0], add{m.servers[1]})
	case ready:
		m.ready = true
		m.promote(ctx)
	case pulse.Down:
		m.down = true
		m.promote(ctx)
	case leads:
		for _, c := range m.clients {
			ctx.Send(c, primary{m.servers[1]})
		}
	}
}

func (m *monitor) promote(ctx *pulse.Ctx) {
	if m.ready && m.down {
		ctx.Send(m.servers[1], promote{})
	}
}

// A client sends one command after the other, each until it is answered.
type client struct {
	me       int
	primary  pulse.Ref
	commands int // the number of the client's commands
	number   int // the number of the unanswered command, counted from 1
}

func (c *client) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case primary:
		c.primary = msg.server
	case begin:
		c.number = 1
	case answer:
		if msg.number != c.number {
			return
		}
		c.number++
	}
	if c.number >= 1 && c.number <= c.commands {
		ctx.Send(c.primary, command{c.me, c.number})
	}
}

// A server is the primary or a backup.
type server struct {
	monitor pulse.Ref
	backup  pulse.Ref   // the backup, if the server is a primary with a backup
	counts  table       // the replicated state, which is the number of applied commands of each client
	last    table       // the number of the last applied command of each client
	waiting []pulse.Ref // clients whose commands the backup does not have yet
	forgets bool        // set in the broken form: a snapshot has only the state, and not the table of sessions
}

func (s *server) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case command:
		s.apply(msg)
		if s.backup.IsZero() {
			ctx.Reply(answer{msg.number})
			return
		}
		s.waiting = append(s.waiting, ctx.Sender())
		ctx.Send(s.backup, forward(msg))
	case add:
		s.backup = msg.backup
		ctx.Send(s.backup, s.snapshot())
	case restore:
		copy(s.counts, msg.counts)
		copy(s.last, msg.last)
		ctx.Send(s.monitor, ready{})
	case forward:
		s.apply(command(msg))
		ctx.Reply(applied{msg.number})
	case applied:
		ctx.Send(s.waiting[0], answer(msg))
		s.waiting = s.waiting[1:]
	case promote:
		ctx.Reply(leads{})
	}
}

func (s *server) snapshot() restore {
	r := restore{counts: slices.Clone(s.counts)}
	if !s.forgets {
		r.last = slices.Clone(s.last)
	}
	return r
}

func (s *server) apply(c command) {
	if c.number > s.last[c.client] {
		s.last[c.client] = c.number
		s.counts[c.client]++
	}
}
