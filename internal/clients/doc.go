// Package clients knows the MCP clients that start this program: where each
// keeps its configuration, and how an entry is put there and taken out again
// without touching anything else in the file.
package clients
