// Package sqlite keeps the memory in a SQLite database: it implements
// memory.Store, and brings databases of any age up to the current schema.
//
// One connection writes, a few read, each with its statements prepared. Any
// number of processes may do so at once: the database is in WAL mode, and
// every write transaction takes the write lock when it begins.
package sqlite
