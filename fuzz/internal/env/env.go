// Package env reads the settings of package fuzz from environment variables.
package env

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// Settings are the settings in the environment. A field is zero if its variable is not set.
type Settings struct {
	Seed       uint64        // JOSTLE_SEED
	Budget     time.Duration // JOSTLE_BUDGET, if it is a duration
	Runs       int           // JOSTLE_BUDGET, if it is a number of runs
	Workers    int           // JOSTLE_WORKERS
	Strategies []string      // JOSTLE_STRATEGY
	Stall      time.Duration // JOSTLE_STALL
	Shrink     time.Duration // JOSTLE_SHRINK; negative means no shrinking
	Repair     bool          // JOSTLE_REPAIR
	Distill    bool          // JOSTLE_DISTILL
	Network    int           // JOSTLE_NETWORK
	Early      int           // JOSTLE_EARLY
	Out        string        // JOSTLE_OUT, a folder
}

// Variables by which jostle test tells test binaries with which flags, as shell text, and in which folder it
// was called.
const (
	Flags  = "JOSTLE_FLAGS"
	Folder = "JOSTLE_FOLDER"
)

// Read reads the environment. The parameter strategies lists the valid names of strategies. If a
// setting is invalid, the error says which values are valid.
func Read(strategies []string) (s Settings, err error) {
	for _, x := range []struct {
		name string
		set  func(*Settings, string) bool
		want string
	}{
		{"JOSTLE_SEED", readSeed, "a number of at least 1"},
		{"JOSTLE_BUDGET", readBudget, "a duration such as 30s, or to a number of runs"},
		{"JOSTLE_WORKERS", readWorkers, "a number of at least 1"},
		{"JOSTLE_STRATEGY", readStrategies(strategies), "one or more of " + strings.Join(strategies, ", ") + ", with commas between"},
		{"JOSTLE_STALL", readStall, "a duration such as 30s"},
		{"JOSTLE_SHRINK", readShrink, "a duration such as 30s, or to 0 to shrink nothing"},
		{"JOSTLE_REPAIR", readRepair, "1 to repair stale cases, or to 0 to leave them"},
		{"JOSTLE_DISTILL", readDistill, "1 to begin with passing cases of earlier searches, or to 0 for the same search each time"},
		{network, count(&s.Network), "the number of faults that the network of a run may have"},
		{early, count(&s.Early), "the number of timers of a run that may fire although goroutines can run"},
	} {
		if text := os.Getenv(x.name); text != "" && !x.set(&s, text) {
			return s, fmt.Errorf("%s is %q: set it to %s", x.name, text, x.want)
		}
	}
	s.Out = os.Getenv(out)
	if s.Distill && Cache("") == "" {
		return s, errors.New("JOSTLE_DISTILL is 1, but there is no cache: set JOSTLE_CACHE to a folder")
	}
	return s, nil
}

func readSeed(s *Settings, text string) bool {
	n, err := strconv.ParseUint(text, 0, 64)
	s.Seed = n
	return err == nil && n > 0
}

func readBudget(s *Settings, text string) bool {
	if n, err := strconv.Atoi(text); err == nil {
		s.Runs = n
		return n > 0
	}
	d, err := time.ParseDuration(text)
	s.Budget = d
	return err == nil && d > 0
}

func readWorkers(s *Settings, text string) bool {
	n, err := strconv.Atoi(text)
	s.Workers = n
	return err == nil && n > 0
}

// readStrategies returns a function that reads a list of names, all of which must be in known.
func readStrategies(known []string) func(*Settings, string) bool {
	return func(s *Settings, text string) bool {
		for name := range strings.SplitSeq(text, ",") {
			s.Strategies = append(s.Strategies, strings.TrimSpace(name))
		}
		return !slices.ContainsFunc(s.Strategies, func(name string) bool { return !slices.Contains(known, name) })
	}
}

func readStall(s *Settings, text string) bool {
	d, err := time.ParseDuration(text)
	s.Stall = d
	return err == nil && d > 0
}

func readShrink(s *Settings, text string) bool {
	d, err := time.ParseDuration(text)
	if s.Shrink = d; d == 0 {
		s.Shrink = -1
	}
	return err == nil && d >= 0
}

// count returns a function that reads a number of at least 0.
func count(to *int) func(*Settings, string) bool {
	return func(_ *Settings, text string) bool {
		n, err := strconv.Atoi(text)
		*to = n
		return err == nil && n >= 0
	}
}

func readRepair(s *Settings, text string) bool {
	s.Repair = text == "1"
	return s.Repair || text == "0"
}

func readDistill(s *Settings, text string) bool {
	s.Distill = text == "1"
	return s.Distill || text == "0"
}

// Cache returns the folder for data that outlives a process. This is JOSTLE_CACHE, relative to dir.
// If JOSTLE_CACHE is not set, it is the folder jostle in the user's cache folder. Cache returns ""
// if JOSTLE_CACHE is "off" or the user has no cache folder.
func Cache(dir string) string {
	setting := os.Getenv("JOSTLE_CACHE")
	switch setting {
	case "off":
		return ""
	case "":
		cache, err := os.UserCacheDir()
		if err != nil {
			return ""
		}
		setting = filepath.Join(cache, "jostle")
	}
	if !filepath.IsAbs(setting) {
		setting = filepath.Join(dir, setting)
	}
	return setting
}

// Again returns environment variables as a prefix of a shell command. With the prefix the command
// finds the case that was saved at path. If path is "", the prefix repeats the search of this
// process.
func Again(path string) string {
	if path == "" {
		return Set("JOSTLE_SEED", "JOSTLE_BUDGET", "JOSTLE_STRATEGY", "JOSTLE_DISTILL", network, early)
	}
	return Set(out, network, early)
}

const (
	out     = "JOSTLE_OUT"
	network = "JOSTLE_NETWORK"
	early   = "JOSTLE_EARLY"
)

// RaceFiles is the pattern for the names of the files with reports of the race detector, one for each process.
const RaceFiles = "race.*"

// Race returns the environment variable that makes the race detector report a race in each run that has it, not
// only in the first one, and to a file in a folder.
func Race(folder string) string {
	return goRace + "=" + os.Getenv(goRace) + " suppress_equal_stacks=0 suppress_equal_addresses=0" + raceLog + filepath.Join(folder, "race")
}

const goRace, raceLog = "GORACE", " log_path="

// RaceReports returns the file to which the race detector of this process reports, or "" if Race was not used. The
// file does not exist before the first report.
func RaceReports() string {
	setting := os.Getenv(goRace)
	at := strings.LastIndex(setting, raceLog)
	if at < 0 {
		return ""
	}
	return fmt.Sprintf("%s.%d", setting[at+len(raceLog):], os.Getpid())
}

// When returns a text that says when a saved case will be replayed: "from now on".
func When() string {
	if os.Getenv(out) != "" {
		return "while " + out + " is set so"
	}
	return "from now on"
}

// Set returns the environment variables with these names as a prefix of a shell command, such as
// "JOSTLE_SEED='7' ". It omits variables that are not set.
func Set(names ...string) string {
	var b strings.Builder
	for _, name := range names {
		if value := os.Getenv(name); value != "" {
			fmt.Fprintf(&b, "%s=%s ", name, words.Quoted(value))
		}
	}
	return b.String()
}

// Shown returns path relative to the current folder if path is below that folder. Otherwise it
// returns path unchanged.
func Shown(path string) string {
	here, err := os.Getwd()
	if err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(here); err == nil {
		if rel, err := filepath.Rel(real, path); err == nil && filepath.IsLocal(rel) {
			return rel
		}
	}
	if rel, err := filepath.Rel(here, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}
