package explore

import (
	"math/bits"

	"github.com/jostle-go/jostle/pulse/hash"
)

// A branch is one answer at a fork.
type branch struct{ fork, answer int32 }

// A fork is a decision below which branches are open.
type fork struct {
	digest uint64 // of what had happened before: if it differs, the program does not repeat itself
	above  branch // the branch that leads here; its fork is -1 at the root
	n      int32  // how many answers there are
	step   int32  // of the last pick
	isPick bool   // else it is a question
	done   int32  // how many branches are done
}

// forks are all forks with an open branch below them, linked to the fork above,
// so that what paths share is kept once. A fork below which nothing is open is
// forgotten (Eta, section 3.2), and its place is used again.
type forks struct {
	list []fork
	free []int32  // places in the list that are not in use
	open []branch // in no order
	path []branch // of the run, from the root on
}

// add lengthens the path by a fork, takes one of its branches and opens the
// others.
func (fs *forks) add(f fork, taken int32) {
	f.above = branch{fork: -1}
	if last := len(fs.path) - 1; last >= 0 {
		f.above = fs.path[last]
	}
	i := fs.place()
	fs.list[i] = f
	for answer := range f.n {
		if answer != taken {
			fs.open = append(fs.open, branch{i, answer})
		}
	}
	fs.path = append(fs.path, branch{i, taken})
}

// place returns a place for a fork.
func (fs *forks) place() int32 {
	if last := len(fs.free) - 1; last >= 0 {
		i := fs.free[last]
		fs.free = fs.free[:last]
		return i
	}
	fs.list = append(fs.list, fork{})
	return int32(len(fs.list) - 1)
}

// end frees the forks of the path of which all branches are done with this run.
func (fs *forks) end() {
	for i := len(fs.path) - 1; i >= 0; i-- {
		place := fs.path[i].fork
		f := &fs.list[place]
		if f.done++; f.done < f.n {
			return
		}
		fs.free = append(fs.free, place)
	}
}

// draw draws one of the open branches, each with the same chance, and makes
// the path to it. It reports whether one is open.
func (fs *forks) draw(random *uint64) bool {
	n := len(fs.open)
	if n == 0 {
		return false
	}
	i, _ := bits.Mul64(hash.Splitmix(random), uint64(n))
	drawn := fs.open[i]
	fs.open[i] = fs.open[n-1]
	fs.open = fs.open[:n-1]
	fs.path = fs.path[:0]
	for at := drawn; at.fork >= 0; at = fs.list[at.fork].above {
		fs.path = append(fs.path, at)
	}
	for i, k := 0, len(fs.path)-1; i < k; i, k = i+1, k-1 {
		fs.path[i], fs.path[k] = fs.path[k], fs.path[i]
	}
	return true
}

// lastStep returns the step of the last fork of the path.
func (fs *forks) lastStep() int32 {
	if last := len(fs.path) - 1; last >= 0 {
		return fs.list[fs.path[last].fork].step
	}
	return 0
}
