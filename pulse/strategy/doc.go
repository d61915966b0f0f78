// Package strategy holds the ways of making a run's decisions, one to a file.
package strategy
