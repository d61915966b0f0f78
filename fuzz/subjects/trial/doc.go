// Package trial holds programs and properties for tests of strategies and searches.
// Most have no bug, but use all features of a system. A Table is a random program
// that may have a bug. EachOrder runs all orders of a property.
package trial
