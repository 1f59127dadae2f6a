package sqlite

import (
	"context"
	"database/sql/driver"

	"github.com/mattn/go-sqlite3"
)

// single is one connection as a source of connections: the same again and again.
type single struct{ conn *sqlite3.SQLiteConn }

func (s single) Connect(context.Context) (driver.Conn, error) { return s.conn, nil }

func (s single) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

// nested lends one connection, on which a transaction is open, to code that
// wants to begin transactions of its own: they become savepoints. So all steps
// of a migration succeed or fail as one.
type nested struct{ conn *sqlite3.SQLiteConn }

func (n nested) Connect(context.Context) (driver.Conn, error) { return nestedConn{n.conn}, nil }

func (n nested) Driver() driver.Driver { return &sqlite3.SQLiteDriver{} }

type nestedConn struct{ *sqlite3.SQLiteConn }

// Close leaves the connection to its owner.
func (nestedConn) Close() error { return nil }

func (c nestedConn) Begin() (driver.Tx, error) {
	return c.BeginTx(context.Background(), driver.TxOptions{})
}

func (c nestedConn) BeginTx(ctx context.Context, _ driver.TxOptions) (driver.Tx, error) {
	if _, err := c.ExecContext(ctx, "SAVEPOINT step", nil); err != nil {
		return nil, err
	}
	return savepoint{c.SQLiteConn}, nil
}

type savepoint struct{ conn *sqlite3.SQLiteConn }

func (s savepoint) Commit() error {
	_, err := s.conn.ExecContext(context.Background(), "RELEASE step", nil)
	return err
}

func (s savepoint) Rollback() error {
	_, err := s.conn.ExecContext(context.Background(), "ROLLBACK TO step; RELEASE step", nil)
	return err
}
