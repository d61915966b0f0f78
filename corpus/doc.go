// Package corpus keeps cases as files that people can read, compare and
// review, one case a file:
//
//	testdata/jostle/resultsAreStored/7f3a91.case
//
// A file looks like this. Lines with # are for people and may be changed or
// removed; the others are for the machine.
//
//	jostle case 2
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
// The first line names the version of the format: another program than the
// one that wrote a file can tell whether it understands it. Strings are quoted
// as in Go; seeds, words, identities and hashes are hexadecimal; a choice says
// what was answered and of how many answers. Settings are the property's; early
// timers are what the search gave a run whose property set none. Everything stands
// in this order, and what there is none of has no line.
//
// A case that was not run yet, but planned, has in place of the deliveries
// what is to come before what, by the identities of steps:
//
//	schedule 0000000000000007
//	priority 8a51c04f2e9d1b67 8000000000000000
//	before 03be4f1d9a7720c5 5d0e9c3f41b82a96
//	answer fault 3 of 4
package corpus
