// Package messenger is a subject: a message that was sent is shown.
//
// The program is after the messenger of Erlang's tutorial; Bitá (Tasharofi et
// al., ASE 2013) tells of a message to a user who has logged off.
//
// Users log on, write to each other and log off, each through a client; the
// clients know the server, and the server who is logged on. It passes a
// message on to the receiver's client and tells the writer that it is sent,
// or that the receiver is not there. A client goes off line as soon as its
// user logs off, and a message that is still on its way to it is lost. In the
// mended form it stays until the server has confirmed: whatever the server
// passed on before then comes before.
//
// Depth 1: the user's command to log off before the message, at the client.
package messenger

import (
	"fmt"
	"slices"

	"github.com/jostle-go/jostle/pulse"
)

// Config chooses the program to build. The zero value is the broken form with
// two users who each write once to the other.
type Config struct {
	// Writes lists for each user whom this one writes to, in order. Nil means
	// {{1}, {0}}.
	Writes [][]int
	Mended bool
}

type (
	// What a user asks of the client, and a client tells the server.
	logOn  struct{ user int }
	logOff struct{ user int }
	letter struct{ from, to, number int }

	// What the server answers, and a client tells its user.
	loggedOn  struct{}
	loggedOff struct{}
	sent      struct{ letter letter }
	absent    struct{}
)

// Build adds the program to a system. When the run is over, check says
// whether what must hold does.
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

// use is what a user does.
func use(p *pulse.Process, client pulse.Ref, user int, list []int) {
	p.Ask(client, logOn{user})
	for n, to := range list {
		p.Ask(client, letter{user, to, n + 1})
	}
	p.Ask(client, logOff{user})
}

// allShown reports whether all that was sent was shown.
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

// A client is a user's way to the server. Receive is its behaviour until it
// goes off line.
type client struct {
	server pulse.Ref
	user   pulse.Ref // who waits for an answer
	shown  []letter
	sent   []letter // for all that its user has been told
	waits  bool     // for the server, before it goes off line
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

// ask passes on what the user asks.
func (c *client) ask(ctx *pulse.Ctx, msg any) {
	c.user = ctx.Sender()
	ctx.Send(c.server, msg)
}

// leave tells the user and goes off line.
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
