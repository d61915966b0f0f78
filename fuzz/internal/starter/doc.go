// Package starter writes files to begin with: a first property next to an actor of
// the user, which it finds by reading the code, and the workflows of a CI.
//
// Load reads a package. Package.Actors lists the types that may be actors in it, and
// Package.Property writes a property for one of them as text. Workflows writes the
// workflows of a CI. Nothing here changes a file.
package starter
