package fuzz

import (
	"fmt"
	"os"
	"strconv"
	"testing"
	"time"

	exprand "golang.org/x/exp/rand"
)

// Config says how Check searches. The zero value is what Check uses.
type Config struct {
	// Budget is how long the search may take; zero means 2 seconds, and a
	// tenth of that with -short. Runs is how many runs it may take; zero is
	// no bound. Whichever is reached first ends the search.
	Budget time.Duration
	Runs   int
	// Seed is what all inputs and orders follow from; zero means 1. Source,
	// if set, supplies it instead.
	Seed   uint64
	Source exprand.Source
	// Workers is how many goroutines run the property at the same time; zero
	// means one, because a property may touch what its test shares. The
	// failure that is reported does not depend on it.
	Workers int
	// Strategies are the names of strategies to use in turns, as
	// strategy.Names lists them; empty means a portfolio in which every
	// other run is random.
	Strategies []string
	// Folder is where cases are kept; empty means testdata/jostle beside the test.
	Folder string
}

const (
	defaultBudget = 2 * time.Second
	shorter       = 10 // how many times less with -short
)

// settings are a Config with nothing left open.
type settings struct {
	budget     time.Duration // 0: only runs bound the search
	runs       int           // 0: only the budget does
	seed       uint64
	workers    int
	strategies []string
	folder     string
	replay     string
}

// settle fills in what is open from the environment, then from the defaults.
func (c Config) settle() (settings, error) { return c.settleFor(defaultBudget) }

// settleFor is settle for a search that usually takes so long.
func (c Config) settleFor(usual time.Duration) (settings, error) {
	s := settings{budget: c.Budget, runs: c.Runs, seed: c.Seed, workers: max(1, c.Workers),
		strategies: c.Strategies, folder: c.Folder, replay: os.Getenv("JOSTLE_REPLAY")}
	if c.Source != nil {
		s.seed = c.Source.Uint64()
	}
	if err := s.readSeed(os.Getenv("JOSTLE_SEED")); err != nil {
		return s, err
	}
	if err := s.readBudget(os.Getenv("JOSTLE_BUDGET")); err != nil {
		return s, err
	}
	if s.seed == 0 {
		s.seed = 1
	}
	if s.budget == 0 && s.runs == 0 {
		s.budget = usual
		if testing.Short() {
			s.budget /= shorter
		}
	}
	if s.strategies == nil {
		s.strategies = portfolio
	}
	if out := os.Getenv("JOSTLE_OUT"); out != "" {
		s.folder = out
	}
	return s, nil
}

func (s *settings) readSeed(v string) error {
	if v == "" {
		return nil
	}
	n, err := strconv.ParseUint(v, 0, 64)
	if err != nil || n == 0 {
		return fmt.Errorf("JOSTLE_SEED is %q: set it to a number from 1 on", v)
	}
	s.seed = n
	return nil
}

func (s *settings) readBudget(v string) error {
	if v == "" {
		return nil
	}
	if n, err := strconv.Atoi(v); err == nil && n > 0 {
		s.runs, s.budget = n, 0
		return nil
	}
	d, err := time.ParseDuration(v)
	if err != nil || d <= 0 {
		return fmt.Errorf("JOSTLE_BUDGET is %q: set it to a duration such as 30s, or to a number of runs", v)
	}
	s.budget, s.runs = d, 0
	return nil
}
