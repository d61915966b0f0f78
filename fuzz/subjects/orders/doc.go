// Package orders holds programs whose orders of delivery are counted.
//
// They are small, have no bug, and end well in every order. They differ in how many
// orders they have, and how many of these are distinct. Two orders are not distinct
// if every actor receives the same messages in the same order. The tests of this
// package count both by plain enumeration. Every search that skips orders must find
// the same number of distinct ones.
//
// Most programs are those with which Basset (Lauterburg's thesis, Illinois
// 2011, sections 3.10.2 and 4.3.1) and Eta (Simsa, Bryant and Gibson, tables 1 to
// 3) were measured. The papers describe the programs, but show the code of none
// but Basset's pi, which is in package load. The comments tell where the counts
// agree with the papers and where they do not.
package orders
