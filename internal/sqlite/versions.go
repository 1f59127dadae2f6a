package sqlite

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
)

// isComplete reports whether nothing is missing of the schema that this program makes,
// but for the table of versions, and no trigger is another.
func isComplete(ctx context.Context, conn *sql.Conn) (bool, error) {
	want, err := newSchema()
	if err != nil {
		return false, err
	}
	have, err := readSchema(ctx, conn)
	if err != nil {
		return false, err
	}
	for _, o := range want {
		if o.name != "table goose_db_version" && o.in(have) != present {
			return false, nil
		}
	}
	return true, nil
}

// noteVersions notes all migrations as applied where that note is gone and the schema
// proves it. It reports false, and changes nothing, if it does not.
func (m *migration) noteVersions(ctx context.Context) (bool, error) {
	if !m.state.unnoted {
		return false, nil
	}
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return false, err
	}
	complete, err := isComplete(ctx, conn)
	if err := conn.Close(); err != nil {
		return false, err
	}
	if err != nil || !complete {
		return false, err
	}
	if err := run(ctx, m.db, forgetVersions); err != nil {
		return false, fmt.Errorf("make way for the versions: %w", err)
	}
	provider, err := m.provider()
	if err != nil {
		return false, err
	}
	if _, err := provider.GetDBVersion(ctx); err != nil { // which makes the table
		return false, fmt.Errorf("make the table of versions: %w", err)
	}
	var versions []int64
	for _, s := range provider.ListSources() {
		versions = append(versions, s.Version)
	}
	list, err := json.Marshal(versions)
	if err != nil {
		return false, err
	}
	if err := run(ctx, m.db, noteVersions, string(list)); err != nil {
		return false, fmt.Errorf("note the versions: %w", err)
	}
	return true, run(ctx, m.db, "COMMIT")
}
