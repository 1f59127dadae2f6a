package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	vec "github.com/asg017/sqlite-vec-go-bindings/cgo"
	"github.com/mattn/go-sqlite3"

	"mcp-memory/internal/sqlite/wordrank"
)

// memoryPath names a database that lives as long as its only connection.
const memoryPath = ":memory:"

// role says what a connection is for.
type role int

const (
	plain     role = iota // copies a database, and changes nothing, not even its journal mode
	inspector             // likewise, and cannot
	reader
	writer
	migrator
)

// busyTimeout comes first: setting the journal mode needs a lock, and peers
// that start at the same moment would get an error for it.
const busyTimeout = "PRAGMA busy_timeout = 10000"

var pragmas = map[role][]string{
	plain:     {busyTimeout},
	inspector: {busyTimeout, "PRAGMA query_only = ON"},
	reader:    append([]string{busyTimeout, "PRAGMA query_only = ON", "PRAGMA foreign_keys = ON"}, tuning...),
	writer:    append([]string{busyTimeout, "PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON"}, tuning...),
	// A migration that rebuilds a table drops it, and with foreign keys on
	// that would delete all rows that refer to it.
	migrator: append([]string{busyTimeout, "PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = OFF"}, tuning...),
}

var tuning = []string{
	"PRAGMA synchronous = NORMAL",
	"PRAGMA cache_size = -64000",
	"PRAGMA temp_store = MEMORY",
	// No mmap_size: each page that is touched would map its neighbours, too,
	// and reading 10,000 entities would double the resident memory.
}

// connector opens connections of one role to one file.
type connector struct {
	path string
	role role
}

// registerExtensions makes them part of every connection opened after it.
var registerExtensions = sync.OnceFunc(func() {
	vec.Auto()
	wordrank.Register()
})

func (c connector) Connect(context.Context) (driver.Conn, error) {
	conn, err := c.open()
	if err != nil {
		return nil, err
	}
	return conn, nil
}

func (c connector) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

func (c connector) open() (*sqlite3.SQLiteConn, error) {
	registerExtensions()
	conn, err := c.Driver().Open(dsn(c.path))
	if err != nil {
		return nil, err
	}
	sqlite := conn.(*sqlite3.SQLiteConn)
	for _, pragma := range pragmas[c.role] {
		if _, err := sqlite.ExecContext(context.Background(), pragma, nil); err != nil {
			_ = sqlite.Close()
			return nil, fmt.Errorf("set %s: %w", pragma, err)
		}
	}
	return sqlite, nil
}

// dsn writes a path as a URI, in which no character of it has a meaning.
func dsn(path string) string {
	if path == memoryPath {
		return path
	}
	path = filepath.ToSlash(path)
	if filepath.VolumeName(path) != "" {
		path = "/" + path
	}
	return "file:" + strings.NewReplacer("%", "%25", "?", "%3f", "#", "%23").Replace(path)
}

// openPool makes a database/sql pool whose connections all have one role.
func openPool(path string, r role) *sql.DB { return sql.OpenDB(connector{path, r}) }
