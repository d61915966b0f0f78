package tool

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/coverage"
	"github.com/jostle-go/jostle/fuzz/internal/screen"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// A night holds the flags of commands that read the state file of a campaign.
type night struct{ state string }

func (n *night) flags(cmd *Command) {
	cmd.Flags().StringVar(&n.state, "state", "", "the state file that was given to jostle fuzz, if any")
}

// read returns the report of the last campaign for the packages that match patterns.
func (n *night) read(patterns []string) (*campaign.Report, error) {
	path, err := stateFile(n.state, patterns)
	if err != nil {
		return nil, err
	}
	r, err := campaign.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no campaign is known here: run `%s` first, in this folder with the same packages (there is no %s)",
			"jostle fuzz"+arguments(patterns), path)
	}
	return r, err
}

// arguments returns the list as arguments for a shell. Each argument has a space before it, and
// quotes if necessary.
func arguments(list []string) string {
	var b strings.Builder
	for _, text := range list {
		b.WriteString(" " + words.Argument(text))
	}
	return b.String()
}

// newCover returns the command that shows the coverage of campaigns.
func newCover() *Command {
	n := &night{}
	var form, property, since, lines, base string
	cmd := &Command{
		Use:   "cover [packages]",
		Short: "Show which receive pairs campaigns have seen",
		Long: `Cover shows which receive pairs (in which order an actor received two messages) the last
campaign of the packages has seen, together with earlier ones, and the chance that another
run shows a new one. It reads the state that ` + "`jostle fuzz`" + ` saved for this folder and the same
packages, and runs nothing.

With --since it compares with the state of another campaign, such as one of the code before
a change: which receive pairs, by message type, are new, and which were not seen again. The
difference comes from the code only if both campaigns had the same seed and --runs.

With --lines and --base it shows statements instead: those that have changed since a commit
and that tests have run, according to a profile of go test -coverprofile.`,
		Example: `  jostle cover ./...
  jostle cover ./... --property neverOverdrawn --form svg > orders.svg
  jostle cover ./... --state change.json --since base.json
  go test -coverpkg ./... -coverprofile lines.out ./... && jostle cover --lines lines.out --base main`,
		Run: func(call *Call, args []string) error {
			if lines != "" || base != "" {
				return coverLines(call, lines, base)
			}
			show := map[string]func(io.Writer, []campaign.Outcome) error{"text": coverText, "json": coverJSON, "svg": coverSVG}[form]
			if show == nil {
				return fmt.Errorf("--form is %q: set it to text, json or svg", form)
			}
			r, err := n.read(args)
			if err != nil {
				return err
			}
			var list []campaign.Outcome
			for _, out := range r.Outcomes {
				if strings.Contains(out.Subject.Property.Name, property) || strings.Contains(out.Subject.Property.Test, property) {
					list = append(list, out)
				}
			}
			if len(list) == 0 {
				return fmt.Errorf("none of %s of the campaign has %q in its name", words.Count(len(r.Outcomes), "property"), property)
			}
			if since != "" && form != "text" {
				return errors.New("--since prints only text: omit --form")
			} else if since != "" {
				return coverSince(call.Out, list, since)
			}
			return show(call.Out, list)
		},
	}
	n.flags(cmd)
	cmd.Flags().StringVar(&form, "form", "text", "the output format: text, json or svg")
	cmd.Flags().StringVar(&property, "property", "", "only properties whose name or test contains this")
	cmd.Flags().StringVar(&since, "since", "", "compare with this state file of another campaign (see jostle fuzz --state)")
	cmd.Flags().StringVar(&lines, "lines", "", "a profile of go test -coverprofile: show which changed statements were run")
	cmd.Flags().StringVar(&base, "base", "", "with --lines, the commit or branch to compare with")
	return cmd
}

// coverText prints the coverage as tables.
func coverText(w io.Writer, list []campaign.Outcome) error {
	for i := range list {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if _, err := fmt.Fprintf(w, "%s\n%s", list[i].Subject.String(), list[i].Orders.Text()); err != nil {
			return err
		}
	}
	return nil
}

// coverJSON prints the coverage as JSON.
func coverJSON(w io.Writer, list []campaign.Outcome) error {
	type property struct {
		Subject string           `json:"subject"`
		Orders  *coverage.Orders `json:"orders"`
	}
	var out []property
	for i := range list {
		out = append(out, property{list[i].Subject.String(), list[i].Orders})
	}
	text, err := json.MarshalIndent(out, "", "\t")
	if err == nil {
		_, err = fmt.Fprintln(screen.Whole(w), screen.JSON(text))
	}
	return err
}

// coverSVG prints the coverage of one property as an SVG picture.
func coverSVG(w io.Writer, list []campaign.Outcome) error {
	if len(list) > 1 {
		return fmt.Errorf("a picture shows one property, and there are %d: choose one with --property", len(list))
	}
	_, err := screen.Whole(w).Write(list[0].Orders.SVG())
	return err
}
