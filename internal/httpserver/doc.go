// Package httpserver serves the memory over HTTP: MCP at /mcp, and beside it
// health, metrics and a page. It decides who may ask and how much: hosts,
// origins, the token, limits, the log, and the end. What an MCP message means
// is mcpserver's.
package httpserver
