package httpserver

import (
	"context"
	"net/http"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"mcp-memory/internal/mcpserver"
	"mcp-memory/internal/memory"
)

// countTimeout is how long a scrape may count what the memory holds.
const countTimeout = 5 * time.Second

// Metrics counts what the server does. Its labels come from fixed lists.
type Metrics struct {
	registry *prometheus.Registry
	requests *prometheus.CounterVec
	calls    *prometheus.HistogramVec
}

// NewMetrics makes metrics that start at nothing.
func NewMetrics() *Metrics {
	m := &Metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "mcp_memory_http_requests_total", Help: "HTTP requests that were answered.",
		}, []string{"path", "method", "status"}),
		calls: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name: "mcp_memory_tool_call_seconds", Help: "Tool calls and how long they ran.",
			Buckets: []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10, 60},
		}, []string{"tool", "outcome"}),
	}
	m.registry.MustRegister(m.requests, m.calls,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

// Call counts a call of a tool: it is an observer for mcpserver.WithObserver.
func (m *Metrics) Call(c mcpserver.Call) {
	m.calls.WithLabelValues(c.Tool, string(c.Outcome)).Observe(c.Took.Seconds())
}

func (m *Metrics) request(path, method string, status int) {
	m.requests.WithLabelValues(path, method, strconv.Itoa(status)).Inc()
}

// handler answers with all metrics, those of a memory and of MCP's clients included.
func (m *Metrics) handler(content Memory, load func() mcpserver.Load) http.Handler {
	m.registry.MustRegister(&gauges{content, load})
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{ErrorHandling: promhttp.ContinueOnError, MaxRequestsInFlight: 4})
}

// Memory is what health and metrics ask of a memory; *memory.Service is one.
type Memory interface {
	// Readable returns an error when the memory cannot be read.
	Readable(ctx context.Context) error
	Count(ctx context.Context) (memory.Counts, error)
	ModelReady() bool
}

// gauges are taken when somebody asks.
type gauges struct {
	content Memory
	load    func() mcpserver.Load
}

func gauge(name, help string) *prometheus.Desc {
	return prometheus.NewDesc("mcp_memory_"+name, help, nil, nil)
}

var (
	requestsGauge = gauge("mcp_requests", "MCP messages that are carried out, or wait for their turn.")
	sessionsGauge = gauge("mcp_sessions", "MCP sessions that are open.")
	streamsGauge  = gauge("mcp_streams", "Streams on which MCP clients listen.")
	modelGauge    = gauge("model_loaded", "1 while the embedding model is in memory.")
	entities      = gauge("entities", "Entities stored.")
	observations  = gauge("observations", "Observations stored.")
	relations     = gauge("relations", "Relations stored.")
	waiting       = gauge("passages_waiting", "Passages that wait for their vector.")
)

// Describe implements prometheus.Collector.
func (g *gauges) Describe(out chan<- *prometheus.Desc) { prometheus.DescribeByCollect(g, out) }

// Collect implements prometheus.Collector. What cannot be counted now is left out.
func (g *gauges) Collect(out chan<- prometheus.Metric) {
	set := func(desc *prometheus.Desc, value int) {
		out <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(value))
	}
	load := g.load()
	set(requestsGauge, load.Requests)
	set(sessionsGauge, load.Sessions)
	set(streamsGauge, load.Streams)
	loaded := 0
	if g.content.ModelReady() {
		loaded = 1
	}
	set(modelGauge, loaded)
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	counts, err := g.content.Count(ctx)
	if err != nil {
		return
	}
	set(entities, counts.Entities)
	set(observations, counts.Observations)
	set(relations, counts.Relations)
	set(waiting, counts.Waiting)
}
