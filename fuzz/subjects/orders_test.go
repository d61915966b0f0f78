package subjects_test

import (
	"fmt"
	"testing"

	"github.com/jostle-go/jostle/fuzz/subjects"
	"github.com/jostle-go/jostle/fuzz/subjects/load"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
	"github.com/jostle-go/jostle/pulse"
	"github.com/jostle-go/jostle/pulse/choice"
)

// every is a strategy that counts through all decisions like an odometer:
// each run makes other decisions, until all combinations are done.
type every struct {
	sys    *pulse.System
	digits []digit
	at     int
}

// A digit is one decision of the run: the alternative picked, how many there are, and the step.
type digit struct{ pick, of, step int }

func (e *every) Begin(uint64) { e.at = 0 }

func (e *every) Pick(enabled *pulse.Enabled) int {
	if e.at == len(e.digits) {
		e.digits = append(e.digits, digit{0, enabled.Len(), e.sys.Steps()})
	}
	e.at++
	return e.digits[e.at-1].pick
}

func (e *every) Choose(choice.Kind, int) int { return 0 }

// next moves on to the next order. It returns the first step that
// differs from the previous order; ok is false if no order is left.
func (e *every) next() (step int, ok bool) {
	for n := len(e.digits) - 1; n >= 0; n-- {
		d := &e.digits[n]
		if d.pick++; d.pick < d.of {
			return d.step, true
		}
		e.digits = e.digits[:n]
	}
	return 0, false
}

// orders has the numbers of orders of a program, in total and by result.
type orders struct {
	all        int
	distinct   int // orders that differ in what some actor receives
	deliveries int // in their tree
	failing    int
	orphaning  int // passing orders in which a message came to an actor that had ended
}

func enumerate(o pulse.Options, build subjects.Build) (n orders) {
	e := &every{}
	o.Strategy, o.Record = e, true
	e.sys = pulse.New(o)
	defer e.sys.Close()
	seen := map[uint64]bool{}
	for from, ok := 0, true; ok; from, ok = e.next() {
		err := run(e.sys, 0, build)
		n.all++
		n.deliveries += e.sys.Steps() - from
		seen[receipts(e.sys)] = true
		if err != nil {
			n.failing++
		} else if len(e.sys.Warnings()) > 0 {
			n.orphaning++
		}
	}
	n.distinct = len(seen)
	return n
}

// receipts returns a hash of what each actor has received, in order.
func receipts(sys *pulse.System) uint64 {
	sum, t := uint64(0), sys.Trace()
	for actor := range t.Actors {
		h := t.Actors[actor].ID
		for _, step := range t.Steps {
			if int(step.Actor) == actor {
				h = (h ^ step.ID) * 0x9e3779b97f4a7c15
				h ^= h >> 29
			}
		}
		sum += h * h
	}
	return sum
}

func TestOrdersOfLoads(t *testing.T) {
	for _, c := range []struct {
		load     load.Load
		delivery pulse.Delivery
		want     orders
	}{
		{load.Senders(4, 1), pulse.DeliveryFIFO, orders{all: 24, distinct: 24, deliveries: 64}},
		{load.Senders(4, 1), pulse.DeliveryUnordered, orders{all: 24, distinct: 24, deliveries: 64}},
		{load.Senders(6, 1), pulse.DeliveryFIFO, orders{all: 720, distinct: 720, deliveries: 1956}},
		{load.Senders(3, 2), pulse.DeliveryFIFO, orders{all: 90, distinct: 90, deliveries: 270}},
		{load.Senders(2, 2), pulse.DeliveryUnordered, orders{all: 24, distinct: 24, deliveries: 64}},
		{load.Pi(2), pulse.DeliveryFIFO, orders{all: 12, distinct: 2, deliveries: 43}},
		{load.Pi(2), pulse.DeliveryUnordered, orders{all: 12, distinct: 2, deliveries: 43}},
		{load.Pi(3), pulse.DeliveryFIFO, orders{all: 540, distinct: 6, deliveries: 1621}},
		{load.Pi(4), pulse.DeliveryFIFO, orders{all: 60_480, distinct: 24, deliveries: 168_645}},
		{load.PingPong(8), pulse.DeliveryFIFO, orders{all: 1, distinct: 1, deliveries: 9}},
		{load.Ring(3, 1, 2), pulse.DeliveryFIFO, orders{all: 1, distinct: 1, deliveries: 6}},
	} {
		t.Run(fmt.Sprint(c.load.Name, c.delivery), func(t *testing.T) {
			if got := enumerate(pulse.Options{Delivery: c.delivery}, c.load.Build); got != c.want {
				t.Errorf("%+v, want %+v", got, c.want)
			}
		})
	}
}

// TestOrdersOfSubjects explores the subjects without too many orders, by day those with
// at most 100,000.
func TestOrdersOfSubjects(t *testing.T) {
	trial.Long(t)
	for _, c := range []struct {
		name           string
		broken, mended orders
	}{
		{"writer", orders{all: 4, distinct: 2, deliveries: 14, failing: 2}, orders{all: 1, distinct: 1, deliveries: 6}},
		{"writer-error", orders{all: 26, distinct: 7, deliveries: 95, failing: 2}, orders{all: 7, distinct: 3, deliveries: 34}},
		{"gatling", orders{all: 6, distinct: 2, deliveries: 21, failing: 3}, orders{all: 6, distinct: 2, deliveries: 24}},
		{"gatling-records", orders{all: 4, distinct: 2, deliveries: 14, failing: 1}, orders{all: 1, distinct: 1, deliveries: 5}},
		{"procreg-forgets", orders{all: 10, distinct: 5, deliveries: 61, failing: 2}, orders{all: 10, distinct: 5, deliveries: 61}},
		{"pingreg", orders{all: 10, distinct: 3, deliveries: 45, failing: 1}, orders{all: 1, distinct: 1, deliveries: 9}},
		{"attach", orders{all: 17, distinct: 2, deliveries: 79, failing: 8, orphaning: 9}, orders{all: 6, distinct: 1, deliveries: 56}},
		{"guard", orders{all: 1, distinct: 1, deliveries: 3, failing: 1}, orders{all: 1, distinct: 1, deliveries: 4}},
		{"barber", orders{all: 2800, distinct: 8, deliveries: 10_246, failing: 100}, orders{all: 3240, distinct: 8, deliveries: 11_982}},
		{"bank", orders{all: 4, distinct: 3, deliveries: 11, failing: 1}, orders{all: 4, distinct: 3, deliveries: 14}},
		{"threadring", orders{all: 4, distinct: 2, deliveries: 16, failing: 1}, orders{all: 4, distinct: 2, deliveries: 18}},
		{"server", orders{all: 6, distinct: 4, deliveries: 26, failing: 2, orphaning: 1}, orders{all: 1, distinct: 1, deliveries: 8}},
		{"snapshot-late", orders{all: 263_776, distinct: 53, deliveries: 791_983, failing: 9015}, orders{all: 145_736, distinct: 49, deliveries: 432_373}},
		{"cache", orders{all: 56, distinct: 3, deliveries: 208, failing: 24}, orders{all: 56, distinct: 3, deliveries: 208}},
		{"closing", orders{all: 6, distinct: 2, deliveries: 15, failing: 3}, orders{all: 6, distinct: 2, deliveries: 18}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.broken.all > 100_000 && !nightly() {
				return
			}
			s, _ := subjects.ByName(c.name)
			if got := enumerate(s.Options, s.Broken); got != c.broken {
				t.Errorf("broken: %+v, want %+v", got, c.broken)
			}
			if got := enumerate(s.Options, s.Mended); got != c.mended {
				t.Errorf("mended: %+v, want %+v", got, c.mended)
			}
		})
	}
}
