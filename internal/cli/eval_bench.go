package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"

	"mcp-memory/internal/evaluation"
	"mcp-memory/internal/memory"
	"mcp-memory/internal/onnx"
	"mcp-memory/internal/rank"
	"mcp-memory/internal/sqlite"
)

// evaluate makes a memory of the set and asks its questions with each ranking.
func evaluate(ctx context.Context, s settings, o evalOptions, set evaluation.Set, rankings []ranking, errw io.Writer) (evalReport, error) {
	b, err := newBench(s, errw)
	if err != nil {
		return evalReport{}, err
	}
	defer b.close()
	path, err := o.database(b.dir)
	if err != nil {
		return evalReport{}, err
	}
	if err := b.build(ctx, path, set); err != nil {
		return evalReport{}, err
	}
	report := evalReport{Entities: len(set.Entities), Relations: len(set.Relations), Model: b.engine.ModelID()}
	for _, r := range rankings {
		run, err := b.ask(ctx, path, r.settings, set.Questions, o.run)
		if err != nil {
			return evalReport{}, err
		}
		report.add(r, run)
	}
	return report, report.compare()
}

// database returns where to make the database.
func (o evalOptions) database(dir string) (string, error) {
	if o.keep == "" {
		return filepath.Join(dir, "memory.db"), nil
	}
	path, err := expand(o.keep)
	if err != nil {
		return "", fmt.Errorf("--keep: %w", err)
	}
	switch _, err = os.Lstat(path); {
	case err == nil:
		return "", fmt.Errorf("--keep: there is a file %s already", path)
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("--keep: %w", err)
	}
	return path, nil
}

// bench makes memories in a folder of its own and asks them, with one model.
type bench struct {
	dir      string
	log      *slog.Logger
	engine   *onnx.Engine
	progress *tenths
}

func newBench(s settings, errw io.Writer) (bench, error) {
	dir, err := os.MkdirTemp("", "mcp-memory-eval-")
	if err != nil {
		return bench{}, fmt.Errorf("making a folder for the database: %w", err)
	}
	log := s.logger(errw)
	return bench{
		dir: dir, log: log, progress: &tenths{w: errw},
		engine: onnx.New(onnx.Options{ModelDir: s.modelDir, Library: s.library, Logger: log}),
	}, nil
}

func (b bench) close() {
	b.engine.Close()
	os.RemoveAll(b.dir)
}

// build makes the database, with all its vectors.
func (b bench) build(ctx context.Context, path string, set evaluation.Set) error {
	if err := b.engine.Load(ctx); err != nil { // before work that is in vain
		if errors.Is(err, memory.ErrNoModel) {
			err = fmt.Errorf("%w: run `mcp-memory model download`", err)
		}
		return err
	}
	return b.change(ctx, path, func(service *memory.Service) error { return b.fill(ctx, service, set) })
}

// change changes a database and brings its vectors up to date.
func (b bench) change(ctx context.Context, path string, f func(*memory.Service) error) error {
	return b.with(ctx, path, memory.Options{Logger: b.log}, func(service *memory.Service) error {
		service.Start(ctx)
		if err := f(service); err != nil {
			return err
		}
		return service.Settle(memory.WithProgress(ctx, func(done, total int, message string) {
			b.progress.update(message, done, total)
		}))
	})
}

// fillBatch is how many entities are created in one call.
const fillBatch = 100

func (b bench) fill(ctx context.Context, service *memory.Service, set evaluation.Set) error {
	for from := 0; from < len(set.Entities); from += fillBatch {
		to := min(from+fillBatch, len(set.Entities))
		if _, err := service.CreateEntities(ctx, set.Entities[from:to]); err != nil {
			return fmt.Errorf("creating entities: %w", err)
		}
		b.progress.update("creating entities", to, len(set.Entities))
	}
	results, err := service.CreateRelations(ctx, set.Relations)
	if err != nil {
		return fmt.Errorf("creating relations: %w", err)
	}
	for _, r := range results {
		if r.Err != nil {
			return fmt.Errorf("creating the relation of %s to %s: %w", r.Relation.From, r.Relation.To, r.Err)
		}
	}
	return nil
}

// ask asks a copy of a database that has all its vectors: what is asked is
// remembered as used, and every run begins without. No work goes on behind the
// searches that are timed.
func (b bench) ask(ctx context.Context, path string, settings rank.Settings, questions []evaluation.Question, o evaluation.RunOptions) (run evaluation.Run, err error) {
	copied, err := b.copyOf(path)
	if err != nil {
		return nil, err
	}
	o.Progress = func(done, total int) { b.progress.update("asking", done, total) }
	err = b.with(ctx, copied, memory.Options{Logger: b.log, Ranking: &settings}, func(service *memory.Service) error {
		run, err = evaluation.Ask(ctx, searcher{service}, questions, o)
		return err
	})
	return run, errors.Join(err, os.Remove(copied))
}

// with calls f with the memory at path.
func (b bench) with(ctx context.Context, path string, o memory.Options, f func(*memory.Service) error) error {
	db, err := sqlite.Open(ctx, path, sqlite.Options{Logger: b.log})
	if err != nil {
		return err
	}
	service := memory.New(db, b.engine, o)
	err = f(service)
	service.Close()
	return errors.Join(err, db.Close())
}

// searcher is search by meaning, to be measured.
type searcher struct{ service *memory.Service }

func (s searcher) Search(ctx context.Context, question string, limit int) ([]evaluation.Found, error) {
	result, err := s.service.SearchSemantic(ctx, memory.Question{Query: question, Limit: limit})
	if err != nil {
		return nil, err
	}
	found := make([]evaluation.Found, len(result.Hits))
	for i, hit := range result.Hits {
		found[i] = evaluation.Found{
			Name: hit.Entity.Name, Evidence: hit.Evidence, Gap: hit.Gap, Relevance: hit.Relevance, Weak: hit.Weak,
		}
	}
	return found, nil
}

// copyOf copies a database that nobody has open to the bench's folder.
func (b bench) copyOf(path string) (string, error) {
	in, err := os.Open(path)
	if err != nil {
		return "", fmt.Errorf("copying the database: %w", err)
	}
	defer in.Close()
	out, err := os.CreateTemp(b.dir, "copy-*.db")
	if err != nil {
		return "", fmt.Errorf("copying the database: %w", err)
	}
	if _, err := io.Copy(out, in); err != nil {
		return "", errors.Join(fmt.Errorf("copying the database: %w", err), out.Close())
	}
	return out.Name(), out.Close()
}

// tenths writes a line for each tenth of some work.
type tenths struct {
	w    io.Writer
	what string
	done int // of ten
}

func (t *tenths) update(what string, done, total int) {
	now := 10 * done / max(total, 1)
	if what != t.what || now < t.done {
		t.what, t.done = what, 0
	}
	if now > t.done {
		t.done = now
		fmt.Fprintf(t.w, "%s: %d of %d\n", what, done, total)
	}
}
