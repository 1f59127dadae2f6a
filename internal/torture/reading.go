package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync/atomic"
	"time"
)

// readPause is what a client that reads does something else for.
const readPause = 20 * time.Millisecond

// reader is a client that searches for what was there before all else.
type reader struct {
	server     *server
	name       string
	measured   times
	incomplete int
}

// importAmongReaders has one server import while the clients of others search, who must
// find what was there before, however much is not indexed yet. For comparison they
// search before that, too.
func (r *run) importAmongReaders(ctx context.Context) error {
	size := hugeSize / 5
	if r.Rounds > 0 {
		size = largeSize
	}
	file, content, err := r.writeImport(size)
	if err != nil {
		return err
	}
	db, err := r.newDatabase()
	if err != nil {
		return err
	}
	importer, err := r.serve(ctx, setup{db: db})
	if err != nil {
		return err
	}
	readers := make([]*reader, servers/2)
	for i := range readers {
		v, err := r.serve(ctx, setup{db: db})
		if err != nil {
			return err
		}
		readers[i] = &reader{server: v, name: fmt.Sprintf("old/%d", i)}
		if _, err := v.call(ctx, "create_entities", map[string]any{"entities": []newEntity{{Name: readers[i].name, Type: new("Note"), Observations: []string{}}}}); err != nil {
			return err
		}
		content.entities[readers[i].name] = entity{"Note", nil}
	}
	idle := func() error { return pause(ctx, time.Second) }
	if err := r.readDuring(ctx, "search_nodes of four clients, nothing else going on", readers, idle); err != nil {
		return err
	}
	load := func() error {
		_, err := importer.call(ctx, "migrate", map[string]any{"source_path": file})
		return err
	}
	if err := r.readDuring(ctx, fmt.Sprintf("the same while another server imports %d records", 2*size), readers, load); err != nil {
		return err
	}
	for _, v := range readers {
		if err := v.server.stop(); err != nil {
			return err
		}
	}
	if err := importer.stop(); err != nil {
		return err
	}
	stored, err := readState(ctx, db)
	if err != nil {
		return err
	}
	if err := same("after an import among readers", content, stored); err != nil {
		return err
	}
	return verify(ctx, db)
}

// readDuring has clients search until something is done.
func (r *run) readDuring(ctx context.Context, what string, readers []*reader, something func() error) error {
	var over atomic.Bool
	work := []func() error{func() error {
		defer over.Store(true)
		return something()
	}}
	for _, v := range readers {
		v.measured, v.incomplete = nil, 0
		work = append(work, func() error { return v.readUntil(ctx, &over) })
	}
	if err := together(work...); err != nil {
		return err
	}
	var all times
	incomplete := 0
	for _, v := range readers {
		all = slices.Concat(all, v.measured)
		incomplete += v.incomplete
	}
	r.row(what, "%v, of which %d said that they are incomplete", all, incomplete)
	return nil
}

func (v *reader) readUntil(ctx context.Context, over *atomic.Bool) error {
	for !over.Load() {
		began := time.Now()
		raw, err := v.server.call(ctx, "search_nodes", map[string]any{"query": v.name})
		if err != nil {
			return err
		}
		v.measured = append(v.measured, time.Since(began))
		var f struct {
			found
			Incomplete bool
		}
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
		if len(f.Entities) != 1 || f.Entities[0].Name != v.name {
			return fmt.Errorf("search_nodes during an import finds %d entities for %q, want only that", len(f.Entities), v.name)
		}
		if f.Incomplete {
			v.incomplete++
		}
		if err := pause(ctx, readPause); err != nil {
			return err
		}
	}
	return nil
}
