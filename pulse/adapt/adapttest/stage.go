package adapttest

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/jostle-go/jostle/pulse"
)

// A stage is one run of a program on a runtime. It records what is sent and received.
type stage struct {
	sys     *pulse.System
	host    pulse.Host
	runtime Runtime
	players []*player
	sent    map[parcel]int // how often each sent message was received
	order   []parcel       // the messages in the order of sending
	entries []entry        // the messages in the order of receipt
	asks    bool           // the runtime's actors can wait
	becomes bool           // the runtime's actors can change their behavior
	refused *pulse.Failure // the failure with which pulse refused a call of the test
	mu      sync.Mutex
	wrong   string // describes the first handler call outside a step of its actor; "" if there was none
}

// A parcel is one message of a program. No two parcels are equal, because n counts
// the messages from one player to another.
type parcel struct {
	from, to, word string
	n              int
}

// String returns the text that is sent, which contains all fields but the
// receiver.
func (m parcel) String() string { return fmt.Sprintf("%s %d from %s", m.word, m.n, m.from) }

// parcelOf returns the parcel, a message of the program, whose text the player
// named to has received. It reports whether the text is that of a parcel.
func parcelOf(msg, to string) (m parcel, ok bool) {
	m.to = to
	n, err := fmt.Sscanf(msg, "%s %d from %s", &m.word, &m.n, &m.from)
	return m, n == 3 && err == nil && m.String() == msg
}

// An entry is a message that was received.
type entry struct {
	player *player
	text   string
	parcel
	ok   bool // set if the message was sent to the player
	step int
}

// A player is an actor of a program.
type player struct {
	*stage
	name    string
	address Address
	act     func(*turn, string)
	count   map[string]int // the number of messages sent to each other player
	busy    string         // the message that the player's handler is handling, "" if none
}

// A turn is one call of a player's handler.
type turn struct {
	*player
	ctx  Context
	from string
}

// A party is the sender of a message, with the address for the answer.
type party struct {
	player  *player
	address Address
}

// spawn has the test start a player, an actor of the program.
func (s *stage) spawn(name string, act func(*turn, string)) *player {
	return s.by(s.runtime, name, act)
}

func (s *stage) by(r Runtime, name string, act func(*turn, string)) *player {
	p := &player{stage: s, name: name, act: act, count: map[string]int{}}
	s.players = append(s.players, p)
	p.address = r.Spawn(name, p.handle)
	return p
}

// test is the sender's name in messages from the test.
const test = "test"

// send has the test send a message. The test sends each player at most one
// message.
func (s *stage) send(to *player, word string) {
	s.runtime.Send(to.address, s.post(parcel{test, to.name, word, 1}))
}

// post records that a message is sent, and returns its text.
func (s *stage) post(m parcel) string {
	s.sent[m] = 0
	s.order = append(s.order, m)
	return m.String()
}

// next records that the player sends a message to another player, and returns the
// text to send.
func (p *player) next(to, word string) string {
	p.count[to]++
	return p.post(parcel{p.name, to, word, p.count[to]})
}

func (t *turn) send(to *player, word string) { t.ctx.Send(to.address, t.next(to.name, word)) }

func (t *turn) answer(to party, word string) {
	if to.player != nil {
		t.ctx.Send(to.address, t.next(to.player.name, word))
	}
}

func (t *turn) reply(word string) { t.answer(t.sender(), word) }

func (t *turn) spawn(name string, act func(*turn, string)) *player { return t.by(t.ctx, name, act) }

func (t *turn) sender() party {
	i := slices.IndexFunc(t.players, func(p *player) bool { return p.name == t.from })
	if i < 0 {
		return party{}
	}
	return party{t.players[i], t.ctx.Sender()}
}

// ask sends a message and waits for the answer.
func (t *turn) ask(to *player, word string) {
	t.note(t.ctx.(Asker).Ask(to.address, t.next(to.name, word)))
}

// become replaces the player's handler.
func (t *turn) become(act func(*turn, string)) {
	later := &player{stage: t.stage, name: t.name, address: t.address, act: act, count: t.count}
	t.ctx.(Becomer).Become(later.handle)
}

// handle is the handler that the runtime calls.
func (p *player) handle(ctx Context, msg string) {
	if p.host.Caller() != pulse.CallerInside {
		p.blame("the handler of %s is called for %q outside of a step: while the test spawns or sends, or by a goroutine of its own", p.name, msg)
		return
	}
	if p.busy != "" {
		p.blame("the handler of %s is called for %q before it has returned from %q", p.name, msg, p.busy)
	}
	_, p.asks = ctx.(Asker)
	_, p.becomes = ctx.(Becomer)
	p.busy = msg
	if m, ok := p.note(msg); ok {
		p.act(&turn{p, ctx, m.from}, m.word)
	}
	p.busy = ""
}

// blame records the first wrong call of a handler. Any goroutine may have made the
// call.
func (s *stage) blame(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.wrong == "" {
		s.wrong = fmt.Sprintf(format, args...)
	}
}

// note records that a player has received a message, and reports whether the
// message was sent to the player.
func (p *player) note(msg string) (m parcel, ok bool) {
	if m, ok = parcelOf(msg, p.name); ok {
		_, ok = p.sent[m]
	}
	if ok {
		p.sent[m]++
	}
	p.entries = append(p.entries, entry{p, msg, m, ok, p.host.Step()})
	return m, ok
}

// outcome returns a line for each player, with the messages that the player has
// received in order.
func (s *stage) outcome() string {
	lines := map[string]string{}
	for _, e := range s.entries {
		name := e.player.name
		if lines[name] != "" {
			lines[name] += then
		}
		lines[name] += e.text
	}
	var list []string
	for _, name := range slices.Sorted(maps.Keys(lines)) {
		list = append(list, name+" receives "+lines[name])
	}
	return strings.Join(list, "\n")
}

// then separates two messages in an outcome.
const then = ", then "

// play runs a program once on a runtime, in a new or reset system.
func (p *program) play(sys *pulse.System, runtime func(*pulse.System) Runtime) (st *stage) {
	st = &stage{sys: sys, host: sys.Host(), sent: map[parcel]int{}}
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *pulse.Failure: // the system panics with a failure if no run has begun
			st.refused = v
		default:
			panic(v)
		}
	}()
	st.runtime = runtime(sys)
	p.build(st)
	sys.Run()
	return st
}
