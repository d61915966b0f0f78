// Package trial holds programs and properties for tests of strategies and
// searches. Most have no bug, but use all features of a system.
package trial
