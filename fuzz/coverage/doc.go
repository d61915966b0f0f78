// Package coverage measures which receive orders a set of runs has seen: Bitá's
// criteria over stable identities (Tasharofi et al., section III).
package coverage
