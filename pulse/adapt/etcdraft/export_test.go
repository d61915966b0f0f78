package etcdraft

import "go.etcd.io/raft/v3"

// Mistakes of the driver, for tests.
var Mistakes = map[string]mistake{
	"none":              noMistake,
	"sends before sync": sendsBeforeSync,
	"forgets vote":      forgetsVote,
	"applies early":     appliesEarly,
	"restores late":     restoresLate,
	"reads alone":       readsAlone,
	"changes early":     changesEarly,
}

// Quiet is the logger of the nodes.
var Quiet raft.Logger = quiet{}

// With returns the Config with a mistake in the driver.
func (c Config) With(name string) Config {
	m, ok := Mistakes[name]
	if !ok {
		panic("no mistake " + name)
	}
	c.mistake = m
	return c
}
