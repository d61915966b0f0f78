package tool

import (
	"fmt"
	"os"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/env"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// newCorpusDistill returns the command that removes redundant passing cases.
func newCorpusDistill() *Command {
	c := &corpusCommand{}
	remove := false
	cmd := &Command{
		Use:   "distill [packages]",
		Short: "Find passing cases whose receive pairs other cases contain too",
		Long: `Distill runs the saved cases of the packages' properties. It chooses a few passing
cases that together contain all receive pairs, and lists the other passing cases. With
--remove it removes those. It never lists a case that fails, cannot be run as it was saved,
skips, has no receive pairs or too many to compare, or belongs to a function literal. A
listed case may still be worth keeping, as a regression test of its draws.`,
		Example: "  jostle corpus distill ./...          # removes nothing\n  jostle corpus distill ./... --remove",
		Run: func(call *Call, args []string) error {
			w := call.Out
			all, spare := 0, 0
			var paths []string // the cases of one property
			var shows [][]distill.Pair
			settle := func() error {
				needed := distill.Fewest(shows)
				for i, path := range paths {
					if slices.Contains(needed, i) {
						continue
					}
					spare++
					if !remove {
						fmt.Fprintf(w, "%s  adds no receive pairs to those of the other cases\n", env.Shown(path))
						continue
					}
					if err := os.Remove(path); err != nil {
						return err
					}
					fmt.Fprintf(w, "%s  adds no receive pairs to those of the other cases: removed\n", env.Shown(path))
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
				fmt.Fprintf(w, "%s, of which %d can be removed\n", words.Count(all, "case"), spare)
			}
			return err
		},
	}
	c.flags(cmd)
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the cases that it lists")
	return cmd
}
