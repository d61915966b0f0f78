// Package corpus keeps cases as text files that people can read, compare and
// review. A case holds all that is needed to run a property the same way again.
//
// # Where cases are
//
// Each case is a file, and each property has a folder, beside the test:
//
//	testdata/jostle/resultsAreStored/7f3a91-05c2d8.case
//
// Package fuzz saves the cases that fail and runs them first from then on, so
// they belong in version control. Delete a file to drop its case. A Folder loads
// and saves the cases of one property. The first half of a file's name is a hash of
// its case, so that no case is saved twice; the other half is a hash of all of its
// text, so that no name ever has two contents.
//
// # The file
//
// Lines that begin with # are for people and may be changed or removed: they
// change nothing of what is said of a case. The others are for the machine:
//
//	jostle case 6
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
// The first line has the version of the format, by which a program can tell
// whether it understands the file: the oldest that can say what is in it. Strings are
// quoted as in Go. Seeds, words, identities and hashes are hexadecimal. A choice line
// has the answer and the number of possible answers. The condition is what holds in the
// orders that fail, and tells two failures with one signature apart. Settings are the
// property's. The signature has the format of what was said, without its values. The lines
// from "explained" on are the Explanation: in how many of how many orders the case fails, how
// far its order is from plain order, which messages come before which others (with their
// receivers, kinds, and places in the run from 1 on), and which draws may have other values. "doubtful"
// says that the case did not repeat when it was saved, and "face" names another failure with
// the same cause. Early timers are what the search gave a run whose property set none. In
// place of an identity, "hold" says that none of the messages was received, and time
// passed. After the deliveries of a long run there may be a line "then plain": it goes
// on in plain order. The line "unlike" means nothing to jostle, and may be missing; git
// needs it, as said below. The lines always come in this order.
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
// its file does.
//
// Cases of one failure, found by different seeds, do not pile up: of those that are
// Alike and fail, package fuzz keeps the smallest.
//
// # Branches
//
// Two branches whose corpora have changed come together without a conflict, with no
// line in .gitattributes, whatever was done in either: the same failure saved, or another;
// a smaller form of one saved in its place; one explained that was not; cases of
// mended failures removed. For jostle never writes to a file that is there: what has other
// words has another name. Nor does git take a new case for an old one that was renamed,
// and find that the branches disagree about its name, since the unlike line makes more
// than half of each file unlike any other.
//
// What either branch has added is there then, and what either has removed is gone. Cases
// that are now there twice do no harm: each is run, the smallest first. Of those that are
// Alike the smallest stays when package fuzz saves the next; JOSTLE_REPAIR=1 looks through
// all of them at once, and also for files of the very same run, and says what it has removed.
//
// There can still be a conflict about a file whose words people have changed, and about
// what a property attaches, which lies beside the case: git may well be told to ignore
// all in the folder that is no .case file.
package corpus
