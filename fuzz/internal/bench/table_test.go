package bench

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/jostle-go/jostle/corpus/golden"
)

// made returns a small table of two subjects. The first was searched with three arms: random, a
// better one, and one that finds nothing. The second was searched with two arms.
func made(subject, other string) *Table {
	t := &Table{}
	add := func(subject, arm string, end End, runs ...int) {
		for _, n := range runs {
			t.Searches = append(t.Searches, Search{subject, arm, uint64(len(t.Searches)), n, 1000, end, time.Duration(n) * 10 * time.Microsecond})
		}
	}
	add(subject, Random, Found, 700, 100, 130, 150, 160, 190, 260, 310, 330, 400)
	add(subject, "good", Found, 1, 2, 3, 4, 4, 5, 6, 9, 20)
	add(subject, "good", OutOfTime, 500)
	add(subject, "never", OutOfRuns, 1000, 1000, 1000, 1000, 1000)
	add(other, Random, Found, 1, 1, 2, 3)
	add(other, "never", OutOfTime, 10, 20, 30, 40)
	return t
}

func TestText(t *testing.T) { golden.File(t, "testdata/made.golden", made("first", "second").Text()) }

// TestPlot: the picture is well-formed whatever the names are, and needs no other files.
func TestPlot(t *testing.T) {
	const hostile = `a<b> & "c' ]]> <script>alert(1)</script>` + "\x00\xff"
	table := made(hostile, "second")
	for i := range table.Searches {
		if table.Searches[i].Arm == "good" {
			table.Searches[i].Arm = hostile
		}
	}
	text := table.plot(hostile)
	golden.File(t, "testdata/plot.golden", text)
	elements := map[string]int{}
	d := xml.NewDecoder(strings.NewReader(text))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if e, ok := token.(xml.StartElement); ok {
			elements[e.Name.Local]++
			for _, a := range e.Attr {
				if a.Name.Local != "xmlns" && strings.Contains(a.Value, "://") {
					t.Errorf("%s has %s=%q", e.Name.Local, a.Name.Local, a.Value)
				}
			}
		}
	}
	if elements["script"] > 0 || elements["path"] != 6 || elements["svg"] != 1 || strings.Contains(text, "url(") || strings.Contains(text, "@import") {
		t.Errorf("the elements are %v", elements)
	}
	if !strings.Contains(text, "prefers-color-scheme: dark") {
		t.Error("there is no dark form")
	}
}

// TestNoPlot: the plot of a subject that a table does not have is empty.
func TestNoPlot(t *testing.T) {
	if text := (&Table{}).plot("none"); strings.Contains(text, "curve\"") || !strings.HasSuffix(text, "</svg>\n") {
		t.Error(text)
	}
	if text := (&Table{}).Text(); !strings.Contains(text, "subject") {
		t.Error(text)
	}
}

func TestCSV(t *testing.T) {
	table := made(`with "quotes", commas`+"\nand lines", "second")
	var b bytes.Buffer
	if err := table.writeCSV(&b); err != nil {
		t.Fatal(err)
	}
	again, err := readCSV(&b)
	if err != nil {
		t.Fatal(err)
	}
	if len(again.Searches) != len(table.Searches) {
		t.Fatalf("%d searches of %d", len(again.Searches), len(table.Searches))
	}
	for i, s := range again.Searches {
		if s != table.Searches[i] {
			t.Errorf("%v, want %v", s, table.Searches[i])
		}
	}
}

func TestCSVErrors(t *testing.T) {
	const head = "subject,arm,seed,runs,most,end,seconds\n"
	for _, c := range []struct{ text, want string }{
		{"", `line 1: the columns are not ["subject" "arm" "seed" "runs" "most" "end" "seconds"]`},
		{"subject,arm,seed,runs,most,end,time\n", `line 1: the columns are not ["subject" "arm" "seed" "runs" "most" "end" "seconds"]`},
		{head + "a,b,1,2,3,found\n", "record on line 2: wrong number of fields"},
		{head + "a,b,1,2,3,found,\"\n", `parse error on line 2, column 19: extraneous or missing " in quoted-field`},
		{head + ",b,1,2,3,found,1\n", "line 2: the subject or the arm is missing"},
		{head + "a,b,1,2,3,found,1\na,,1,2,3,found,1\n", "line 3: the subject or the arm is missing"},
		{head + "a,b,-1,2,3,found,1\n", `line 2: strconv.ParseUint: parsing "-1": invalid syntax`},
		{head + "a,b,1,two,3,found,1\n", `line 2: strconv.Atoi: parsing "two": invalid syntax`},
		{head + "a,b,1,2,3,lost,1\n", `line 2: a search cannot end with "lost"`},
		{head + "a,b,1,0,3,found,1\n", `line 2: a search that ended with "found" cannot have made 0 of 3 runs`},
		{head + "a,b,1,4,3,found,1\n", `line 2: a search that ended with "found" cannot have made 4 of 3 runs`},
		{head + "a,b,1,2,3,runs,1\n", `line 2: a search that ended with "runs" cannot have made 2 of 3 runs`},
		{head + "a,b,1,3,3,time,1\n", `line 2: a search that ended with "time" cannot have made 3 of 3 runs`},
		{head + "a,b,1,2,3,found,-1\n", "line 2: a search cannot take -1 seconds"},
		{head + "a,b,1,2,3,found,NaN\n", "line 2: a search cannot take NaN seconds"},
		{head + "a,b,1,2,3,found,1e300\n", "line 2: a search cannot take 1e+300 seconds"},
		{head + "a,b,1,2,3,found,1\na,b,1,1,3,found,1\n", "line 3: the search occurs twice"},
	} {
		if _, err := readCSV(strings.NewReader(c.text)); err == nil || err.Error() != c.want {
			t.Errorf("%q: %v, want %s", c.text, err, c.want)
		}
	}
}

// TestFolder: writing a table to a folder replaces the cells that it has, and keeps the others.
func TestFolder(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "new", "folder")
	write := func(table *Table, plots bool) {
		t.Helper()
		if err := table.WriteFolder(folder, plots); err != nil {
			t.Fatal(err)
		}
	}
	search := func(subject, arm string, seed uint64, runs int) Search {
		return Search{subject, arm, seed, runs, 1000, Found, time.Millisecond}
	}
	write(&Table{[]Search{search("bank", Random, 1, 10), search("bank", Random, 2, 20), search("bank", "urw", 1, 30), search("gone", "urw", 1, 30)}}, false)
	write(&Table{[]Search{search("bank", Random, 1, 11), search("writer", "delays", 1, 40)}}, true)
	table, err := ReadFolder(folder)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, s := range table.Searches {
		got = append(got, strings.Join([]string{s.Subject, s.Arm, number(float64(s.Runs))}, " "))
	}
	if text := strings.Join(got, "; "); text != "writer delays 40; bank random 11; bank urw 30" {
		t.Error(text)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	for i := range files {
		files[i] = filepath.Base(files[i])
	}
	if names := strings.Join(files, " "); names != "bank.svg runs.csv table.txt writer.svg" {
		t.Error(names)
	}
	if err := os.WriteFile(filepath.Join(folder, RunsFile), []byte("broken"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := table.WriteFolder(folder, false); err == nil || !strings.Contains(err.Error(), RunsFile+": ") {
		t.Errorf("a broken table is written over: %v", err)
	}
	if err := table.WriteFolder(filepath.Join(folder, TableFile), false); err == nil {
		t.Error("a file is no folder")
	}
	for _, name := range []string{TableFile, "bank.svg"} {
		theirs := t.TempDir()
		if err := os.WriteFile(filepath.Join(theirs, name), []byte("theirs"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := table.WriteFolder(theirs, true); err == nil || !strings.Contains(err.Error(), name+" is not written by jostle") {
			t.Errorf("%s of others is written over: %v", name, err)
		}
		if files, _ := filepath.Glob(filepath.Join(theirs, "*")); len(files) != 1 {
			t.Errorf("next to %s of others there are %q", name, files)
		}
	}
}
