// Package coverage measures which receive orders a set of runs has shown, by the
// criteria of Bitá over the identities of steps (Tasharofi et al., "Bita:
// Coverage-guided, automatic testing of actor programs", ASE 2013, section III).
//
// A PR is an observer of systems. One PR counts over any number of runs:
//
//	pr := &coverage.PR{}
//	for seed := range uint64(1000) {
//		sys.Reset(seed)
//		pr.Begin()
//		sys.Observe(pr)
//		…
//		sys.Run()
//	}
//	fmt.Println(pr.Pairs())
package coverage
