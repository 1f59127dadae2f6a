package memory

import (
	"context"
	"log/slog"
	"sync/atomic"

	"mcp-memory/internal/rank"
)

// Service is the memory's use cases. It is safe for concurrent use.
type Service struct {
	store    Store
	embedder Embedder
	log      *slog.Logger
	texts    *refresher
	indexer  *indexer
	usage    *usageRecorder
	ranking  rank.Settings
	entities atomic.Int64 // how many there were in the last search; 0 is unknown
}

// Options are what New takes besides its dependencies.
type Options struct {
	Logger  *slog.Logger   // nothing is logged when nil
	Ranking *rank.Settings // nil is those of multilingual-e5-small
}

// New makes a service. Vectors are computed only between Start and Close.
func New(store Store, embedder Embedder, o Options) *Service {
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Ranking == nil {
		o.Ranking = &rank.E5Small
	}
	texts := newRefresher(store, o.Logger)
	return &Service{
		store:    store,
		texts:    texts,
		embedder: embedder,
		log:      o.Logger,
		indexer:  newIndexer(store, texts, embedder, o.Logger),
		usage:    newUsageRecorder(store, o.Logger),
		ranking:  *o.Ranking,
	}
}

// Start begins the background work: vectors for what has none. It ends when
// ctx does, or with Close.
func (s *Service) Start(ctx context.Context) { s.indexer.start(ctx) }

// rewarm has a model that was dropped for lack of use come back in the
// background: whoever reads may soon search.
func (s *Service) rewarm() {
	if s.embedder.ModelID() != "" {
		s.embedder.Warm()
	}
}

// Close ends the background work and writes what usage is still unwritten.
// The store must stay open until it returns.
func (s *Service) Close() {
	s.indexer.stop()
	s.usage.close()
}
