package torture

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"net/url"
	"strings"

	_ "github.com/mattn/go-sqlite3" // reads the file past the program

	"mcp-memory/internal/sqlite"
)

// open opens a database past the program, as another one would. What only reads
// leaves it to the program to recover what was killed, and to clean up.
func open(path, mode string) (*sql.DB, error) {
	return sql.Open("sqlite3", (&url.URL{Scheme: "file", Path: path, RawQuery: "_busy_timeout=10000&mode=" + mode}).String())
}

// readState reads what the documented tables hold. It fails on what is there
// twice or belongs to nothing.
func readState(ctx context.Context, path string) (s state, err error) {
	db, err := open(path, "ro")
	if err != nil {
		return s, err
	}
	defer db.Close()
	tx, err := db.BeginTx(ctx, &sql.TxOptions{ReadOnly: true})
	if err != nil {
		return s, fmt.Errorf("read the database: %w", err)
	}
	defer tx.Rollback() //nolint:errcheck // it only read
	s = newState()
	names := map[int64]string{}
	err = each(ctx, tx, "SELECT id, name, entity_type FROM entities ORDER BY id", func(row *sql.Rows) error {
		var id int64
		var name, kind string
		err := row.Scan(&id, &name, &kind)
		if _, twice := s.entities[name]; twice {
			return fmt.Errorf("entity %q is there twice", name)
		}
		names[id], s.entities[name] = name, entity{Type: kind}
		return err
	})
	if err != nil {
		return s, err
	}
	err = each(ctx, tx, "SELECT entity_id, content FROM observations ORDER BY id", func(row *sql.Rows) error {
		var id int64
		var content string
		err := row.Scan(&id, &content)
		name, there := names[id]
		if !there {
			return fmt.Errorf("observation %.60q belongs to no entity", content)
		}
		e := s.entities[name]
		e.Observations = append(e.Observations, content)
		s.entities[name] = e
		return err
	})
	if err != nil {
		return s, err
	}
	err = each(ctx, tx, "SELECT from_entity, to_entity, relation_type FROM relations", func(row *sql.Rows) error {
		var from, to int64
		var r relation
		err := row.Scan(&from, &to, &r.Type)
		r.From, r.To = names[from], names[to]
		switch {
		case r.From == "" || r.To == "":
			return fmt.Errorf("relation %d -> %d lacks an end", from, to)
		case s.relations[r]:
			return fmt.Errorf("relation %v is there twice", r)
		}
		s.relations[r] = true
		return err
	})
	return s, err
}

// each calls fn for every row of a query.
func each(ctx context.Context, tx *sql.Tx, query string, fn func(*sql.Rows) error) error {
	rows, err := tx.QueryContext(ctx, query)
	if err != nil {
		return fmt.Errorf("read the database: %w", err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := fn(rows); err != nil {
			return err
		}
	}
	return rows.Err()
}

// verify compares everything in the file that is made from something else with
// what it is made from.
func verify(ctx context.Context, path string) error {
	report, err := sqlite.Verify(ctx, path)
	if err != nil {
		return fmt.Errorf("verify the database: %w", err)
	}
	if report.OK() {
		return nil
	}
	var list []string
	for _, f := range report.Findings {
		list = append(list, fmt.Sprintf("%s: %d, such as %q", f.Check, f.Count, f.Examples))
	}
	return errors.New("the database is not well:\n  " + strings.Join(list, "\n  "))
}

// number runs a query that answers with one number.
func number(ctx context.Context, path, query string) (n int64, err error) {
	db, err := open(path, "ro")
	if err != nil {
		return 0, err
	}
	defer db.Close()
	if err := db.QueryRowContext(ctx, query).Scan(&n); err != nil {
		return 0, fmt.Errorf("%s: %w", query, err)
	}
	return n, nil
}
