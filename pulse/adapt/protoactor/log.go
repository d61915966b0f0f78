package protoactor

import (
	"context"
	"log/slog"

	"github.com/asynkron/protoactor-go/actor"

	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/trace"
)

// logger returns the default logger of an actor system. Lines that are logged in a
// step go into the trace. Other lines are dropped.
func (w *world) logger(*actor.ActorSystem) *slog.Logger { return slog.New(&notebook{world: w}) }

// A notebook is a slog.Handler that writes into the trace.
type notebook struct {
	*world
	attrs []slog.Attr
}

// Enabled reports whether lines of a level are written.
func (*notebook) Enabled(_ context.Context, level slog.Level) bool { return level >= slog.LevelInfo }

// Handle writes a line.
func (n *notebook) Handle(_ context.Context, r slog.Record) error {
	if n.host.Caller() != pulse.CallerInside {
		return nil
	}
	n.host.Note(func() string {
		text := r.Message
		add := func(a slog.Attr) bool {
			text += " " + a.Key + "=" + shown(a.Value.Any())
			return true
		}
		for _, a := range n.attrs {
			add(a)
		}
		r.Attrs(add)
		return text
	})
	return nil
}

// WithAttrs returns a handler that adds attributes to each line.
func (n *notebook) WithAttrs(list []slog.Attr) slog.Handler {
	return &notebook{n.world, append(append([]slog.Attr{}, n.attrs...), list...)}
}

// WithGroup returns the handler unchanged, because the trace shows no groups.
func (n *notebook) WithGroup(string) slog.Handler { return n }

// shown returns a text for a value in a logged entry. The text is the same in every process.
func shown(v any) string {
	switch v := v.(type) {
	case *actor.PID:
		return v.GetId()
	case string:
		return v
	}
	return systemLabel(v)
}

// systemLabel returns the label of a message, which may be a system message.
func systemLabel(m any) string {
	switch m := m.(type) {
	case *actor.Terminated:
		return "Terminated(" + m.GetWho().GetId() + ")"
	case *actor.Failure:
		return "Failure(" + m.Who.GetId() + ": " + trace.Thrown(m.Reason) + ")"
	case *actor.SuspendMailbox:
		return "Suspend"
	case *actor.ResumeMailbox:
		return "Resume"
	case actor.SystemMessage, stopping:
		return trace.TypeLabel(m)
	}
	return trace.Label(m)
}
