package native

// With go test -fuzz, the compiler counts how often the right side of each && is reached.
// Each instance of a generic function has its own counters. So the 16 counters of hitWord
// become 4,096 counters, because hitRow uses hitWord with 16 types and hitAll uses hitRow
// with 16 types.
//
// The results of the functions have no meaning. They join the counted expressions into one.

// hitAll executes the basic block of each slot (see bridge) whose bit is set in w. The
// slice w must have 256 words.
func hitAll[T any](w []uint16) bool {
	return hitRow[[0]T](w[0:]) == hitRow[[1]T](w[16:]) == hitRow[[2]T](w[32:]) == hitRow[[3]T](w[48:]) ==
		hitRow[[4]T](w[64:]) == hitRow[[5]T](w[80:]) == hitRow[[6]T](w[96:]) == hitRow[[7]T](w[112:]) ==
		hitRow[[8]T](w[128:]) == hitRow[[9]T](w[144:]) == hitRow[[10]T](w[160:]) == hitRow[[11]T](w[176:]) ==
		hitRow[[12]T](w[192:]) == hitRow[[13]T](w[208:]) == hitRow[[14]T](w[224:]) == hitRow[[15]T](w[240:])
}

func hitRow[T any](w []uint16) bool {
	return hitWord[[0]T](w[0]) == hitWord[[1]T](w[1]) == hitWord[[2]T](w[2]) == hitWord[[3]T](w[3]) ==
		hitWord[[4]T](w[4]) == hitWord[[5]T](w[5]) == hitWord[[6]T](w[6]) == hitWord[[7]T](w[7]) ==
		hitWord[[8]T](w[8]) == hitWord[[9]T](w[9]) == hitWord[[10]T](w[10]) == hitWord[[11]T](w[11]) ==
		hitWord[[12]T](w[12]) == hitWord[[13]T](w[13]) == hitWord[[14]T](w[14]) == hitWord[[15]T](w[15])
}

func hitWord[T any](w uint16) bool {
	return w > 0 && ((w&1 > 0 && w > 0) == (w&2 > 0 && w > 0) == (w&4 > 0 && w > 0) == (w&8 > 0 && w > 0) ==
		(w&16 > 0 && w > 0) == (w&32 > 0 && w > 0) == (w&64 > 0 && w > 0) == (w&128 > 0 && w > 0) ==
		(w&256 > 0 && w > 0) == (w&512 > 0 && w > 0) == (w&1024 > 0 && w > 0) == (w&2048 > 0 && w > 0) ==
		(w&4096 > 0 && w > 0) == (w&8192 > 0 && w > 0) == (w&16384 > 0 && w > 0) == (w&32768 > 0 && w > 0))
}
