// Package trial holds the programs that tests of strategies run: they have no
// bug to find, but something of all that the system offers.
package trial
