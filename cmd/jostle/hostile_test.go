package main

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/jostle-go/jostle/fuzz/subjects/trial"
)

// visible fails a script if the output of a command has control characters.
func visible(ts *testscript.TestScript, _ bool, args []string) {
	for _, name := range append(args, "stdout", "stderr") {
		if bad := trial.Controls(ts.ReadFile(name)); bad != "" {
			ts.Fatalf("%s has %s", name, bad)
		}
	}
}

// TestHostileArguments: no command prints control characters, whatever its arguments.
func TestHostileArguments(t *testing.T) {
	t.Chdir(t.TempDir())
	random := rand.New(rand.NewPCG(1, 1))
	for range 20 {
		text := trial.HostileText(random)
		for _, args := range [][]string{{}, {"check", "--" + text}, {"check", "--memory", text}, {"fuzz", "--for", text}, {"explore", "--for", text}, {"replay", text}, {"replay", text, text, text},
			{"shrink", text}, {"explain", text}, {"corpus"}, {"corpus", "list"}, {"corpus", "show"}, {"corpus", "merge", "--into", "x"}, {"corpus", "distill", "--" + text},
			{"corpus", "prune", "--" + text}, {"corpus", "repair", "--for", text}, {"corpus", "import", "--" + text}, {"corpus", "export", text, "--to", "x"}, {"corpus", "export"},
			{"cover", "--form"}, {"cover", "--state"}, {"cover", "--lines", text, "--base"}, {"cover", "--lines"}, {"report", "--state"}, {"report", "--to"}, {"demo"}, {"bench", "--subjects"}, {"bench"}, {"version"}, {"completion"},
			{"ask"}, {"ask", "steps"}, {"ask", "steps", text + "=1"}, {"view", "--port"}, {"view", "--" + text}, {"mcp", "--" + text}, {"overlay"}, {"test", "-for"}, {"test", "-network"}, {"help"}, {"help", "corpus"}} {
			var out, errs bytes.Buffer
			code := run(t.Context(), append(slices.Clone(args), text), &out, &errs)
			if bad := trial.Controls(out.String() + errs.String()); bad != "" {
				t.Fatalf("%q with %q prints %s", args, text, bad)
			}
			if code != misused && args[0] != "completion" {
				t.Errorf("%q with %q: code %d", args, text, code)
			}
		}
	}
}
