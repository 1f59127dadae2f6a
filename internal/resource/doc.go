// Package resource is what can be read by a URI: each entity, and the graph. It
// lists, reads and completes them, and tells whether they have changed; what they
// show is what the tools show. It knows neither the protocol nor the database.
package resource
