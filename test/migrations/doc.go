// Package migrations tests how a database gets from one version of the schema to
// another, and that services keep working meanwhile. Until the first release there is one
// migration, which is edited in place; what a further one may do is tested with an invented one.
package migrations
