// Package coverage measures which receive orders a set of runs has shown, by the
// criteria of Bitá over the identities of steps (Tasharofi et al., "Bita:
// Coverage-guided, automatic testing of actor programs", ASE 2013, section III).
package coverage
