package corpus_test

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/jostle-go/jostle/corpus"
)

func Example() {
	dir, err := os.MkdirTemp("", "corpus")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	folder := corpus.FolderOf(dir, "resultsAreStored")
	_, _, err = folder.Save(corpus.Case{
		Property:  "resultsAreStored",
		Test:      "TestResultsAreStored",
		Strategy:  "random",
		Seed:      7,
		Signature: "property: stored # of # results",
		Comment:   []string{"writer_test.go:31: stored 0 of 1 results"},
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	cases, problems := folder.Load()
	for _, c := range cases {
		fmt.Println(filepath.Base(c.Path), c.Signature)
	}
	fmt.Println(len(problems), "problems")
	// Output:
	// 0e0ebb-3f1e26.case property: stored # of # results
	// 0 problems
}
