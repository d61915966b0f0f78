// Package corpus keeps cases as text files that people can read, compare and
// review. A case holds all that is needed to run a property the same way again.
//
// # Where cases are
//
// Each case is a file, and each property has a folder, beside the test:
//
//	testdata/jostle/resultsAreStored/7f3a91.case
//
// Package fuzz saves the cases that fail and runs them first from then on, so
// they belong in version control. Delete a file to drop its case. A Folder loads
// and saves the cases of one property; the name of a file is a hash of its case,
// so that no case is kept twice.
//
// # The file
//
// Lines that begin with # are for people and may be changed or removed. The
// others are for the machine:
//
//	jostle case 4
//	# writer_test.go:31: stored 0 of 1 results
//	#
//	# test ──execute──▶ action
//	# action ──done──▶ terminator
//	# terminator ──flush──▶ writer
//	# action ──write(1)──▶ writer          ← sent first, received last
//
//	property "resultsAreStored"
//	test "TestResultsAreStored"
//	signature "property: stored # of # results"
//	condition "flush from terminator at writer before write(1) from action at writer"
//	strategy "pos"
//	seed 000000000000001f
//	setting "delivery" "unordered"
//	early-timers 2
//	input "actions" seed 9e3779b97f4a7c15 words 1 2f
//	choice choose 2 of 5
//	choice drop 0 of 2
//	deliveries 8a51c04f2e9d1b67 03be4f1d9a7720c5 5d0e9c3f41b82a96 f9176a2b0c8de354
//	hash 6b1f0e2d9c8a7543
//	end
//
// The first line has the version of the format, by which a program can tell
// whether it understands the file. Strings are quoted as in Go. Seeds, words,
// identities and hashes are hexadecimal. A choice line has the answer and the
// number of possible answers. The condition is what holds in the orders that fail, and
// tells two failures with one signature apart. Settings are the property's; early
// timers are what the search gave a run whose property set none. After the deliveries
// of a long run there may be a line "then plain": it goes on in plain order. The lines
// always come in this order.
//
// A case that was planned but not run yet has a schedule in place of the
// deliveries, by the identities of steps:
//
//	schedule 0000000000000007
//	priority 8a51c04f2e9d1b67 8000000000000000
//	before 03be4f1d9a7720c5 5d0e9c3f41b82a96
//	answer fault 3 of 4
//
// Encode and Decode convert between a Case and the text of its file. Files of all
// older versions can be read. The lines may end as on Windows, with or without a byte
// order mark before the first.
//
// # Over years
//
// A case whose failure is mended passes. It stays as a regression test for as long as
// its file does. Two branches that find failures save files of different names, which
// version control merges by itself. When both have found the very same run, with
// another comment or seed, there is a conflict in its file: keep either side.
//
// Cases of one failure, found by different seeds, do not pile up: of those that are
// Alike and fail, package fuzz keeps the smallest.
package corpus
