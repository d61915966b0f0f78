package finding

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus"
)

// faceOf returns a case with n deliveries. Cases of faceOf with different signatures are failures with one cause.
func faceOf(signature string, deliveries int) corpus.Case {
	c := corpus.Case{Property: "p", Test: "TestP", Signature: signature, Condition: "x before y", Explanation: exactly("x before y")}
	for i := range deliveries {
		c.Record.Deliveries = append(c.Record.Deliveries, uint64(i)+1)
	}
	return c
}

// filesIn returns the texts of the files in a folder.
func filesIn(t *testing.T, dir string) map[string]string {
	t.Helper()
	list := map[string]string{}
	files, err := os.ReadDir(dir)
	for _, file := range files {
		var text []byte
		if text, err = os.ReadFile(filepath.Join(dir, file.Name())); err != nil {
			break
		}
		list[file.Name()] = string(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// TestJoin: of two cases of one bug, the smaller case and its pages stay. It then names the other failure. The pages of
// the larger case are removed.
func TestJoin(t *testing.T) {
	folder := corpus.FolderOf(t.TempDir(), "p")
	var paths []string
	for i, signature := range []string{"small", "large"} {
		path, _, err := folder.Save(faceOf(signature, 3+i))
		for _, ending := range []string{".html", ".json", ".mmd", "-note.txt"} {
			if err == nil {
				err = os.WriteFile(beside(path, ending), []byte(signature), 0o600)
			}
		}
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	k, err := Join(folder, paths[1], paths[0])
	if err != nil || !k.Fewer || !k.OneCause || !slices.Equal(k.Alike, paths[1:]) {
		t.Fatalf("%+v, %v", k, err)
	}
	yielded := k.Yielded()
	if got, want := yielded.InWords("", filepath.Base), "not saved: "+filepath.Base(k.Path)+" shows another failure with the same cause, and is no larger"; got != want {
		t.Errorf("the other is said to be %q, want %q", got, want)
	}
	name := func(path string) string { return strings.TrimSuffix(filepath.Base(path), ".case") }
	got, small, large := filesIn(t, folder.Dir), name(k.Path), name(paths[1])
	want := []string{small + ".case", small + ".html", small + ".json", small + ".mmd", small + "-note.txt", large + "-note.txt"}
	slices.Sort(want)
	if files := slices.Sorted(maps.Keys(got)); !slices.Equal(files, want) || got[small+".html"] != "small" || got[small+"-note.txt"] != "small" {
		t.Errorf("there are %q, want %q", files, want)
	}
	if c, err := folder.Find(k.Path); err != nil || c.Signature != "small" || !slices.Equal(c.Faces, []string{"large"}) {
		t.Errorf("the case has %q with faces %q, %v", c.Signature, c.Faces, err)
	}
	if again, err := Join(folder, k.Path, paths[1]); err != nil || again.Path != "" || again.Fewer {
		t.Errorf("what is not there is joined: %+v, %v", again, err)
	}
}

// TestJoinIsCutOff: if a process ends while it joins two cases, no failure is lost. The next process completes the join
// with the same file.
func TestJoinIsCutOff(t *testing.T) {
	folder := corpus.FolderOf(t.TempDir(), "p")
	small, _, errSmall := folder.Save(faceOf("small", 3))
	large, _, errLarge := folder.Save(faceOf("large", 4))
	files := filesIn(t, folder.Dir)
	k, err := Join(folder, small, large)
	if errSmall != nil || errLarge != nil || err != nil {
		t.Fatal(errSmall, errLarge, err)
	}
	joined := filesIn(t, folder.Dir)
	maps.Copy(files, joined)
	for _, left := range [][]string{{small, large}, {small, large, k.Path}, {k.Path, large}} {
		other := corpus.FolderOf(t.TempDir(), "p")
		if err := os.MkdirAll(other.Dir, 0o777); err != nil {
			t.Fatal(err)
		}
		at := func(path string) string { return filepath.Join(other.Dir, filepath.Base(path)) }
		for _, path := range left {
			if err := os.WriteFile(at(path), []byte(files[filepath.Base(path)]), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		again, err := Join(other, at(left[0]), at(large))
		if got := filesIn(t, other.Dir); err != nil || !again.Fewer || again.Path != at(k.Path) || !maps.Equal(got, joined) {
			t.Errorf("of %q there is %+v, %v, and the files %q", left, again, err, slices.Sorted(maps.Keys(got)))
		}
	}
}
