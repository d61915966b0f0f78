package tool

import (
	"fmt"
	"os"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// newCorpusDistill returns the command that keeps the fewest passing cases.
func newCorpusDistill() *Command {
	c := &corpusCommand{}
	remove := false
	cmd := &Command{
		Use:   "distill [packages]",
		Short: "Keep the fewest passing cases that show all that they show now",
		Long: `Distill runs the saved cases of the packages' properties. Of those that pass it finds the
fewest that show all the orders of two receives that all of them show, and names the others.
With --remove it removes these. Cases that fail stay, and so do those that cannot be run as
they were saved, that skip, that show no orders or too many to be compared, or that are of a
function literal. A case that passes is a regression test also of its draws, and may be
worth keeping for these.`,
		Example: "  jostle corpus distill ./...          # removes nothing\n  jostle corpus distill ./... --remove",
		Run: func(call *Call, args []string) error {
			w := call.Out
			all, spare := 0, 0
			var paths []string // of one property
			var shows [][]distill.Pair
			settle := func() error {
				needed := distill.Fewest(shows)
				for i, path := range paths {
					if slices.Contains(needed, i) {
						continue
					}
					spare++
					if !remove {
						fmt.Fprintf(w, "%s  shows nothing that others do not\n", shown(path))
						continue
					}
					if err := os.Remove(path); err != nil {
						return err
					}
					fmt.Fprintf(w, "%s  shows nothing that others do not: removed\n", shown(path))
				}
				paths, shows = nil, nil
				return nil
			}
			err := c.each(call, args, session.Request{Do: session.Replay, Pairs: true}, func(path string, r *session.Reply) error {
				if all++; len(r.Pairs) > 0 {
					paths, shows = append(paths, path), append(shows, r.Pairs)
				}
				return nil
			}, settle)
			if err == nil || err == errFailed {
				fmt.Fprintf(w, "%s, of which %d can go\n", words.Count(all, "case"), spare)
			}
			return err
		},
	}
	c.flags(cmd)
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the cases that it names")
	return cmd
}
