// Package orders holds programs whose delivery orders are counted.
//
// The programs are small, have no bug, and succeed in every order. They differ in
// the number of orders and in the number of distinct orders. Two orders count as
// the same distinct order if every actor receives the same messages in the same
// order. The tests of this package count both by plain enumeration. Every search
// that skips orders must find the same number of distinct orders.
//
// Most programs are those with which Basset (Lauterburg's thesis, Illinois 2011,
// sections 3.10.2 and 4.3.1) and Eta (Simsa, Bryant and Gibson, tables 1 to 3) were
// measured. The papers describe the programs. But they show the code of only one,
// Basset's pi, which is in package load. The comments say which counts agree with
// the papers.
package orders
