package memory

import (
	"bytes"
	"fmt"
)

// NotMemoryError is a file that cannot be imported as it is none of a memory.
type NotMemoryError struct {
	Database bool          // it is a database
	First    ImportProblem // of others, what is wrong with the first line that is not blank
}

func (e *NotMemoryError) Error() string { return "it " + e.What() }

// What says what the file is and what to do, in words that go on after its name.
func (e *NotMemoryError) What() string {
	if e.Database {
		return "is a database, not a file to import. If it is a memory of this program, " +
			"`mcp-memory --db FILE export` writes what can be imported; " +
			"`mcp-memory restore FILE` puts it in the place of this memory, and --db FILE uses it as it is"
	}
	return fmt.Sprintf("is not a memory file: there is no JSON record in it (line %d %s). "+
		"Give the official memory server's JSON lines, a JSON document as read_graph prints it, or what `mcp-memory export` writes",
		e.First.Line, e.First.Reason)
}

// databaseHeader is what every SQLite database begins with.
const databaseHeader = "SQLite format 3\x00"

func isDatabase(beginning []byte) bool { return bytes.HasPrefix(beginning, []byte(databaseHeader)) }
