// Package starter generates files for new users: a first property for an actor that it finds in
// the user's code, and workflows for CI.
//
// Load reads a package. Package.Actors lists the types in the package that may be actors, and
// Package.Property returns the text of a property for one of them. Workflows returns the texts
// of the workflows. This package writes no files.
package starter
