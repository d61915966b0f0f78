// Package trial holds the programs and properties that tests of strategies and
// searches run: most have no bug to find, but something of all that the system
// offers.
package trial
