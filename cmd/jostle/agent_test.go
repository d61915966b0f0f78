package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/jostle-go/jostle/fuzz/tool"
)

// An agent is a client that calls tools through the Model Context Protocol.
type agent struct {
	*testing.T
	*mcp.ClientSession
}

// withAgent runs the command mcp with arguments, and calls do with an agent that is connected to it.
func withAgent(t *testing.T, args []string, do func(*agent)) {
	t.Helper()
	call := &tool.Call{Context: t.Context(), In: strings.NewReader(""), Out: io.Discard, Err: t.Output(), Terminal: terminal{}}
	call.Agent = func(ctx context.Context, list []tool.Question, ask func(context.Context, string, []byte) ([]byte, error)) error {
		here, there := mcp.NewInMemoryTransports()
		server, err := newAgentServer(list, ask).Connect(ctx, here, nil)
		if err != nil {
			return err
		}
		defer server.Close()
		client, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(ctx, there, nil)
		if err != nil {
			return err
		}
		defer client.Close()
		do(&agent{t, client})
		return nil
	}
	code := call.Run(func() error {
		root := parser(tool.Root(), call)
		root.SetArgs(append([]string{"mcp"}, args...))
		return root.ExecuteContext(call.Context)
	})
	if code != succeeded {
		t.Errorf("mcp exits with %d", code)
	}
}

// ask calls the tool named question. It returns the answer, or the text of the error.
func (a *agent) ask(question string, args map[string]any) (text string, failed bool) {
	a.Helper()
	r, err := a.CallTool(a.Context(), &mcp.CallToolParams{Name: question, Arguments: args})
	if err != nil {
		a.Fatal(question, args, err)
	}
	return r.Content[0].(*mcp.TextContent).Text, r.IsError
}

// answer calls the tool named question and parses its answer.
func (a *agent) answer(question string, args map[string]any, to any) {
	a.Helper()
	text, failed := a.ask(question, args)
	if failed {
		a.Fatal(question, args, text)
	}
	if err := json.Unmarshal([]byte(text), to); err != nil {
		a.Fatal(question, args, err, text)
	}
}

// TestAgentFindsBugs: a script that uses only the server's tools finds the bugs of five programs,
// and learns at which step each failure becomes certain. It confirms the step: some continuations
// from the state before it pass, and all from the state after it fail. If the step instead receives
// the message that the explanation names, all continuations pass.
func TestAgentFindsBugs(t *testing.T) {
	t.Setenv("JOSTLE_BROKEN", "1")
	t.Setenv("JOSTLE_OUT", t.TempDir())
	withAgent(t, []string{"../../fuzz/subjects"}, func(a *agent) {
		tools, err := a.ListTools(t.Context(), nil)
		if err != nil || len(tools.Tools) != len(tool.Questions()) {
			t.Fatal(tools, err)
		}
		var all struct {
			Properties []struct {
				Number int
				Test   string
			}
		}
		a.answer("properties", nil, &all)
		for _, name := range []string{"writer", "bank", "threadring", "pingreg", "attach"} {
			at := slices.IndexFunc(all.Properties, func(p struct {
				Number int
				Test   string
			}) bool {
				return p.Test == "TestCampaign/"+name
			})
			if at < 0 {
				t.Fatalf("there is no property of %s in %+v", name, all)
			}
			a.confirms(name, all.Properties[at].Number)
		}
	})
}

// An explained failure has the fields that the script reads from an answer of the tool cause.
type explained struct {
	Run  string
	Text string
	Why  struct {
		Point *struct {
			Step  int
			Other *struct{ Text string }
		}
	}
}

// confirms finds the bug of a property and confirms its explanation.
func (a *agent) confirms(name string, property int) {
	a.Helper()
	var found struct{ Failures []explained }
	a.answer("check", map[string]any{"property": property, "seconds": 60}, &found)
	if len(found.Failures) == 0 {
		a.Fatalf("%s: no failure", name)
	}
	run := found.Failures[0].Run
	var f explained
	a.answer("cause", map[string]any{"run": run, "seconds": 20}, &f)
	if f.Why.Point == nil || f.Why.Point.Other == nil {
		a.Fatalf("%s: the cause names no step that decides, or nothing in its place:\n%s", name, f.Text)
	}
	step := f.Why.Point.Step
	var walk struct {
		Moments []struct{ Others []struct{ Label string } }
	}
	a.answer("steps", map[string]any{"run": run, "first": step, "count": 1}, &walk)
	others := walk.Moments[0].Others
	other := slices.IndexFunc(others, func(o struct{ Label string }) bool { return o.Label == f.Why.Point.Other.Text })
	if other < 0 {
		a.Fatalf("%s: %q is not in %+v", name, f.Why.Point.Other.Text, others)
	}
	before, after := a.failing(run, step), a.failing(run, step+1)
	var fork struct{ Run string }
	a.answer("fork", map[string]any{"run": run, "step": step, "other": other}, &fork)
	instead := a.failing(fork.Run, step+1)
	a.Logf("%s: step %d of %s: %d of 100 continuations fail before it, %d after it, %d with %s in its place", name, step, run, before, after, instead, others[other].Label)
	if before == 100 || after <= before || instead >= after {
		a.Errorf("%s: that does not confirm the explanation", name)
	}
}

// failing returns how many of 100 continuations from a step fail. If the strategy no longer chooses a
// step, all continuations end as the run does.
func (a *agent) failing(run string, step int) int {
	a.Helper()
	var e struct{ Failed int }
	text, failed := a.ask("continuations", map[string]any{"run": run, "step": step, "runs": 100})
	if !failed {
		if err := json.Unmarshal([]byte(text), &e); err != nil {
			a.Fatal(err)
		}
		return e.Failed
	}
	if !strings.Contains(text, "does not choose") {
		a.Fatal(text)
	}
	var r struct{ Failures []explained }
	a.answer("replay", map[string]any{"run": run}, &r)
	return 100 * len(r.Failures)
}

// TestAgentIsRefused calls tools with wrong arguments. The server answers with an error that says
// which arguments are right, and then answers further calls.
func TestAgentIsRefused(t *testing.T) {
	t.Setenv("JOSTLE_BROKEN", "1")
	t.Setenv("JOSTLE_OUT", t.TempDir())
	withAgent(t, []string{"../../fuzz/subjects", "--property", "bank"}, func(a *agent) {
		for _, c := range []struct {
			question string
			args     map[string]any
			want     string
		}{
			{"check", nil, "check needs property"},
			{"check", map[string]any{"property": 99}, "there is no property 99"},
			{"check", map[string]any{"property": "bank"}, "must be a whole number"},
			{"check", map[string]any{"property": 0, "seconds": 1e6}, "the limit is 120"},
			{"check", map[string]any{"property": 0, "seconds": 0}, "must be a whole number of at least 1"},
			{"check", map[string]any{"property": 0, "time": 1}, `has no parameter "time"`},
			{"replay", map[string]any{"run": 7}, "must be a text"},
			{"replay", map[string]any{"run": "none"}, `there is no case "none"`},
			{"steps", map[string]any{"run": "none@4"}, `there is no case "none@4"`},
			{"gaps", map[string]any{"property": 0}, "no campaign is known here"},
		} {
			if text, failed := a.ask(c.question, c.args); !failed || !strings.Contains(text, c.want) {
				t.Errorf("%s %v: %s, want an error with %s", c.question, c.args, text, c.want)
			}
		}
		if _, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: "dance"}); err == nil || !strings.Contains(fmt.Sprint(err), "dance") {
			t.Errorf("an unknown tool: %v", err)
		}
	})
}

// TestSchema checks that the JSON schema of the tool check has the limits of its parameter seconds.
func TestSchema(t *testing.T) {
	list := tool.Questions()
	at := slices.IndexFunc(list, func(q tool.Question) bool { return q.Name == "check" })
	const want = `"seconds":{"type":"integer","description":"the time limit","default":5,"minimum":1,"maximum":120}`
	if got := string(schemaOf(&list[at])); !strings.Contains(got, want) {
		t.Errorf("%s, want %s", got, want)
	}
}
