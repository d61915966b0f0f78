//go:build !(race && jostle_race)

package pulse

import "iter"

// threaded is set in builds in which each actor runs on its own goroutine, for
// the race detector: see threads_on.go. In this build threaded is false. The
// only function below that is called is pull.
const threaded = false

type (
	thread    struct{}
	threads   struct{ slot int32 }
	raceClock struct{}
)

// pull returns the functions that resume and stop a coroutine with the body
// seq.
func pull(seq iter.Seq[signal]) (next func() (signal, bool), stop func()) { return iter.Pull(seq) }

func onThread(*System, *actor, any)                            {}
func makeThread(*cast, *actor)                                 {}
func endThreads(*cast)                                         {}
func unite(s *System)                                          { s.pool.united = true }
func united(_ *System, body func(*Coroutine)) func(*Coroutine) { return body }
func (*threads) barrier()                                      {}
func (*threads) released(int32)                                {}
func (*threads) copied(int32, int32)                           {}
func (*threads) acquired(int32)                                {}
func (b *mailbox) runsOn(*Coroutine)                           { b.thread = thread{} }
func (*mailbox) matchOnThread(any) bool                        { return false }
func (c *Coroutine) knows()                                    { c.seen = raceClock{} }
func (*Coroutine) knowsIfUnited()                              {}
func (*Coroutine) learns()                                     {}
