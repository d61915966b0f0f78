// Package orders holds programs whose orders of delivery are counted.
//
// They are small, have no bug, and end well in every order: what differs is
// how many orders there are, and how many of them are distinct. Two orders
// are the same when every actor receives the same messages in the same order.
// A plain enumerator counts both in this package's test; every search that
// leaves orders out must come to the same number of distinct ones.
//
// Most programs are those with which Basset (Lauterburg's thesis, Illinois
// 2011, sections 3.10.2 and 4.3.1) and Eta (Simsa, Bryant and Gibson, tables 1 to
// 3) were measured. The papers say what the programs do but show no code of
// any but Basset's pi, which is in package load; the comments tell where the
// counts agree with theirs and where they do not.
package orders
