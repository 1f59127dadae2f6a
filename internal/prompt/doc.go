// Package prompt is the prompts: what a user can have an agent told about the
// memory, with what the memory holds for it. It finds that with the tools, and
// knows neither the protocol nor the database.
package prompt
