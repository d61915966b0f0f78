package tool

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jostle-go/jostle/corpus/golden"
	"github.com/jostle-go/jostle/fuzz/internal/bench"
)

// benched runs bench and returns what it writes.
func benched(t *testing.T, code int, args ...string) (out, errs string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	if got := run(t.Context(), append([]string{"bench"}, args...), &stdout, &stderr); got != code {
		t.Errorf("bench %q: exit code %d, want %d: %s", args, got, code, &stderr)
	}
	return stdout.String(), stderr.String()
}

// TestBench measures a little, prints it, and writes it into a folder, where the rest is
// measured later.
func TestBench(t *testing.T) {
	out, errs := benched(t, succeeded, "--subjects", "writer,guard", "--arms", "random, plain", "--seeds", "3", "--runs", "40")
	if !strings.Contains(out, "subject  random  plain\n   writer  ") || strings.Count(errs, "of 12 searches done\n") != 10 {
		t.Errorf("%s\n%s", out, errs)
	}
	folder := filepath.Join(t.TempDir(), "out")
	benched(t, succeeded, "--subjects=writer", "--arms=random", "--seeds=3", "--runs=40", "--out", folder)
	out, errs = benched(t, succeeded, "--subjects=writer,guard", "--arms=random,portfolio", "--seeds=3", "--runs=40", "--missing", "--plots", "--out", folder)
	if out != "" || !strings.HasSuffix(errs, "9 of 9 searches done\n") {
		t.Errorf("%s\n%s", out, errs)
	}
	table, err := bench.ReadFolder(folder)
	if err != nil || len(table.Searches) != 12 {
		t.Errorf("%v, %+v", err, table)
	}
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(files) != 4 {
		t.Errorf("%q", files)
	}
}

// TestBenchInterrupted: if the command is interrupted, the measurement ends.
func TestBenchInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr bytes.Buffer
	if code := run(ctx, []string{"bench", "--subjects=writer", "--arms=random", "--seeds=1"}, &stdout, &stderr); code != interrupted || stdout.Len() > 0 || !strings.HasSuffix(stderr.String(), "\njostle: interrupted\n") {
		t.Errorf("exit code %d: %s%s", code, &stdout, &stderr)
	}
}

// TestBenchUsage checks what `jostle bench` prints for wrong arguments and files.
func TestBenchUsage(t *testing.T) {
	broken := t.TempDir()
	if err := os.WriteFile(filepath.Join(broken, bench.RunsFile), []byte("no table\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	var all strings.Builder
	for _, c := range []struct {
		code int
		args string
	}{
		{misused, "writer"},
		{misused, "--seeds=0"},
		{misused, "--seeds=-3"},
		{misused, "--runs=0"},
		{misused, "--workers=0"},
		{misused, "--time=-1s"},
		{misused, "--plots"},
		{misused, "--missing"},
		{misused, "--subjects=none"},
		{misused, "--arms=none"},
		{misused, "--arms=random,random"},
		{misused, "--subjects=writer,writer"},
		{misused, "--missing --out=" + broken},
		{misused, "--out=" + broken},
	} {
		if strings.Contains(c.args, "--out") {
			c.args += " --subjects=writer --arms=random --seeds=1 --runs=1"
		}
		out, errs := benched(t, c.code, strings.Fields(c.args)...)
		if (out != "") != (c.code == succeeded) || (errs != "") != (c.code == misused) {
			t.Errorf("bench %s: output %q, errors %q", c.args, out, errs)
		}
		all.WriteString(strings.ReplaceAll("bench "+c.args+"\n"+out+errs+"\n", broken, "FOLDER"))
	}
	golden.File(t, "testdata/bench-usage.golden", all.String())
}
