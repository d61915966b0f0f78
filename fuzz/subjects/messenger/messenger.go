// Package messenger is an example program with a known bug. Its property: a message that
// was reported as sent is shown.
//
// The program follows the messenger of Erlang's tutorial; the paper Bitá (Tasharofi
// et al., ASE 2013) mentions a message to a user who has logged off.
//
// Users log on, write to each other and log off, each through a client. The server knows
// who is logged on. It passes a message on to the client of the receiver. It tells the
// writer that the message is sent, or that the receiver is not there. A client goes
// offline as soon as its user logs off, and a message in transit to the client is lost.
// In the mended form the client goes offline only after the server has confirmed the
// log-off. All messages that the server has passed on come before the confirmation.
//
// Subject.Depth is 1: at the client, the user's command to log off comes before the message.
package messenger

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two users who each write once to the other.
type Config struct {
	// Writes lists for each user the users that this one writes to, in order. Nil
	// means {{1}, {0}}.
	Writes [][]int
	Mended bool
}

type (
	// Requests of a user to the client, and of a client to the server.
	logOn  struct{ user int }
	logOff struct{ user int }
	letter struct{ from, to, number int }

	// Answers of the server, which a client passes on to its user.
	loggedOn  struct{}
	loggedOff struct{}
	sent      struct{ letter letter }
	absent    struct{}
)

// Build adds the program to a system. After the run, check returns an error if the
// property does not hold.
func (c Config) Build(sys *pulse.System) (check func() error) {
	writes := c.Writes
	if writes == nil {
		writes = [][]int{{1}, {0}}
	}
	srv := sys.Spawn("server", &server{online: make([]pulse.Ref, len(writes))})
	clients := make([]*client, len(writes))
	for i, list := range writes {
		clients[i] = &client{server: srv, waits: c.Mended}
		ref := sys.Spawn("client", clients[i])
		sys.Go("user", func(p *pulse.Process) { use(p, ref, i, list) })
	}
	return func() error { return allShown(clients) }
}

// use is the body of a user's process.
func use(p *pulse.Process, client pulse.Ref, user int, list []int) {
	p.Ask(client, logOn{user})
	for n, to := range list {
		p.Ask(client, letter{user, to, n + 1})
	}
	p.Ask(client, logOff{user})
}

// allShown returns an error if a message was sent but not shown.
func allShown(clients []*client) error {
	for _, c := range clients {
		for _, l := range c.sent {
			if !slices.Contains(clients[l.to].shown, l) {
				return fmt.Errorf("message %d from user %d to user %d was sent and not shown", l.number, l.from, l.to)
			}
		}
	}
	return nil
}

// A client connects a user with the server. Receive is its behavior until it
// goes offline.
type client struct {
	server pulse.Ref
	user   pulse.Ref // the user that waits for an answer
	shown  []letter
	sent   []letter // the messages that were reported to the user as sent
	waits  bool     // set if the client goes offline only after the server's confirmation
}

func (c *client) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case logOn:
		c.ask(ctx, msg)
	case logOff:
		c.ask(ctx, msg)
		if !c.waits {
			c.leave(ctx)
		}
	case letter:
		if ctx.Sender() == c.server {
			c.shown = append(c.shown, msg)
			return
		}
		c.ask(ctx, msg)
	case loggedOff:
		c.leave(ctx)
	case sent:
		c.sent = append(c.sent, msg.letter)
		ctx.Send(c.user, msg)
	case loggedOn, absent:
		ctx.Send(c.user, msg)
	}
}

// ask passes a request of the user on to the server.
func (c *client) ask(ctx *pulse.Ctx, msg any) {
	c.user = ctx.Sender()
	ctx.Send(c.server, msg)
}

// leave tells the user that it is logged off, and goes offline.
func (c *client) leave(ctx *pulse.Ctx) {
	ctx.Send(c.user, loggedOff{})
	ctx.Become(pulse.Func(func(*pulse.Ctx, any) {}))
}

// A server knows who is logged on.
type server struct{ online []pulse.Ref }

func (s *server) Receive(ctx *pulse.Ctx, msg any) {
	switch msg := msg.(type) {
	case logOn:
		s.online[msg.user] = ctx.Sender()
		ctx.Reply(loggedOn{})
	case logOff:
		s.online[msg.user] = pulse.Ref{}
		ctx.Reply(loggedOff{})
	case letter:
		if s.online[msg.to].IsZero() {
			ctx.Reply(absent{})
			return
		}
		ctx.Send(s.online[msg.to], msg)
		ctx.Reply(sent{msg})
	}
}
