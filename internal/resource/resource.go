package resource

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/tool"
)

// MIMEType is that of all resources.
const MIMEType = "application/json"

// pageSize is how many entities a page of the list has.
const pageSize = 100

// Catalog is what can be read by URI.
type Catalog struct {
	service   *memory.Service
	readGraph func(context.Context, json.RawMessage) (any, error)
}

// New makes a catalog of a memory's resources.
func New(s *memory.Service) *Catalog {
	c := &Catalog{service: s}
	for _, t := range tool.Catalog(s) {
		if t.Name == "read_graph" {
			c.readGraph = t.Call
		}
	}
	return c
}

// Item is a resource in a list.
type Item struct {
	URI         string
	Name        string
	Description string
	Changed     time.Time // zero if that is not known
}

// NotFoundError is the URI of an entity that there is not.
type NotFoundError struct{ Entity string }

func (e *NotFoundError) Error() string {
	return fmt.Sprintf("Resource not found: no entity is named %q. The tool search_nodes finds names by what is in them", e.Entity)
}

// List returns a page of all resources: first the graph, then entities, those that
// were used or changed last before the others. An empty cursor is the first page,
// an empty next the end. It returns *memory.InputError for a cursor that was
// never given.
func (c *Catalog) List(ctx context.Context, after string) (items []Item, next string, err error) {
	from, err := place(after)
	if err != nil {
		return nil, "", err
	}
	if from == nil {
		items = append(items, Item{URI: Graph, Name: "graph", Description: "All entities and relations, page by page: " + GraphTemplate})
	}
	heads, rest, err := c.service.ListEntities(ctx, pageSize, from)
	if err != nil {
		return nil, "", fmt.Errorf("list entities: %w", err)
	}
	for _, e := range heads {
		items = append(items, Item{URI: ofEntity(e.Name), Name: e.Name, Description: e.Type, Changed: e.UpdatedAt})
	}
	if rest != nil {
		next = cursor(*rest)
	}
	return items, next, nil
}

// Read returns what a URI names, as JSON. It returns *NotFoundError for an entity
// that there is not, and *memory.InputError for what is no URI of ours.
func (c *Catalog) Read(ctx context.Context, text string) (json.RawMessage, error) {
	uri, err := Parse(text)
	if err != nil {
		return nil, err
	}
	if uri.Entity == "" {
		return c.graph(ctx, uri)
	}
	found, err := c.service.OpenNodes(ctx, []string{uri.Entity})
	if err != nil {
		return nil, fmt.Errorf("read an entity: %w", err)
	}
	if len(found.Entities) == 0 {
		return nil, &NotFoundError{uri.Entity}
	}
	return tool.JSON(tool.WholeEntity(found.Entities[0], found.Relations))
}

// graph answers as read_graph does, and says where to go on.
func (c *Catalog) graph(ctx context.Context, uri URI) (json.RawMessage, error) {
	args := map[string]string{}
	if uri.Offset != "" {
		args["offset"] = uri.Offset
	}
	if uri.Limit != "" {
		args["limit"] = uri.Limit
	}
	encoded, err := tool.JSON(args)
	if err != nil {
		return nil, err
	}
	page, err := c.readGraph(ctx, encoded)
	if err != nil {
		return nil, err
	}
	if encoded, err = tool.JSON(page); err != nil {
		return nil, err
	}
	var on struct{ NextOffset int }
	if err := json.Unmarshal(encoded, &on); err != nil {
		return nil, fmt.Errorf("read the reply of read_graph: %w", err)
	}
	if on.NextOffset == 0 {
		return encoded, nil
	}
	next, err := tool.JSON(URI{Offset: fmt.Sprint(on.NextOffset), Limit: uri.Limit}.String())
	if err != nil {
		return nil, err
	}
	return fmt.Appendf(encoded[:len(encoded)-1], `,"next":%s}`, next), nil
}

// Names returns names of entities for what a client has typed of one.
func (c *Catalog) Names(ctx context.Context, typed string, limit int) (names []string, total int, err error) {
	return c.service.NamesLike(ctx, typed, limit)
}

// Commits returns a number that is another one when any resource may have changed.
func (c *Catalog) Commits(ctx context.Context) (int64, error) { return c.service.Commits(ctx) }

// States returns the states of resources: those which are equal show the same. That
// of an entity which there is not is zero.
func (c *Catalog) States(ctx context.Context, uris []URI) ([]memory.State, error) {
	var names []string
	graph := memory.State(0)
	for _, uri := range uris {
		if uri.Entity != "" {
			names = append(names, uri.Entity)
		} else if graph == 0 {
			var err error
			if graph, err = c.service.GraphState(ctx); err != nil {
				return nil, fmt.Errorf("look at the graph: %w", err)
			}
		}
	}
	entities, err := c.service.EntityStates(ctx, names)
	if err != nil {
		return nil, fmt.Errorf("look at entities: %w", err)
	}
	states := make([]memory.State, len(uris))
	for i, uri := range uris {
		if states[i] = graph; uri.Entity != "" {
			states[i], entities = entities[0], entities[1:]
		}
	}
	return states, nil
}
