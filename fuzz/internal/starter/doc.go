// Package starter writes what somebody begins with: a first property beside an actor of
// theirs, which it finds by reading their code, and the workflows of a CI.
//
// Load reads a package, Package.Actors lists what may be an actor in it, and
// Package.Property writes a property for one of them as text. Workflows writes those of a
// CI. Nothing here changes a file.
package starter
