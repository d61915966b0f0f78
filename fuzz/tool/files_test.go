package tool

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// TestClearBuilds: the folders of test binaries that killed commands have left are removed
// after a week. Folders in use, such as those of a long campaign, and other folders stay.
func TestClearBuilds(t *testing.T) {
	dir := t.TempDir()
	for name, age := range map[string]time.Duration{builds + "1": 0, builds + "2": 8 * 24 * time.Hour, "other": 9 * 24 * time.Hour} {
		path, then := filepath.Join(dir, name), time.Now().Add(-age)
		if err := os.Mkdir(path, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	running, done, err := newBuild(dir)
	if err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-8 * 24 * time.Hour)
	if err := os.Chtimes(running, then, then); err != nil {
		t.Fatal(err)
	}
	clearBuilds(dir)
	if _, err := os.Stat(running); err != nil {
		t.Errorf("a build that is in use: %v", err)
	}
	done()
	left, _ := filepath.Glob(filepath.Join(dir, "*"))
	if len(left) != 2 || filepath.Base(left[0]) != builds+"1" || filepath.Base(left[1]) != "other" {
		t.Errorf("left are %q", left)
	}
}

// TestClearStates: of the state files in the cache folder only the newest stay, up to a
// number of files and a total size.
func TestClearStates(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("JOSTLE_CACHE", cache)
	dir := filepath.Join(cache, "campaign")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	add := func(name string, size int64, age time.Duration) {
		path, then := filepath.Join(dir, name), time.Now().Add(-age)
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(path, size); err != nil { // a sparse file, which takes almost no disk space
			t.Fatal(err)
		}
		if err := os.Chtimes(path, then, then); err != nil {
			t.Fatal(err)
		}
	}
	left := func() []string {
		clearStates(nil)
		paths, _ := filepath.Glob(filepath.Join(dir, "*"))
		return paths
	}
	for i := range mostStates + 3 {
		add(fmt.Sprintf("%03d.json", i), 1, time.Duration(i)*time.Hour)
	}
	if got := left(); len(got) != mostStates || filepath.Base(got[len(got)-1]) != "127.json" {
		t.Errorf("%d are left, the last is %s", len(got), got[len(got)-1])
	}
	add("large.json", mostStateBytes, 30*time.Minute)
	add("note.txt", mostStateBytes, time.Hour)
	if got := left(); len(got) != 2 || filepath.Base(got[0]) != "000.json" || filepath.Base(got[1]) != "note.txt" {
		t.Errorf("left are %q", got)
	}
}
