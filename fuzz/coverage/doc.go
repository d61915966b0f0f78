// Package coverage counts which orders of receives a set of runs has shown, by the
// criteria of Bitá over the identities of steps (Tasharofi et al., "Bita:
// Coverage-guided, automatic testing of actor programs", ASE 2013, section III).
//
// An Orders is told of each run when it is over:
//
//	var orders coverage.Orders
//	for seed := range uint64(1000) {
//		sys.Reset(seed)
//		…
//		sys.Run()
//		orders.Add(sys.Trace(), coverage.Run{Unguided: true})
//	}
//	fmt.Println(orders.Summary(coverage.PR))
package coverage
