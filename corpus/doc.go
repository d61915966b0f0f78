// Package corpus saves cases as text files that people can read, compare and review.
// A case holds all that is needed to replay a run of a property.
//
// # Where cases are
//
// Each case is a file, and each property has a folder, next to the test:
//
//	testdata/jostle/resultsAreStored/7f3a91-05c2d8.case
//
// Package fuzz saves the cases that fail and runs them first from then on, so they
// belong in version control. Delete a file to drop its case. A Folder loads and saves
// the cases of one property. The first half of a file's name is a hash of its case, so
// no case is saved twice. The second half is a hash of its whole text, so no name ever
// has two contents.
//
// # The file
//
// Lines that begin with # are for people and may be changed or removed: jostle ignores
// them. All other lines are for jostle:
//
//	jostle case 7
//	# writer_test.go:31: stored 0 of 1 results
//	#
//	# test ──execute──▶ action
//	# action ──done──▶ terminator
//	# terminator ──flush──▶ writer
//	# action ──write(1)──▶ writer          ← sent first, received last
//
//	property "resultsAreStored"
//	test "TestResultsAreStored"
//	signature "property at resultsAreStored: stored %d of %d results"
//	condition "flush from terminator at writer before write(1) from action at writer"
//	explained 1 of 2 complete exact
//	depth 1 unnamed 0
//	constraint condition 0 "flush" "writer" "store.flush at writer" 3 "write(1)" "writer" "store.write at writer" 4
//	draw 0 of 1 "any"
//	point 3 "flush" "writer" "store.flush at writer" 3 55 of 100 then 100 of 100
//	instead "write(1)" "writer" "store.write at writer" 4 0 of 100
//	chance 0 30 of 100
//	strategy "pos"
//	seed 000000000000001f
//	setting "delivery" "unordered"
//	early-timers 2
//	input "actions" seed 9e3779b97f4a7c15 words 1 2f
//	choice choose 2 of 5
//	choice drop 0 of 2
//	deliveries 8a51c04f2e9d1b67 03be4f1d9a7720c5 5d0e9c3f41b82a96 f9176a2b0c8de354
//	hash 6b1f0e2d9c8a7543
//	unlike 684cebd3d867fa6ebe05e2e8a5f0822c657682e650a32a37bbb5e1d8022d72ab9…
//	end
//
// The lines always come in this order:
//
//   - The first line has the version of the format: the oldest that can express the case.
//     A program can tell from it whether it understands the file.
//   - The signature is the format of the failure's message, without its values.
//   - The condition describes the orders that fail. It distinguishes two failures that
//     have the same signature.
//   - The lines from "explained" on are the Explanation. They say how many of the
//     orders fail, and how much the order differs from plain order, in which the oldest
//     message always comes first. They also say which messages come before which
//     others, and which draws may have other values. Messages come with their
//     receivers, kinds, and positions in the run, counted from 1. The line "point" has
//     the deciding step, counted from 1, and how many random continuations fail before
//     and after it: see Point.
//   - A line "doubtful" says that a replay of the case took a different course when the
//     case was saved. A line "face" has the signature of a further failure with the
//     same cause.
//   - A setting line has a setting that the property made for the run. "early-timers"
//     is the number of timers that the search allowed to fire early, if the property
//     did not set this number.
//   - A choice line has the answer and the number of possible answers.
//   - Deliveries are the identities of steps. The word "hold" stands for a timer that
//     fired while messages were deliverable. The words "then plain" end the deliveries
//     of a long run. After them the oldest message always comes first.
//   - The line "unlike" means nothing to jostle and may be missing. It helps git (see
//     Branches).
//
// Strings are quoted as in Go. Seeds, words, identities and hashes are hexadecimal.
//
// A case that was planned but not run yet has a schedule instead of the deliveries:
//
//	schedule 0000000000000007
//	priority 8a51c04f2e9d1b67 8000000000000000
//	before 03be4f1d9a7720c5 5d0e9c3f41b82a96
//	answer fault 3 of 4
//
// Encode and Decode convert between a Case and the text of its file. Decode reads the
// files of all older versions. The lines may end as on Windows, with or without a byte
// order mark before the first.
//
// # Over years
//
// A case whose bug is fixed passes. It stays as a regression test as long as its file
// does.
//
// Cases of one failure that different seeds find do not accumulate: of several failing
// cases that are Alike, package fuzz keeps the smallest.
//
// # Branches
//
// Two branches that changed their corpora merge without a conflict and without
// .gitattributes. Each may have saved, shrunk, explained or removed cases. This works
// for two reasons. First, jostle never writes to an existing file, because a file with
// a different text has a different name. Second, git does not take a new case for a
// renamed old case, because the unlike line makes more than half of each file unique.
//
// After the merge, the folder has the files that one of the branches added, and does
// not have the files that one of the branches removed. Duplicate cases do no harm: each
// case is run, the smallest first. Of several cases that are Alike, the smallest stays
// when package fuzz saves the next case. JOSTLE_REPAIR=1 removes all duplicates at
// once, including files with the same run, and prints what it removes.
//
// A conflict is still possible in a case file that people have edited, and in files
// that are attached next to a case. Git can be told to ignore all files of the folder
// that do not end in .case.
package corpus
