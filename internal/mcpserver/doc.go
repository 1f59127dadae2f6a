// Package mcpserver serves a memory, its tools, resources and prompts, by the
// Model Context Protocol over standard input and output, and over HTTP. The
// protocol's methods are mcp-go's; the way of messages is this package's own:
// every request that was read is answered once and under the id it came with,
// calls take effect in the order in which they came, and nothing but whole JSON
// lines is written.
package mcpserver
