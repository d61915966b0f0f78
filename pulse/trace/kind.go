package trace

import "fmt"

var (
	fateNames     = [...]string{"pending", "delivered", "orphaned", "dropped"}
	sendKindNames = [...]string{"message", "start", "timer", "periodic", "down", "kill", "reply", "copy", "poll"}
	stepKindNames = [...]string{"receive", "crash", "restart", "partition", "heal", "cut", "loss", "delay"}
)

func (f Fate) String() string {
	if int(f) < len(fateNames) {
		return fateNames[f]
	}
	return fmt.Sprintf("trace.Fate(%d)", uint8(f))
}

func (k SendKind) String() string {
	if int(k) < len(sendKindNames) {
		return sendKindNames[k]
	}
	return fmt.Sprintf("trace.SendKind(%d)", uint8(k))
}

// IsTimer reports whether the message comes from a timer, set by After, Every or
// SendAfter.
func (k SendKind) IsTimer() bool { return k == Timer || k == Periodic }

// carriesBody reports whether the program chose the body of the message. Messages
// of other kinds come from the system and may have no body.
func (k SendKind) carriesBody() bool { return k == Message || k == Reply || k == Copy }

func (k StepKind) String() string {
	if int(k) < len(stepKindNames) {
		return stepKindNames[k]
	}
	return fmt.Sprintf("trace.StepKind(%d)", uint8(k))
}
