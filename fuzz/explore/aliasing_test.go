package explore_test

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"testing"

	"github.com/jostle-go/jostle/fuzz/explore"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
)

// An op is what a lister does with its lists i and j.
type op struct{ do, i, j, v int }

const (
	opAppend = iota // list i becomes list j with v appended
	opCut           // list i becomes a prefix of list j
	opClip          // list i is cut to its length: no spare capacity
	opRoom          // list i moves to memory with spare capacity
	opSet           // the first element of list i becomes v
	opGive          // the other lister appends to list i, too
	ops
)

func (x op) String() string {
	return fmt.Sprintf("%s(%d,%d,%d)", []string{"append", "cut", "clip", "room", "set", "give"}[x.do], x.i, x.j, x.v)
}

// A lister has two lists, which may share memory. The lists are its only memory of the messages that it has
// received.
type lister struct {
	lists [2][]int
	other pulse.Ref
}

func (l *lister) Receive(ctx *pulse.Ctx, msg any) {
	x, ok := msg.(op)
	if !ok {
		l.lists[0] = append(msg.([]int), 7)
		return
	}
	switch i := &l.lists[x.i]; x.do {
	case opAppend:
		*i = append(l.lists[x.j], x.v)
	case opCut:
		*i = l.lists[x.j][:min(x.v, len(l.lists[x.j]))]
	case opClip:
		*i = slices.Clip(*i)
	case opRoom:
		*i = append(make([]int, 0, len(*i)+x.v), *i...)
	case opSet:
		if len(*i) > 0 {
			(*i)[0] = x.v
		}
	case opGive:
		ctx.Send(l.other, *i)
	}
}

// A blindLister hashes the contents of its lists, and omits what memory they share.
type blindLister struct{ lister }

func (l *blindLister) Hash() uint64 {
	h := uint64(1)
	for _, v := range append(append(slices.Clone(l.lists[0]), -1), l.lists[1]...) {
		h = h*31 + uint64(v+2)
	}
	return h
}

// listing builds two listers. For each op, another actor sends the op to the first lister. The run fails with a text of
// the listers' final contents.
func listing(list []op, blind bool) func(*pulse.System) func() error {
	return func(s *pulse.System) func() error {
		var kept [2]*lister
		var refs [2]pulse.Ref
		for i := range kept {
			l := &blindLister{lister{lists: [2][]int{{1, 2}, nil}}}
			kept[i] = &l.lister
			if blind {
				refs[i] = s.Spawn("lister", l)
			} else {
				refs[i] = s.Spawn("lister", kept[i])
			}
		}
		kept[0].other, kept[1].other = refs[1], refs[0]
		for _, x := range list {
			s.Host().Enqueue(s.Spawn("sender", &filer{}), refs[0], x)
		}
		return func() error { return errors.New(fmt.Sprint(kept[0].lists, kept[1].lists)) }
	}
}

// newListing draws ops. Listers share memory only if giving is true.
func newListing(seed uint64, giving bool) []op {
	d := rand.New(rand.NewPCG(seed, 0x616c696173))
	list := make([]op, 3+d.IntN(2))
	for i := range list {
		list[i] = op{d.IntN(opGive), d.IntN(2), d.IntN(2), 3 + d.IntN(3)}
		if giving && d.IntN(3) == 0 {
			list[i].do = opGive
		}
		if list[i].do == opCut {
			list[i].v -= 3
		}
	}
	return list
}

// TestAgreementOfSlices checks that searches that compare states find all results of programs whose actors hold
// only lists that share memory. With blindLister, whose Hash hides the sharing, the same searches must miss
// results.
func TestAgreementOfSlices(t *testing.T) {
	trial.Long(t)
	e, r := &enumerator{}, &rig{}
	defer e.close()
	defer r.close()
	missed, cut := 0, 0
	programs := byDay(350, 20_000)
	for seed := range uint64(programs) {
		giving := seed%2 == 1
		list := newListing(seed, giving)
		all, ok := e.enumerate(pulse.Options{}, listing(list, false), 5000)
		if !ok {
			t.Fatalf("program %d has more than 5000 orders: %v", seed, list)
		}
		for _, o := range sliceWays(giving) {
			got := r.exploreBuild(pulse.Options{}, listing(list, false), o)
			cut += got.Cut
			if want := slices.Sorted(maps.Keys(all.failing)); !got.Complete || !slices.Equal(slices.Sorted(maps.Keys(got.failing)), want) {
				t.Fatalf("program %d, %+v: %v\ncame to %v\nnot to  %v", seed, o.Method, list, got.failing, want)
			}
		}
		blind := r.exploreBuild(pulse.Options{}, listing(list, true), sliceWays(true)[0])
		missed += count(len(blind.failing) < len(all.failing))
	}
	t.Logf("%d runs cut; %d programs are missed by those that are blind", cut, missed)
	if cut < programs || missed < programs/50 {
		t.Errorf("of %d programs %d runs were cut, and %d are missed by those that are blind: too few to tell", programs, cut, missed)
	}
}

// sliceWays are the searches that compare states. If actors share memory, only Everything without sleep sets is
// right.
func sliceWays(sharing bool) (list []explore.Options) {
	for _, s := range []explore.States{explore.ByHash, explore.Checked} {
		list = append(list, explore.Options{Method: explore.Method{Reduction: explore.Everything, States: s}})
		if !sharing {
			list = append(list, explore.Options{Method: explore.Method{Reduction: explore.SourceSets, States: s}},
				explore.Options{Method: explore.Method{Reduction: explore.Everything, Sleep: true, States: s}})
		}
	}
	if os.Getenv("JOSTLE_NIGHTLY") == "" {
		return list[:max(1, len(list)-1)]
	}
	return list
}
