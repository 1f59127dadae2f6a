package torture

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// An import has so many entities, and as many relations. The index of a large one has
// transactions of its own, during which others write.
const (
	importSize = 500
	largeSize  = 2_500
	hugeSize   = 50_000
)

// imports kills servers in the middle of an import, which must be there whole or
// not at all; the next import of the same file completes it.
func (r *run) imports(ctx context.Context, c clock) error {
	random := r.random(300)
	kills, whole := 0, 0
	duration := time.Second // of an import, as measured last
	for round := 0; c.goesOn(round); round++ {
		file, content, err := r.writeImport([]int{importSize, largeSize}[round%2])
		if err != nil {
			return err
		}
		db, err := r.newDatabase()
		if err != nil {
			return err
		}
		w := newWorker(newAuthor("own/", random), setup{db: db})
		if err := r.revive(ctx, w); err != nil {
			return err
		}
		if err := w.write(ctx, 10, 1); err != nil {
			return err
		}
		before := w.ahead.clone()
		w.server.send("migrate", map[string]any{"source_path": file})
		if err := pause(ctx, time.Duration(random.Int64N(int64(duration)))); err != nil {
			return err
		}
		w.server.kill()
		kills++
		stored, err := readState(ctx, db)
		if err != nil {
			return err
		}
		after := before.clone()
		maps.Copy(after.entities, content.entities)
		maps.Copy(after.relations, content.relations)
		if len(differences(after, stored)) == 0 {
			whole++
		} else if err := same("after a kill in an import: neither as before nor as after it", before, stored); err != nil {
			return err
		}
		began := time.Now()
		if err := r.importAgain(ctx, db, file, after); err != nil {
			return err
		}
		duration = time.Since(began)
	}
	r.row(fmt.Sprintf("servers killed while importing %d or %d records", 2*importSize, 2*largeSize),
		"%d; %d imports were there whole, %d not at all", kills, whole, kills-whole)
	if err := r.importAmongReaders(ctx); err != nil {
		return err
	}
	return r.importAmongWriters(ctx)
}

// importAmongWriters has one server import while another one's client writes, whose
// every call must succeed.
func (r *run) importAmongWriters(ctx context.Context) error {
	size := hugeSize
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
	writer, err := r.serve(ctx, setup{db: db})
	if err != nil {
		return err
	}
	importer, err := r.serve(ctx, setup{db: db})
	if err != nil {
		return err
	}
	imported := make(chan error, 1)
	began := time.Now()
	go func() {
		_, err := importer.call(ctx, "migrate", map[string]any{"source_path": file})
		imported <- err
	}()
	var waits times
	for over := false; !over; {
		select {
		case err := <-imported:
			if err != nil {
				return err
			}
			over = true
		default:
		}
		name := fmt.Sprintf("own/%d", len(waits))
		call := time.Now()
		if _, err := writer.call(ctx, "create_entities", map[string]any{"entities": []newEntity{{Name: name, Type: new("Note"), Observations: []string{}}}}); err != nil {
			return err
		}
		waits = append(waits, time.Since(call))
		content.entities[name] = entity{"Note", nil}
	}
	took := time.Since(began)
	if err := errors.Join(writer.stop(), importer.stop()); err != nil {
		return err
	}
	stored, err := readState(ctx, db)
	if err != nil {
		return err
	}
	if err := same("after an import among writers", content, stored); err != nil {
		return err
	}
	r.row(fmt.Sprintf("writes while another server imports %d records", 2*size),
		"%d in %.1f s, failed 0; the longest waited %.1f s", len(waits), took.Seconds(), slices.Max(waits).Seconds())
	return verify(ctx, db)
}

// importAgain completes an import, and does it once more, which changes nothing.
func (r *run) importAgain(ctx context.Context, db, file string, want state) error {
	v, err := r.serve(ctx, setup{db: db})
	if err != nil {
		return err
	}
	for range 2 {
		if _, err := v.call(ctx, "migrate", map[string]any{"source_path": file}); err != nil {
			return err
		}
		stored, err := readState(ctx, db)
		if err != nil {
			return err
		}
		if err := same("after the import", want, stored); err != nil {
			return err
		}
	}
	if err := v.stop(); err != nil {
		return err
	}
	if err := verify(ctx, db); err != nil {
		return err
	}
	return os.RemoveAll(filepath.Dir(db))
}

// writeImport writes a file of the official server's kind, relations first.
func (r *run) writeImport(size int) (path string, content state, err error) {
	content = newState()
	var lines bytes.Buffer
	encoder := json.NewEncoder(&lines)
	name := func(n int) string { return fmt.Sprintf("imported/%d", n%size) }
	for n := range size {
		link := relation{name(n), name(n + 1), "precedes"}
		content.relations[link] = true
		if err := encoder.Encode(map[string]string{"type": "relation", "from": link.From, "to": link.To, "relationType": link.Type}); err != nil {
			return "", content, err
		}
	}
	for n := range size {
		e := entity{"Page", []string{fmt.Sprintf("page %d of the log", n), "the harbour opens at seven"}}
		content.entities[name(n)] = e
		record := map[string]any{"type": "entity", "name": name(n), "entityType": e.Type, "observations": e.Observations}
		if err := encoder.Encode(record); err != nil {
			return "", content, err
		}
	}
	path = filepath.Join(r.dir, "memory.jsonl")
	return path, content, os.WriteFile(path, lines.Bytes(), 0o644)
}
