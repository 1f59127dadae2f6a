// Package storetest is the conformance suite for implementations of
// memory.Store: what the domain relies on, whatever the database.
package storetest
