package campaign_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// times returns how often a test repeats a fault: the parameter night if JOSTLE_NIGHTLY is set,
// otherwise the parameter day.
func times(day, night int) int {
	if os.Getenv("JOSTLE_NIGHTLY") != "" {
		return night
	}
	return day
}

// pids returns the ids of the processes that have written a file in the folder.
func pids(dir string) (list []int) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if pid, err := strconv.Atoi(f.Name()); err == nil {
			list = append(list, pid)
		}
	}
	return list
}

// kill kills a random process of those listed in the folder,
// and removes its file. It reports whether it killed one.
func kill(dir string, random *rand.Rand) bool {
	list := pids(dir)
	if len(list) == 0 {
		return false
	}
	pid := list[random.IntN(len(list))]
	os.Remove(filepath.Join(dir, strconv.Itoa(pid)))
	p, err := os.FindProcess(pid)
	return err == nil && p.Kill() == nil
}

// killed are the tests that campaigns search while processes
// are killed. killedRuns is the number of runs of each.
var killed = []string{"TestHolds", "TestTwoBugs"}

const killedRuns = 30_000

// undisturbed returns the findings of a campaign in the tests that the variable killed lists,
// while nothing kills its processes. It makes few runs, because more runs find nothing else.
func undisturbed(t *testing.T) []string {
	t.Helper()
	known.Do(func() {
		whatIsKnown = found(campaignOf(t, t.TempDir(), campaign.Options{Runs: 3000, Workers: 2}, killed...))
	})
	return whatIsKnown
}

var (
	known       sync.Once
	whatIsKnown []string
)

// TestKilledWorkers: workers are killed at random times. No failure
// is lost, none is added, and interrupted runs are repeated.
func TestKilledWorkers(t *testing.T) {
	trial.Long(t)
	want := undisturbed(t)
	random := rand.New(rand.NewPCG(1, 2))
	kills, campaigns, deaths := 0, 0, 0
	for most := times(5, 250); kills < most; campaigns++ {
		dir, there := t.TempDir(), t.TempDir()
		o := campaign.Options{Runs: killedRuns, Workers: 2, Env: append(environment(dir), pidFolder+"="+there)}
		list := subjects(t, environment(dir), killed...)
		stop := make(chan struct{})
		var killer sync.WaitGroup
		killer.Go(func() {
			for kills < most {
				select {
				case <-stop:
					return
				case <-time.After(time.Duration(20+random.IntN(150)) * time.Millisecond):
					if kill(there, random) {
						kills++
					}
				}
			}
		})
		r, err := campaign.Run(t.Context(), list, o)
		close(stop)
		killer.Wait()
		if err != nil {
			t.Fatal(err)
		}
		deaths += r.Deaths
		if got := found(r); !slices.Equal(got, want) {
			t.Errorf("after %d kills it found\n%s\nand undisturbed\n%s", kills, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		for i := range r.Outcomes {
			if out := &r.Outcomes[i]; len(out.Complaints) > 0 || out.Subject.Property.Name == "holds" && out.Runs != killedRuns {
				t.Errorf("%v: %d runs, %q", out.Subject.String(), out.Runs, out.Complaints)
			}
		}
		if got := loads(t, dir); len(got) != len(want) {
			t.Errorf("%d cases are kept: %q", len(got), got)
		}
	}
	t.Logf("%d kills in %d campaigns, of which %d hit a worker at work: all findings are there, and no others", kills, campaigns, deaths)
}

// Environment variables of a process that runs a campaign, for tests that kill the process. They
// are the folder for all files, whether the disk is full, and whether the campaign is long.
const (
	asCampaign = "CAMPAIGN_TEST_PROCESS"
	isFull     = "CAMPAIGN_TEST_FULL"
	isEndless  = "CAMPAIGN_TEST_ENDLESS"
)

// TestMain runs a campaign in place of the tests if the environment says so.
func TestMain(m *testing.M) {
	dir := os.Getenv(asCampaign)
	if dir == "" {
		os.Exit(m.Run())
	}
	os.Unsetenv(asCampaign) // its workers run tests, not campaigns
	if err := campaignIn(dir); err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// campaignIn runs a campaign that stores all its files in a folder. If
// the folder has a campaign, it resumes that. It prints its findings.
func campaignIn(dir string) error {
	runs := times(2, 5) * killedRuns
	if os.Getenv(isFull) != "" {
		if err := fill(); err != nil {
			return err
		}
		runs = times(3000, runs) // 3,000 runs find both bugs
	}
	state := filepath.Join(dir, "state.json")
	_, err := os.Stat(state)
	o := campaign.Options{Runs: runs, Workers: 2, File: state, Every: 20 * time.Millisecond, Resume: err == nil,
		Env: append(environment(filepath.Join(dir, "cases")), pidFolder+"="+os.Getenv(pidFolder)),
		Tell: func(e campaign.Event) {
			if e.Kind != campaign.Found {
				return
			}
			if e.Finding.Path != "" {
				if _, err := os.Stat(e.Finding.Path); err != nil {
					fmt.Printf("TOLD BEFORE IT WAS KEPT: %v\n", err)
				}
			}
			fmt.Printf("TOLD %s\nKEPT %s\n%s\n%s\n", e.Finding.Signature, e.Finding.Path, e.Finding.Problem, e.Finding.Case)
		}}
	if os.Getenv(isEndless) != "" {
		o.Runs = math.MaxInt32
	}
	list, err := subjectsOf(o.Env, killed...)
	if err != nil {
		return err
	}
	r, err := campaign.Run(context.Background(), list, o)
	if err != nil {
		return err
	}
	fmt.Printf("FOUND %s\n", whatIn(found(r)))
	return nil
}

// whatIn removes the numbers of runs from findings. They
// differ if saved cases of an earlier campaign run first.
func whatIn(found []string) string {
	var what []string
	for _, line := range found {
		line, _, _ = strings.Cut(line, " in run")
		what = append(what, line)
	}
	return strings.Join(what, "; ")
}

// process returns the command of a campaign that keeps all in a folder.
func process(dir, there string, more ...string) *exec.Cmd {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), asCampaign+"="+dir, pidFolder+"="+there)
	cmd.Env = append(cmd.Env, more...)
	return cmd
}

// TestKilledCampaigns: campaigns are killed at random times and resumed. All their
// findings are found, no file is damaged, and no worker outlives its campaign.
func TestKilledCampaigns(t *testing.T) {
	trial.Long(t)
	want := "FOUND " + whatIn(undisturbed(t))
	random := rand.New(rand.NewPCG(3, 4))
	dir, there := t.TempDir(), t.TempDir()
	kills, whole, told := 0, 0, ""
	for most := times(2, 50); kills < most; {
		cmd := process(dir, there)
		var out strings.Builder
		cmd.Stdout, cmd.Stderr = &out, &out
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		end := time.AfterFunc(time.Duration(50+random.IntN(400))*time.Millisecond, func() { cmd.Process.Kill() })
		if err := cmd.Wait(); err != nil && end.Stop() {
			t.Fatalf("it ended by itself: %v\n%s", err, out.String())
		} else if err != nil {
			kills++
		} else {
			whole++
			if !strings.Contains(out.String(), want) {
				t.Errorf("want %s in\n%s", want, out.String())
			}
			os.Remove(filepath.Join(dir, "state.json")) // the next campaign starts anew, but with the saved cases
		}
		told += out.String()
		loads(t, filepath.Join(dir, "cases"))
	}
	last := process(dir, there)
	out, err := last.CombinedOutput()
	if told += string(out); err != nil || !strings.Contains(string(out), want) {
		t.Errorf("%v: want %s in\n%s", err, want, out)
	}
	cases := loads(t, filepath.Join(dir, "cases"))
	for _, signature := range []string{"begins with #", "descends"} {
		if !strings.Contains(told, "TOLD panic at func in twoBugs: "+signature) || !slices.Contains(cases, "twoBugs: panic at func in twoBugs: "+signature) {
			t.Errorf("%q is lost: kept are %q, and told was\n%s", signature, cases, told)
		}
	}
	if strings.Contains(told, "TOLD BEFORE IT WAS KEPT") {
		t.Error(told)
	}
	ended(t, there)
	t.Logf("%d kills, and %d campaigns to the end", kills, whole+1)
}

// ended fails the test if workers are still alive some seconds after their campaign has ended.
func ended(t *testing.T, there string) {
	t.Helper()
	var left []int
	for range 100 {
		left = slices.DeleteFunc(pids(there), func(pid int) bool { return !alive(pid) })
		if len(left) == 0 {
			return
		}
		time.Sleep(100 * time.Millisecond)
	}
	t.Errorf("workers outlive their campaigns: %v", left)
}

// TestCorpusThatCannotBe: if no case can be saved, failures
// are still reported, with the text of their cases.
func TestCorpusThatCannotBe(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(dir, nil, 0o400); err != nil {
		t.Fatal(err)
	}
	r := campaignOf(t, dir, campaign.Options{Runs: 3000}, "TestTwoBugs")
	if n := r.Failures(); n != 2 {
		t.Errorf("%d failures, want 2", n)
	}
	for _, f := range r.Outcomes[0].Findings {
		if !strings.Contains(f.Problem, "make room or give access there") || !strings.HasPrefix(f.Case, "jostle case ") || f.Path != "" {
			t.Errorf("%q: path %q, case %q", f.Problem, f.Path, f.Case)
		}
	}
}

// TestTwoCampaigns: two campaigns that run at the same time save their findings in one folder.
func TestTwoCampaigns(t *testing.T) {
	dir := t.TempDir()
	var both sync.WaitGroup
	reports := make([]*campaign.Report, 2)
	for i := range reports {
		both.Go(func() {
			reports[i] = campaignOf(t, dir, campaign.Options{Runs: 3000, Seed: uint64(i + 1), Workers: 2}, "TestTwoBugs")
		})
	}
	both.Wait()
	for i, r := range reports {
		if n := r.Failures(); n != 2 {
			t.Errorf("campaign %d has %d failures, want 2", i+1, n)
		}
	}
	cases := slices.Compact(loads(t, dir))
	if len(cases) != 2 {
		t.Errorf("kept %q", cases)
	}
}

// TestClockJumps: the files of a campaign have times years in the future or
// in the past, as if the clock had been changed. A resumed campaign finds
// the same as with correct times, and no file is taken for an outdated one.
func TestClockJumps(t *testing.T) {
	trial.Long(t)
	want := undisturbed(t)
	dir := t.TempDir()
	o := campaign.Options{Workers: 2, File: filepath.Join(dir, "state.json")}
	for i, jump := range []time.Duration{0, 10 * 365 * 24 * time.Hour, -20 * 365 * 24 * time.Hour, 2 * time.Hour} {
		files, err := filepath.Glob(filepath.Join(dir, "*", "*"))
		if err != nil {
			t.Fatal(err)
		}
		if i > 0 {
			files = append(files, o.File)
		}
		for _, path := range files {
			then := time.Now().Add(jump)
			if err := os.Chtimes(path, then, then); err != nil {
				t.Fatal(err)
			}
		}
		before := loads(t, dir)
		o.Runs, o.Resume = 750*(i+1), i > 0
		r := campaignOf(t, dir, o, killed...)
		if len(r.Outcomes) != len(killed) || r.Ended != "runs" {
			t.Errorf("after a jump of %v it ended by %q", jump, r.Ended)
		}
		if got := found(r); i == 3 && !slices.Equal(got, want) {
			t.Errorf("found\n%s\nand on time\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		after := loads(t, dir)
		for _, c := range before {
			if !slices.Contains(after, c) {
				t.Errorf("after a jump of %v the case of %s is gone", jump, c)
			}
		}
	}
	if n := len(loads(t, dir)); n != len(want) {
		t.Errorf("there are %d cases, want %d", n, len(want))
	}
}
