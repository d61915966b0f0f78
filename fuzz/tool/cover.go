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

// A night is what commands share that show what a campaign has noted.
type night struct{ state string }

func (n *night) flags(cmd *Command) {
	cmd.Flags().StringVar(&n.state, "state", "", "the file in which the campaign has noted how far it is, if fuzz was given one")
}

// read returns what the last campaign of some packages has noted.
func (n *night) read(patterns []string) (*campaign.Report, error) {
	path, err := stateFile(n.state, patterns)
	if err != nil {
		return nil, err
	}
	r, err := campaign.Read(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("no campaign is known here: run `%s` first, from this folder and with the same packages (there is no %s)",
			"jostle fuzz"+arguments(patterns), path)
	}
	return r, err
}

// arguments returns some as a shell takes them, each with a space before it.
func arguments(list []string) string {
	var b strings.Builder
	for _, text := range list {
		b.WriteString(" " + words.Argument(text))
	}
	return b.String()
}

// newCover returns the command that shows what campaigns have seen.
func newCover() *Command {
	n := &night{}
	var form, property, since, lines, base string
	cmd := &Command{
		Use:   "cover [packages]",
		Short: "Show which orders of two receives campaigns have seen",
		Long: `Cover shows which orders of two receives the runs of the last campaign of the packages
have shown, with what those before it have, and how likely a next run shows more. It
reads what ` + "`jostle fuzz`" + ` has noted in this folder for the same packages, and runs nothing.

With --since it shows the difference to what another campaign has noted, of the code before
a change, say: which orders of two messages, by their types, are new, and which were not
seen again. That is a difference of the code if both campaigns had the same seed and --runs,
and one of luck else.

With --lines and --base it shows, in place of orders, which statements that have changed
since a commit tests have run, by a profile of go test -coverprofile.`,
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
				return errors.New("--since is shown as text: leave --form out")
			} else if since != "" {
				return coverSince(call.Out, list, since)
			}
			return show(call.Out, list)
		},
	}
	n.flags(cmd)
	cmd.Flags().StringVar(&form, "form", "text", "how it is shown: text, json or svg")
	cmd.Flags().StringVar(&property, "property", "", "only properties whose name or test has this in it")
	cmd.Flags().StringVar(&since, "since", "", "a file that another campaign has noted by --state: show the difference to it")
	cmd.Flags().StringVar(&lines, "lines", "", "a profile of go test -coverprofile: show which changed statements were run")
	cmd.Flags().StringVar(&base, "base", "", "with --lines, the commit or branch that the change is made to")
	return cmd
}

// coverText shows what was seen as tables.
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

// coverJSON shows what was seen for programs.
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
		_, err = fmt.Fprintln(w, screen.JSON(text))
	}
	return err
}

// coverSVG shows what was seen of one property as a picture.
func coverSVG(w io.Writer, list []campaign.Outcome) error {
	if len(list) > 1 {
		return fmt.Errorf("a picture shows one property, and there are %d: say which by --property", len(list))
	}
	_, err := w.Write(list[0].Orders.SVG())
	return err
}
