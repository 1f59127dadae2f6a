// Package jsonl reads what other memory servers export: the official server's
// JSON lines, one entity or relation each, and JSON documents with lists of
// entities and relations. It is forgiving: what is wrong with a record is
// reported with its line, and reading goes on behind it.
package jsonl
