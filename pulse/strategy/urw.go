package strategy

import (
	"reflect"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
	"github.com/jostle-go/jostle/pulse/hash"
	"github.com/jostle-go/jostle/pulse/trace"
)

// URWOptions are the options of URW.
type URWOptions struct {
	// If Relearn is n, URW learns the weights again after every n runs, from the last
	// of these runs. Zero means that URW learns the weights only from the first run.
	Relearn int
}

// URW returns a strategy that picks each message with a probability proportional to
// its weight. The weight is the number of steps that the message and the messages
// behind it in its channel cause, directly or indirectly (Zhao, Wolff, Mathur and
// Roychoudhury, "Selectively uniform concurrency testing", ASPLOS 2025; their
// weight is the number of steps left to a thread).
//
// If each message has one cause and the weights are right, every order of the run
// has the same probability. The probability that an event comes after a chain of r
// unrelated steps is 1/(r+1). With Random it is 1/2^r.
//
// In the first run, URW picks like Random and learns the weights of messages by
// identity. A message without a learned weight gets the average weight of its type,
// or 1. After the first run, the same seed gives the same answers to the same
// calls, until weights are learned again.
func URW(o URWOptions) pulse.Strategy {
	return &urw{options: o, means: map[reflect.Type]mean{}}
}

type urw struct {
	source
	options URWOptions
	runs    int  // number of runs begun so far
	trial   bool // set if no weights were learned before this run

	sizes   hash.Table            // maps the ID of a message to the number of steps that the message caused, including its own step
	means   map[reflect.Type]mean // maps the type of a message to the mean number of steps that such messages caused
	scratch []int32

	// weights has the weight of each message in the trace's Sends.
	weights []int32
	// loads has, for each channel, the sum of the weights of waiting messages. The
	// weight of a dropped message remains included, because its channel delivers
	// nothing more unless a crashed actor is restarted.
	loads []int64
	steps int // number of steps of the trace so far whose messages no longer count in loads

	view pulse.View
	sums sums // the sums of the weights, by index in Enabled
	// at has, for each channel, the index in Enabled of the channel's message when last
	// checked. loaded lists the channels whose loads have changed since the last Pick.
	at, loaded []int32
}

// A mean is an average, stored as the sum and the number of terms.
type mean struct{ sum, count int64 }

func (u *urw) Begin(seed uint64) {
	u.seed(seed)
	u.trial = u.runs == 0
	u.runs++
	u.weights, u.loads, u.at = u.weights[:0], u.loads[:0], u.at[:0]
	u.steps, u.view = 0, pulse.View{}
}

// Needs requests the trace.
func (u *urw) Needs() pulse.Needs { return pulse.Needs{Record: true} }

func (u *urw) Pick(e *pulse.Enabled) int {
	if u.trial {
		return u.below(e.Len())
	}
	t := e.Trace()
	u.follow(t)
	if e.Len() <= few {
		return u.scan(t, e)
	}
	u.update(t, e)
	return u.sums.find(int64(u.below(int(u.sums.total()))))
}

// scan picks among few messages by adding all weights.
func (u *urw) scan(t *trace.Trace, e *pulse.Enabled) int {
	u.view, u.loaded = pulse.View{}, u.loaded[:0]
	total := int64(0)
	for i := range e.Len() {
		total += u.weight(t, e, i)
	}
	at := int64(u.below(int(total)))
	for i := range e.Len() {
		if at -= u.weight(t, e, i); at < 0 {
			return i
		}
	}
	return 0
}

// update makes u.sums contain the weights of the deliverable messages.
func (u *urw) update(t *trace.Trace, e *pulse.Enabled) {
	at, from := e.Changed(&u.view)
	n := e.Len()
	u.sums.resize(n)
	if at >= 0 && at < min(from, n) {
		u.look(t, e, at)
	}
	for i := from; i < n; i++ {
		u.look(t, e, i)
	}
	for _, c := range u.loaded {
		if i := int(u.at[c]); i >= 0 && i < n && e.Send(i).Channel == c {
			u.sums.set(i, u.weight(t, e, i))
		}
	}
	u.loaded = u.loaded[:0]
}

// look updates the weight of message i, and the index of the message of its
// channel.
func (u *urw) look(t *trace.Trace, e *pulse.Enabled, i int) {
	if c := e.Send(i).Channel; !t.Unordered && int(c) < len(u.at) {
		u.at[c] = int32(i)
	}
	u.sums.set(i, u.weight(t, e, i))
}

// weight returns the weight of message i, plus the weights of all messages behind
// it in its channel.
func (u *urw) weight(t *trace.Trace, e *pulse.Enabled, i int) int64 {
	s := e.Send(i)
	if t.Unordered || s.Kind.IsTimer() || s.Kind == trace.Poll {
		return int64(u.weights[e.Slot(i)])
	}
	return u.loads[s.Channel]
}

// follow reads what has happened since the last Pick.
func (u *urw) follow(t *trace.Trace) {
	for m := len(u.weights); m < len(t.Sends); m++ {
		s := &t.Sends[m]
		w := u.weightOf(s)
		u.weights = append(u.weights, w)
		u.load(t, s, int64(w))
	}
	for ; u.steps < len(t.Steps); u.steps++ {
		if m := t.Steps[u.steps].Send; m >= 0 {
			u.load(t, &t.Sends[m], -int64(u.weights[m]))
		}
	}
}

// load adds w to the load of the channel of message s. A load is a sum of weights
// (see urw.loads).
func (u *urw) load(t *trace.Trace, s *trace.Send, w int64) {
	if t.Unordered || s.Kind.IsTimer() || s.Kind == trace.Poll || s.Fate > trace.Delivered {
		return
	}
	for int(s.Channel) >= len(u.loads) {
		u.loads, u.at = append(u.loads, 0), append(u.at, none)
	}
	u.loads[s.Channel] += w
	u.loaded = append(u.loaded, s.Channel)
}

// weightOf returns the learned weight of a message.
func (u *urw) weightOf(s *trace.Send) int32 {
	if w, ok := u.sizes.Get(s.ID); ok {
		return w
	}
	if m := u.means[reflect.TypeOf(s.Body)]; m.count > 0 {
		return int32((m.sum + m.count/2) / m.count)
	}
	return 1
}

// End learns weights from the first run, and then from every run that is due by
// URWOptions.Relearn.
func (u *urw) End(t *trace.Trace) {
	due := u.runs == 1
	if u.options.Relearn > 0 {
		due = due || u.runs%u.options.Relearn == 0
	}
	if due {
		u.learn(t)
	}
}

// learn sets the weight of each received message to the number of steps that the
// message caused. The last message comes first, because a message has a higher
// index than the message whose handler sent it.
func (u *urw) learn(t *trace.Trace) {
	u.sizes.Reset()
	clear(u.means)
	u.scratch = u.scratch[:0]
	for range t.Sends {
		u.scratch = append(u.scratch, 0)
	}
	for m := len(t.Sends) - 1; m >= 0; m-- {
		s := &t.Sends[m]
		if s.Fate != trace.Delivered {
			continue
		}
		u.scratch[m]++
		u.keep(s, u.scratch[m])
		if s.Step < 0 {
			continue
		}
		if cause := t.Steps[s.Step].Send; cause >= 0 {
			u.scratch[cause] += u.scratch[m]
		}
	}
}

func (u *urw) keep(s *trace.Send, size int32) {
	u.sizes.Put(s.ID, size)
	typ := reflect.TypeOf(s.Body)
	m := u.means[typ]
	u.means[typ] = mean{m.sum + int64(size), m.count + 1}
}

func (u *urw) Choose(k choice.Kind, n int) int { return u.choose(k, n) }
