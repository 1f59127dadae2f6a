// Package memory is the domain: a graph of entities, observations and
// relations, the ways to change and to search it, and what it asks of a
// database (Store) and of an embedding model (Embedder). It knows neither SQL
// nor any protocol.
package memory
