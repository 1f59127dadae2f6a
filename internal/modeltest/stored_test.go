package modeltest_test

import (
	"database/sql"
	"errors"
	"fmt"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// long is a time long past: what is made or changed after it was noted shows.
const long = "2001-02-03 04:05:06"

// storedEntity is an entity as its rows tell it.
type storedEntity struct {
	Name, Kind    string
	Made, Touched bool // after the times were set back
	Observations  []storedObservation
}

type storedObservation struct {
	Content string
	Made    bool
}

type storedGraph struct {
	Entities  []storedEntity
	Relations []link
}

// look compares, after a batch of calls, all that is stored, and verifies the file.
func (w *world) look(t *rapid.T) {
	const batch = 150
	calls := w.counts.sum().calls
	if calls < w.looked+batch {
		return
	}
	w.looked = calls
	if err := errors.Join(w.stored(), w.verify(false)); err != nil {
		t.Fatal(err)
	}
}

// stored compares the rows of entities, observations and relations, and sets their
// times back, so that the next time shows which were made or changed since.
func (w *world) stored() error {
	db, err := sql.Open("sqlite3", "file:"+w.path()+"?_busy_timeout=10000")
	if err != nil {
		return err
	}
	defer db.Close()
	w.looks++
	db.SetMaxOpenConns(1)
	got, err := readGraph(db)
	if err != nil {
		return fmt.Errorf("read what is stored: %w", err)
	}
	if diff := cmp.Diff(w.graph.stored(), got); diff != "" {
		return fmt.Errorf("stored (-want +got):\n%s", diff)
	}
	for _, statement := range []string{"UPDATE entities SET created_at = ?1, updated_at = ?1", "UPDATE observations SET created_at = ?1"} {
		if _, err := db.Exec(statement, long); err != nil {
			return fmt.Errorf("set times back: %w", err)
		}
	}
	w.graph.setBack()
	return nil
}

func readGraph(db *sql.DB) (g storedGraph, err error) {
	places := map[int64]int{} // of entities, by their ids
	err = each(db, "SELECT id, name, entity_type, created_at <> ?, updated_at <> ? FROM entities ORDER BY id", func(scan func(...any) error) error {
		var id int64
		var e storedEntity
		err := scan(&id, &e.Name, &e.Kind, &e.Made, &e.Touched)
		places[id] = len(g.Entities)
		g.Entities = append(g.Entities, e)
		return err
	}, long, long)
	if err != nil {
		return g, err
	}
	err = each(db, "SELECT entity_id, content, created_at <> ? FROM observations ORDER BY id", func(scan func(...any) error) error {
		var id int64
		var o storedObservation
		if err := scan(&id, &o.Content, &o.Made); err != nil {
			return err
		}
		i, ok := places[id]
		if !ok {
			return fmt.Errorf("an observation of no entity: %q", o.Content)
		}
		g.Entities[i].Observations = append(g.Entities[i].Observations, o)
		return nil
	}, long)
	if err != nil {
		return g, err
	}
	return g, each(db, "SELECT from_entity, to_entity, relation_type FROM relations ORDER BY id", func(scan func(...any) error) error {
		var from, to int64
		var l link
		if err := scan(&from, &to, &l.Kind); err != nil {
			return err
		}
		i, ok := places[from]
		j, okToo := places[to]
		if !ok || !okToo {
			return fmt.Errorf("a relation of no entity: %d %s %d", from, l.Kind, to)
		}
		l.From, l.To = g.Entities[i].Name, g.Entities[j].Name
		g.Relations = append(g.Relations, l)
		return nil
	})
}

func each(db *sql.DB, query string, row func(scan func(...any) error) error, args ...any) error {
	rows, err := db.Query(query, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		if err := row(rows.Scan); err != nil {
			return err
		}
	}
	return rows.Err()
}

// stored is what should be.
func (g *graph) stored() (s storedGraph) {
	for _, e := range g.entities {
		stored := storedEntity{Name: e.name, Kind: e.kind, Made: e.made, Touched: e.touched}
		for _, o := range e.observations {
			stored.Observations = append(stored.Observations, storedObservation{o, e.noted[o]})
		}
		s.Entities = append(s.Entities, stored)
	}
	for _, r := range g.relations {
		s.Relations = append(s.Relations, r.link())
	}
	return s
}

func (g *graph) setBack() {
	for _, e := range g.entities {
		e.made, e.touched = false, false
		clear(e.noted)
	}
}
