package house

import (
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// maxReadme is how long the README may be: one that is longer is not read.
const maxReadme = 200

// checkReadme finds what is wrong with the README: too long, or its commands are
// not those that .ci/run runs.
func checkReadme(t *tree) (found []finding) {
	readme, run := t.texts["README.md"], t.texts[".ci/run"]
	if n := strings.Count(readme, "\n"); n >= maxReadme {
		found = append(found, finding{"README.md", "the README is too long", "keep it under 200 lines; details belong into doc comments"})
	}
	commands := testCommands(readme)
	if !slices.Contains(commands, "go test ./...") {
		found = append(found, finding{"README.md", "the README does not say how to test",
			"have a fenced block of sh with the line `go test ./...` right below a heading `## Test`"})
	}
	var runs []string
	for line := range strings.Lines(run) {
		runs = append(runs, command(line))
	}
	for _, c := range commands {
		if !slices.Contains(runs, c) {
			found = append(found, finding{".ci/run", "it does not run the README's command " + c,
				"give it a line with that command and nothing else, or change the README"})
		}
	}
	return found
}

// testCommands returns the commands of the first fenced block below the heading
// Test, or of the first in the README if it has no such heading.
func testCommands(readme string) (commands []string) {
	_, below, ok := strings.Cut(readme, "\n## Test\n")
	if !ok {
		below = readme
	}
	_, block, _ := strings.Cut(below, "```sh\n")
	block, _, _ = strings.Cut(block, "```")
	for line := range strings.Lines(block) {
		if c := command(line); c != "" {
			commands = append(commands, c)
		}
	}
	return commands
}

// command is a line of a shell without its comment.
func command(line string) string {
	line, _, _ = strings.Cut(line, "#")
	return strings.TrimSpace(line)
}

func TestReadme(t *testing.T) { report(t, checkReadme(loadModule(t))) }

func TestReadmeCanary(t *testing.T) {
	const block = "```sh\ngo run ./cmd/jostle demo # the main job\n\ngo test ./...\n```\n"
	run := file("#!/bin/bash", "  go test ./... # all", "go run ./cmd/jostle demo")
	for _, c := range []struct {
		name, readme string
		run          *fstest.MapFile
		want         []string
	}{
		{"right, below its heading", "```sh\nother\n```\n## Test\n\n" + block, run, nil},
		{"right, without heading", "# jostle\n" + block, run, nil},
		{"too long", block + strings.Repeat("\n", maxReadme), run, []string{"README.md"}},
		{"no command", "# jostle\n", run, []string{"README.md"}},
		{"other commands", block, file("go test -v ./...", "# go run ./cmd/jostle demo"), []string{".ci/run", ".ci/run"}},
		{"no .ci/run", block, file(), []string{".ci/run", ".ci/run"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			tr := mustLoad(t, fstest.MapFS{"README.md": file(c.readme), ".ci/run": c.run})
			caught(t, checkReadme(tr), c.want...)
		})
	}
}
