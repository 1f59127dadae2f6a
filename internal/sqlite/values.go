package sqlite

import (
	"context"
	"database/sql"
	"fmt"
	"strings"
	"unicode/utf8"
)

// What other programs may have stored where text belongs is made text, and nothing of
// it is lost: a name of nothing becomes one with the id of its row.

// valueMender mends a database of any age, by one connection and in a transaction.
type valueMender struct {
	conn    *sql.Conn
	touched []int64 // entities whose text is another now
}

// mendTexts mends the texts of the tables that there are, and counts them.
func mendTexts(ctx context.Context, conn *sql.Conn) (mended int64, err error) {
	m := &valueMender{conn: conn}
	for _, c := range textColumns {
		n, err := m.column(ctx, c)
		if err != nil {
			return 0, fmt.Errorf("make text of each %s: %w", c.what, err)
		}
		mended += n
	}
	return mended, m.mark(ctx)
}

// oddText is a value that is no text.
type oddText struct {
	id    int64
	value any
	of    [2]any
}

func (m *valueMender) column(ctx context.Context, c textColumn) (mended int64, err error) {
	if known, err := number(ctx, m.conn, countTables, c.table); err != nil || known == 0 {
		return 0, err
	}
	var list []oddText
	err = each(ctx, m.conn, c.read(), nil, func(scan func(...any) error) error {
		var o oddText
		err := scan(&o.id, &o.value, &o.of[0], &o.of[1])
		list = append(list, o)
		return err
	})
	if err != nil {
		return 0, err
	}
	for _, o := range list {
		text := textOfValue(o.value, c.instead)
		if c.table == "entities" && c.column == "name" {
			if text, err = m.freeName(ctx, text, o.id); err != nil {
				return 0, err
			}
		}
		if err := m.put(ctx, c, o, text); err != nil {
			return 0, fmt.Errorf("%d: %w", o.id, err)
		}
	}
	return int64(len(list)), nil
}

// put stores a text. A relation that would be there twice is there already.
func (m *valueMender) put(ctx context.Context, c textColumn, o oddText, text string) error {
	result, err := m.conn.ExecContext(ctx, c.put(), text, o.id)
	if err != nil {
		return err
	}
	rows, err := result.RowsAffected()
	if err != nil {
		return err
	}
	if rows == 0 && c.table == "relations" {
		if err := run(ctx, m.conn, `DELETE FROM relations WHERE id = ?`, o.id); err != nil {
			return err
		}
	}
	for _, id := range o.of {
		if id, ok := id.(int64); ok {
			m.touched = append(m.touched, id)
		}
	}
	return nil
}

// textOfValue is a value as text, of which it can be told again what it was: bytes
// that are no text are written out.
func textOfValue(value any, instead string) string {
	switch v := value.(type) {
	case nil:
		return instead
	case []byte:
		if text := string(v); utf8.ValidString(text) && !strings.Contains(text, "\x00") {
			return text
		}
		return fmt.Sprintf("x'%X'", v)
	}
	return fmt.Sprint(value)
}

// freeName is a name that no other entity has: with the id of the entity if there is
// nothing else to tell it by.
func (m *valueMender) freeName(ctx context.Context, name string, id int64) (string, error) {
	if name = strings.TrimSpace(name); name == "" || name == unnamed {
		name = fmt.Sprintf("%s %d", unnamed, id)
	}
	for free, i := name, 0; ; i++ {
		switch {
		case i == 1:
			free = fmt.Sprintf("%s %d", name, id)
		case i > 1:
			free = fmt.Sprintf("%s %d-%d", name, id, i)
		}
		taken, err := number(ctx, m.conn, countOfName, free)
		if err != nil || taken == 0 {
			return free, err
		}
	}
}

// mark notes that the index of what changed is out of step, where there is one.
func (m *valueMender) mark(ctx context.Context) error {
	if len(m.touched) == 0 {
		return nil
	}
	for table, statement := range map[string]string{"text_outdated": markTheseAndNeighbours, "embedding_state": staleTheseAndNeighbours} {
		known, err := number(ctx, m.conn, countTables, table)
		if err != nil {
			return err
		}
		if known == 0 {
			continue
		}
		if err := run(ctx, m.conn, statement, idList(m.touched)); err != nil {
			return err
		}
	}
	return nil
}

// mendOwners gives an entity to observations that say nothing that could be one.
func mendOwners(ctx context.Context, conn *sql.Conn) (made int64, err error) {
	var owners []any
	var names []string
	err = each(ctx, conn, ownersThatAreNone, nil, func(scan func(...any) error) error {
		var name string
		var owner any
		err := scan(&name, &owner)
		names, owners = append(names, name), append(owners, owner)
		return err
	})
	if err != nil || len(owners) == 0 {
		return 0, err
	}
	m := &valueMender{conn: conn}
	// Which would note what is no id.
	trigger, err := text(ctx, conn, triggerOfOwners)
	if err != nil {
		return 0, err
	}
	if trigger != "" {
		if err := run(ctx, conn, "DROP TRIGGER mark_observation_update"); err != nil {
			return 0, err
		}
	}
	for i, owner := range owners {
		if err := m.recover(ctx, names[i], owner); err != nil {
			return 0, err
		}
	}
	if trigger != "" {
		if err := run(ctx, conn, trigger); err != nil {
			return 0, err
		}
	}
	return int64(len(owners)), m.mark(ctx)
}

// recover makes an entity for the observations that have this in the place of one.
func (m *valueMender) recover(ctx context.Context, owner string, value any) error {
	name := "Recovered observations"
	if value != nil {
		name = "Recovered entity " + owner
	}
	name, err := m.freeName(ctx, name, int64(len(m.touched)+1))
	if err != nil {
		return err
	}
	result, err := m.conn.ExecContext(ctx, insertRecovered, name)
	if err != nil {
		return err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return err
	}
	m.touched = append(m.touched, id)
	return run(ctx, m.conn, giveOwner, id, value)
}

// values mends what other programs have stored in an old database, before anything
// else reads it.
func (m *mender) values(ctx context.Context) error {
	conn, err := m.db.Conn(ctx)
	if err != nil {
		return err
	}
	defer conn.Close()
	texts, err := mendTexts(ctx, conn)
	if err != nil {
		return err
	}
	m.note("names, types and texts that were none", texts)
	var counts int64
	for _, r := range valueRemedies() {
		known, err := number(ctx, conn, countTables, r.table)
		if err != nil {
			return err
		}
		if known == 0 {
			continue
		}
		result, err := conn.ExecContext(ctx, r.statement)
		if err != nil {
			return fmt.Errorf("mend counts and times of %s: %w", r.table, err)
		}
		rows, err := result.RowsAffected()
		if err != nil {
			return err
		}
		counts += rows
	}
	m.note("rows with counts or times that were none", counts)
	return nil
}
