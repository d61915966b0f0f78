package tool

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/jostle-go/jostle/fuzz/internal/campaign"
	"github.com/jostle-go/jostle/fuzz/internal/campaign/report"
)

// newReport returns the command that writes the report of a campaign.
func newReport() *Command {
	n := &night{}
	var folder string
	cmd := &Command{
		Use:   "report [packages]",
		Short: "Write what came of a campaign as HTML and for a CI",
		Long: `Report writes what came of the last campaign of the packages into a folder: ` + report.HTMLFile + `
for people, which needs neither a network nor a script, ` + report.JUnitFile + `, ` + report.SARIFFile + ` by which
code hosts mark lines, ` + report.MarkdownFile + ` for the page of a CI's job, and ` + report.JSONFile + `. It says what
has changed since the report that is in the folder. It reads what ` + "`jostle fuzz`" + ` has
noted in this folder for the same packages, and runs nothing.`,
		Example: "  jostle report ./... --to nightly\n  jostle fuzz ./... --for 8h --report nightly    # does so at its end",
		Run: func(call *Call, args []string) error {
			if folder == "" {
				return errors.New("--to is empty: set it to a folder")
			}
			done, err := n.read(args)
			if err != nil {
				return err
			}
			return writeReport(call.Out, done, folder)
		},
	}
	n.flags(cmd)
	cmd.Flags().StringVar(&folder, "to", "jostle-report", "the folder for the report")
	return cmd
}

// writeReport writes the report of a campaign into a folder, and says where it is. An
// earlier report that cannot be read is told of, and written over.
func writeReport(w io.Writer, done *campaign.Report, folder string) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	r := report.New(done, here)
	last, err := report.Read(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w, "note: what has changed since the last report is not known: %v\n", err)
	}
	r.Compare(last)
	if err := r.Write(folder); err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	fmt.Fprintf(w, "report: %s\n", filepath.Join(folder, report.HTMLFile))
	return nil
}
