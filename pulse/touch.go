package pulse

import "github.com/jostle-go/jostle/pulse/trace"

// touch notes that the running step meets others in a way that no message
// shows. Searches that leave out orders need it: all else that steps have to
// do with each other is in the messages.
func (s *System) touch(actor int32, what trace.Touched, ask int32) {
	if s.recording && s.step >= 0 {
		s.trace.Touches = append(s.trace.Touches, trace.Touch{Step: s.step, Actor: actor, Ask: ask, What: what})
	}
}

// touchOther notes that the running step ends or restarts another actor.
func (s *System) touchOther(a *actor) {
	if i := a.ctx.actor; i != s.cur {
		s.touch(i, trace.ItsSteps, 0)
	}
}
