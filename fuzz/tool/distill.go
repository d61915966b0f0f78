package tool

import (
	"fmt"
	"os"
	"slices"

	"github.com/jostle-go/jostle/fuzz/internal/distill"
	"github.com/jostle-go/jostle/fuzz/internal/session"
	"github.com/jostle-go/jostle/fuzz/internal/words"
)

// newCorpusDistill returns the command that removes redundant passing cases.
func newCorpusDistill() *Command {
	c := &corpusCommand{}
	remove := false
	cmd := &Command{
		Use:   "distill [packages]",
		Short: "Find passing cases that show no receive pair of their own",
		Long: `Distill runs the saved cases of the packages' properties. Among those that pass it finds the
fewest that together show every receive pair, and names the others. With --remove it
removes those. Cases always stay if they fail, cannot be run as they were saved, skip, show
no receive pairs or too many to compare, or belong to a function literal. A passing case
is also a regression test of its draws, and may be worth keeping for them.`,
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
						fmt.Fprintf(w, "%s  shows no receive pair that others do not\n", shown(path))
						continue
					}
					if err := os.Remove(path); err != nil {
						return err
					}
					fmt.Fprintf(w, "%s  shows no receive pair that others do not: removed\n", shown(path))
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
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the cases that it names")
	return cmd
}
