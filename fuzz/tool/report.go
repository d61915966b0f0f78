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
		Short: "Write the results of a campaign, as HTML and for CI",
		Long: `Report writes the results of the last campaign of the packages into a folder: ` + report.HTMLFile + `
(needs no network and no script), ` + report.JUnitFile + `, ` + report.SARIFFile + ` (code hosts mark lines by it),
` + report.MarkdownFile + ` for the page of a CI job, and ` + report.JSONFile + `. It lists the changes since the report
that is in the folder. It reads the state that ` + "`jostle fuzz`" + ` saved for this folder and the
same packages, and runs nothing.`,
		Example: "  jostle report ./... --to nightly\n  jostle fuzz ./... --for 8h --report nightly    # writes it at the end",
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

// writeReport writes the report of a campaign into a folder and prints its path. If the folder has
// an earlier report that cannot be read, writeReport prints a note and overwrites it.
func writeReport(w io.Writer, done *campaign.Report, folder string) error {
	here, err := os.Getwd()
	if err != nil {
		return err
	}
	r := report.New(done, here, repository(here))
	last, err := report.Read(folder)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		fmt.Fprintf(w, "note: cannot compare with the last report: %v\n", err)
	}
	r.Compare(last)
	if err := r.Write(folder); err != nil {
		return fmt.Errorf("the report cannot be written: %w", err)
	}
	fmt.Fprintf(w, "report: %s\n", filepath.Join(folder, report.HTMLFile))
	return nil
}
