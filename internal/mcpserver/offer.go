package mcpserver

import (
	"context"

	"github.com/mark3labs/mcp-go/mcp"
	"github.com/mark3labs/mcp-go/server"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/prompt"
	"mcp-memory/internal/resource"
)

// offer is what a memory offers besides its tools.
type offer struct {
	resources *resource.Catalog
	prompts   []prompt.Prompt
}

// WithMemory has the server offer a memory's resources and prompts, with completion
// and subscriptions.
func WithMemory(m *memory.Service) Option {
	return func(s *Server) {
		s.offer = &offer{resources: resource.New(m), prompts: prompt.Catalog(m)}
		s.watch = newWatcher(s.offer.resources, s.log)
	}
}

// capabilities are those that the server declares. Some clients ask for lists of
// resources and prompts whatever is declared, and take an error for a server that
// failed. The list of resources changes with each entity: who wants to know
// subscribes to the graph.
func (s *Server) capabilities() []server.ServerOption {
	list := []server.ServerOption{
		server.WithToolCapabilities(false),
		server.WithResourceCapabilities(s.offer != nil, false),
		server.WithPromptCapabilities(false),
	}
	if s.offer == nil {
		return list
	}
	hooks := &server.Hooks{}
	hooks.AddAfterListResources(s.listResources)
	hooks.AddAfterSubscribe(s.subscribe)
	hooks.AddAfterUnsubscribe(s.unsubscribe)
	return append(list, server.WithHooks(hooks), server.WithCompletions(),
		server.WithPromptCompletionProvider(completer{s}), server.WithResourceCompletionProvider(completer{s}))
}

// add has mcp-go know what is offered.
func (o *offer) add(s *Server) {
	graph := mcp.NewResource(resource.Graph, "graph", mcp.WithMIMEType(resource.MIMEType))
	s.mcp.AddResource(graph, s.readResource)
	for _, t := range []mcp.ResourceTemplate{
		mcp.NewResourceTemplate(resource.EntityTemplate, "entity",
			mcp.WithTemplateDescription("An entity with all its observations and relations. The name is percent-encoded"),
			mcp.WithTemplateMIMEType(resource.MIMEType)),
		mcp.NewResourceTemplate(resource.GraphTemplate, "graph page",
			mcp.WithTemplateDescription("Entities, the oldest first, and the relations among them, as far as a reply has room; `next` is the URI of the next page"),
			mcp.WithTemplateMIMEType(resource.MIMEType)),
	} {
		s.mcp.AddResourceTemplate(t, func(ctx context.Context, r mcp.ReadResourceRequest) ([]mcp.ResourceContents, error) {
			return s.readResource(ctx, r)
		})
	}
	for _, p := range o.prompts {
		definition := mcp.NewPrompt(p.Name, mcp.WithPromptDescription(p.Description))
		definition.Title = p.Title
		for _, a := range p.Arguments {
			definition.Arguments = append(definition.Arguments, mcp.PromptArgument{Name: a.Name, Description: a.Description, Required: a.Required})
		}
		s.mcp.AddPrompt(definition, s.getPrompt)
	}
}
