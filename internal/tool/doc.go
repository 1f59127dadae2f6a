// Package tool is the tool surface: what each tool is called, what it says of
// itself, what it takes and what it answers, in one file a tool. It knows
// neither the protocol nor the database.
package tool
