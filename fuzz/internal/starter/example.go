package starter

import "strings"

// example returns the text of an example: an actor and a property for it.
func (w *writer) example(f *File) string {
	f.Test, f.Property = w.free("TestDrawnOut"), w.free("drawnOut")
	n := w.names()
	// Pairs of a name in exampleText and its replacement.
	pairs := []string{"TestDrawnOut", f.Test, "drawnOut", f.Property}
	for _, name := range []string{"account", "deposit", "withdraw", "sum", "acc", "ctx", "msg", "m", "a"} {
		pairs = append(pairs, "«"+name+"»", w.free(name))
	}
	pairs = append(pairs, "«t»", n.t, "«ref»", n.ref, "«sys»", n.sys, "«p»", n.p,
		"«fmt»", w.use("fmt", "fmt"), "«testing»", n.testing, "«fuzz»", n.fuzz, "«props»", n.props, "«pulse»", n.pulse, "«rapid»", n.rapid)
	return strings.NewReplacer(pairs...).Replace(exampleText)
}

const exampleText = `
// An example: replace the account by an actor of yours, and the deposits and
// withdrawals by the messages that it takes.

func TestDrawnOut(«t» *«testing».T) { «fuzz».Check(«t», drawnOut) }

type (
	«deposit»  int
	«withdraw» int
)

// An «account» keeps a withdrawal until it is covered. Have it pay at once, and see
// how that fails: the search finds an order, shrinks it, draws it and saves it as a
// file.
type «account» struct {
	balance int
	waiting []int
}

// Receive handles one message. Handlers of one actor never run at the same time.
func («a» *«account») Receive(«ctx» *«pulse».Ctx, «msg» any) {
	switch «m» := «msg».(type) {
	case «deposit»:
		«a».balance += int(«m»)
	case «withdraw»:
		«a».waiting = append(«a».waiting, int(«m»))
	}
	for len(«a».waiting) > 0 && «a».balance >= «a».waiting[0] {
		«a».balance -= «a».waiting[0]
		«a».waiting = «a».waiting[1:]
	}
}

// drawnOut draws inputs, builds a system of actors, runs it and says what must hold. It is
// run many times, each time with other inputs and in another order of messages.
func drawnOut(«t» *«props».T) {
	«sum» := «props».Draw(«t», «rapid».IntRange(1, 100), "sum")
	«sys» := «t».System()
	«acc» := &«account»{}
	«ref» := «sys».Spawn("account", «acc»)
	«sys».Go("payer", func(«p» *«pulse».Process) { «p».Send(«ref», «deposit»(«sum»)) })
	«sys».Go("payee", func(«p» *«pulse».Process) { «p».Send(«ref», «withdraw»(«sum»)) })
	// This must hold after each message.
	«t».Always("never overdrawn", func() error {
		if «acc».balance < 0 {
			return «fmt».Errorf("balance is %d", «acc».balance)
		}
		return nil
	})
	«sys».Run()
	// This must hold at the end.
	if «acc».balance != 0 || len(«acc».waiting) > 0 {
		«t».Errorf("balance is %d, waiting are %v", «acc».balance, «acc».waiting)
	}
}
`
