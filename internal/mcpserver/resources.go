package mcpserver

import (
	"context"
	"encoding/json"
	"time"

	"github.com/mark3labs/mcp-go/mcp"

	"mcp-memory/internal/resource"
)

// listResources is a hook that fills in the list.
func (s *Server) listResources(ctx context.Context, _ any, _ *mcp.ListResourcesRequest, result *mcp.ListResourcesResult) {
	_, _ = own(ctx, s, func(params map[string]json.RawMessage) (none struct{}, err error) {
		cursor, err := field(params, "cursor")
		if err != nil {
			return none, err
		}
		items, next, err := s.offer.resources.List(ctx, cursor)
		if err != nil {
			return none, err
		}
		result.NextCursor = mcp.Cursor(next)
		result.Resources = make([]mcp.Resource, len(items))
		for i, item := range items {
			result.Resources[i] = resourceOf(item)
		}
		return none, nil
	})
}

func resourceOf(item resource.Item) mcp.Resource {
	r := mcp.Resource{URI: item.URI, Name: item.Name, Description: item.Description, MIMEType: resource.MIMEType}
	if !item.Changed.IsZero() {
		r.Annotations = &mcp.Annotations{LastModified: item.Changed.UTC().Format(time.RFC3339)}
	}
	return r
}

// readResource reads the resource that was asked for, whatever mcp-go takes it for.
func (s *Server) readResource(ctx context.Context, _ mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
	return own(ctx, s, func(params map[string]json.RawMessage) ([]mcp.ResourceContents, error) {
		uri, err := uriOf(params)
		if err != nil {
			return nil, err
		}
		content, err := s.offer.resources.Read(ctx, uri)
		if err != nil {
			return nil, err
		}
		return []mcp.ResourceContents{mcp.TextResourceContents{URI: uri, MIMEType: resource.MIMEType, Text: string(content)}}, nil
	})
}

func uriOf(params map[string]json.RawMessage) (string, error) {
	uri, err := field(params, "uri")
	if err == nil && uri == "" {
		err = refuse(mcp.INVALID_PARAMS, "uri: is required")
	}
	return uri, err
}
