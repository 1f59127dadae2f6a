package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"os"
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
	closer                // likewise, and makes no file where there is none
	inspector             // likewise, and cannot
	onlooker              // likewise, and leaves the files beside the database as they are, too
	sole                  // the only one there is: it keeps others out, and fails where there are others
	user                  // reads and writes
	migrator
)

// busyTimeout comes first: setting the journal mode needs a lock, and peers
// that start at the same moment would get an error for it.
const busyTimeout = "PRAGMA busy_timeout = 10000"

var pragmas = map[role][]string{
	plain:     {busyTimeout},
	closer:    {busyTimeout},
	inspector: {busyTimeout, "PRAGMA query_only = ON"},
	onlooker:  {busyTimeout},
	// Which takes the lock if the database was in another mode, too.
	sole: {"PRAGMA journal_mode = WAL"},
	user: append([]string{busyTimeout, "PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = ON"}, tuning...),
	// A migration that rebuilds a table drops it, and with foreign keys on
	// that would delete all rows that refer to it.
	migrator: append([]string{busyTimeout, "PRAGMA journal_mode = WAL", "PRAGMA foreign_keys = OFF"}, tuning...),
}

var tuning = []string{
	"PRAGMA synchronous = NORMAL",
	"PRAGMA cache_size = -64000",
	"PRAGMA temp_store = MEMORY",
}

// manyPassages is from how many passages on connections map the database into
// memory. A search by vectors among 300,000 takes 38 ms so, and 66 ms without;
// below 100,000 it would save less than 9 ms. The price is resident memory, if
// shared: there, each connection maps the 210 MB of coarse vectors and pages beside
// them, and reading 10,000 entities would double what a server takes.
const manyPassages = 100_000

// mapDatabase sets the most that SQLite maps, 2 GiB less 64 KiB.
const mapDatabase = "PRAGMA mmap_size = 2147418112"

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
	conn, err := c.Driver().Open(dsn(c.path) + c.mode())
	if err != nil {
		return nil, err
	}
	sqlite := conn.(*sqlite3.SQLiteConn)
	if err := c.set(sqlite); err != nil {
		_ = sqlite.Close()
		return nil, err
	}
	return sqlite, nil
}

// set makes the settings of the role. A database that outgrows manyPassages is
// mapped by the connections that are opened later, so from the program's next
// start on: to embed as many takes most of an hour at least.
func (c connector) set(conn *sqlite3.SQLiteConn) error {
	for _, pragma := range pragmas[c.role] {
		if err := execute(conn, pragma); err != nil {
			return err
		}
	}
	if c.role != user || c.path == memoryPath {
		return nil
	}
	largest, err := largestPassage(conn)
	if hasCode(err, sqlite3.ErrError) {
		return nil // there is no such table: a start will make it
	}
	if err != nil {
		return fmt.Errorf("look up how many passages there are: %w", err)
	}
	if largest > manyPassages {
		return execute(conn, mapDatabase)
	}
	return nil
}

func execute(conn *sqlite3.SQLiteConn, pragma string) error {
	if _, err := conn.ExecContext(context.Background(), pragma, nil); err != nil {
		return fmt.Errorf("set %s: %w", pragma, err)
	}
	return nil
}

// largestPassage is the largest id of a passage, which is how many there are:
// rows are never deleted.
func largestPassage(conn *sqlite3.SQLiteConn) (id int64, err error) {
	rows, err := conn.QueryContext(context.Background(), maxPassage, nil)
	if err != nil {
		return 0, err
	}
	defer rows.Close()
	row := []driver.Value{int64(0)}
	if err := rows.Next(row); err != nil {
		return 0, err
	}
	return row[0].(int64), nil
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

// exclusively has the driver set the locking mode before the first statement that
// reads. Set so, WAL mode needs an exclusive lock on the file, which nobody gets
// while others have it open, even idly; set later, it locks nobody out.
const exclusively = "?_locking_mode=EXCLUSIVE&_busy_timeout=1000&" + wordrank.Without

// mode is what a URI ends with.
func (c connector) mode() string {
	switch c.role {
	case sole:
		return exclusively
	case closer:
		return "?mode=rw"
	case onlooker:
		return c.readOnly()
	}
	return ""
}

// readOnly is what the URI of an onlooker ends with.
func (c connector) readOnly() string {
	for _, suffix := range []string{"-wal", "-journal"} {
		if _, err := os.Stat(c.path + suffix); !errors.Is(err, fs.ErrNotExist) {
			return "?mode=ro"
		}
	}
	// No server has the database open, and the file is all there is. SQLite
	// would make a -wal file to read it, and leave that behind.
	return "?mode=ro&immutable=1"
}

// openPool makes a database/sql pool whose connections all have one role.
func openPool(path string, r role) *sql.DB { return sql.OpenDB(connector{path, r}) }
