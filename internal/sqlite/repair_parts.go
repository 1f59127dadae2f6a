package sqlite

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"mcp-memory/gen/db"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/neutral"
	"mcp-memory/internal/passage"
)

// schema makes what is missing as a new database has it, and triggers that are
// others.
func (r *repairer) schema(ctx context.Context) error {
	if err := r.storage(ctx); err != nil {
		return err
	}
	want, err := newSchema()
	if err != nil {
		return err
	}
	have, err := readSchema(ctx, r.conn)
	if err != nil {
		return err
	}
	for _, o := range want {
		switch o.in(have) {
		case missing:
			err = run(ctx, r.conn, o.statement)
		case another:
			err = r.all(ctx, "DROP "+o.name, o.statement)
		}
		if err != nil {
			return fmt.Errorf("make %s: %w", o.name, err)
		}
	}
	keys, err := missingKeys(ctx, r.conn)
	if err != nil {
		return err
	}
	for _, k := range keys {
		if err := makeKey(ctx, r.conn, k); err != nil {
			return err
		}
	}
	return nil
}

// metadata notes what is known anyway. The form of the index is noted when that
// was made anew, as nobody knows which it has.
func (r *repairer) metadata(ctx context.Context) error {
	version := db.PutMetadataParams{Key: "schema_version", Value: strconv.FormatInt(LatestVersion(), 10)}
	if err := errors.Join(r.q.PutMetadata(ctx, version), r.all(ctx, putMigrationTime)); err != nil {
		return err
	}
	format, err := r.q.Metadata(ctx, indexFormatKey)
	if err != nil {
		return err
	}
	if format == "" {
		if err := r.index(ctx); err != nil {
			return err
		}
	}
	noted, err := r.q.Metadata(ctx, modelKey)
	if err != nil || noted != "" {
		return err
	}
	return r.noteModel(ctx)
}

// noteModel notes the model that made most vectors.
func (r *repairer) noteModel(ctx context.Context) error {
	return each(ctx, r.conn, modelMostUsed, nil, func(scan func(...any) error) error {
		var model string
		if err := scan(&model); err != nil {
			return err
		}
		note := modelNote{strings.TrimSuffix(model, vectorForm), memory.Dimensions, passage.FormatVersion}
		value, err := json.Marshal(note)
		if err != nil {
			return err
		}
		return r.q.PutMetadata(ctx, db.PutMetadataParams{Key: modelKey, Value: string(value)})
	})
}

func (r *repairer) foreignKeys(ctx context.Context) error {
	columns, err := number(ctx, r.conn, countSupersedings)
	if err != nil {
		return err
	}
	if columns > 0 {
		err = run(ctx, r.conn, forgetMissingSuperseded)
	}
	return errors.Join(err, r.all(ctx, forgetUnknownModels), r.vectors(ctx))
}

// index makes the index anew: what does not show by itself that it is wrong goes,
// and everything is marked.
func (r *repairer) index(ctx context.Context) error {
	if r.rebuilt {
		return nil
	}
	r.rebuilt = true
	t := writeTx{readTx: readTx{q: r.q}, conn: r.conn}
	for _, d := range derived {
		if d.ofVectors() {
			continue
		}
		if err := r.remake(ctx, d.name); err != nil {
			return fmt.Errorf("make %s anew: %w", d.name, err)
		}
	}
	if err := r.all(ctx, freeOddPassages, forgetModelsOfFree, outdateFarPassages, deleteFarPassages, fillPassageGaps, markTextsOfNone, markPassagesOfNone); err != nil {
		return err
	}
	return errors.Join(r.q.AllOutdated(ctx), t.noteIndexFormat(ctx))
}

// vectors makes the coarse vectors anew, and gives up exact ones that are of no
// use: a server computes those again.
func (r *repairer) vectors(ctx context.Context) error {
	if r.coarse {
		return nil
	}
	r.coarse = true
	if err := run(ctx, r.conn, forgetVectors, idList(r.found.bad)); err != nil {
		return err
	}
	if err := errors.Join(r.all(ctx, deleteVectorsOfNone), r.remake(ctx, "passage_embeddings")); err != nil {
		return err
	}
	for after := int64(0); ; {
		rows, err := r.vectorsAfter(ctx, after)
		if err != nil || len(rows) == 0 {
			return err
		}
		for _, row := range rows {
			after = row.id
			if err := r.derive(ctx, row); err != nil {
				return fmt.Errorf("vector of passage %d: %w", row.id, err)
			}
		}
	}
}

func (r *repairer) vectorsAfter(ctx context.Context, after int64) (rows []vectorRow, err error) {
	err = each(ctx, r.conn, vectorsAfter, []any{after, indexPage}, func(scan func(...any) error) error {
		var row vectorRow
		err := scan(&row.id, &row.model, &row.exact)
		rows = append(rows, row)
		return err
	})
	return rows, err
}

// derive stores what follows from an exact vector, or gives that up if it is not
// known what follows.
func (r *repairer) derive(ctx context.Context, row vectorRow) error {
	if !isOfForm(row.model, vectorForm) || len(row.exact) != 4*memory.Dimensions || !isDirection(vectorOf(row.exact)) {
		return errors.Join(run(ctx, r.conn, forgetVectors, idList([]int64{row.id})), r.q.DeletePassageVector(ctx, row.id))
	}
	space, exact := neutral.E5Small(), vectorOf(row.exact)
	free := space.Passage(exact)
	return errors.Join(
		r.q.PutPassageVector(ctx, db.PutPassageVectorParams{PassageID: row.id, NeutralLength: space.Length(exact, free), Embedding: row.exact}),
		r.q.InsertCoarse(ctx, db.InsertCoarseParams{PassageID: row.id, Embedding: coarse(free)}))
}

// remake makes a table anew, empty.
func (r *repairer) remake(ctx context.Context, table string) error {
	var statement string
	if err := r.conn.QueryRowContext(ctx, statementOf, table).Scan(&statement); err != nil {
		return err
	}
	// FTS5 refuses to open, and so to drop, a table without it.
	if known, err := number(ctx, r.conn, countTables, table+"_config"); err != nil {
		return err
	} else if known > 0 {
		if err := run(ctx, r.conn, fmt.Sprintf(noteFTSVersion, table)); err != nil {
			return err
		}
	}
	return r.all(ctx, "DROP TABLE "+table, statement)
}
