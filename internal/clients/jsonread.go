package clients

import (
	"encoding/json"

	"github.com/tailscale/hujson"
)

func (d *jsonDocument) servers() []Server {
	at := d.find(d.keys)
	if at == nil || at.Value.Kind() != '{' {
		return nil
	}
	var servers []Server
	for i, m := range at.Value.(*hujson.Object).Members {
		name := m.Name.Value.(hujson.Literal).String()
		if memberIndex(at, name) != i || m.Value.Value.Kind() == 'n' {
			continue // another of this name comes later, or there is none
		}
		server := readServer(m.Value)
		server.Name = name
		servers = append(servers, server)
	}
	return servers
}

// readServer reads a server in any of the clients' forms.
func readServer(v hujson.Value) Server {
	v = v.Clone()
	v.Standardize()
	var raw struct {
		Command     json.RawMessage `json:"command"`
		Args        json.RawMessage `json:"args"`
		Env         json.RawMessage `json:"env"`
		Environment json.RawMessage `json:"environment"`
		Disabled    json.RawMessage `json:"disabled"`
		Enabled     json.RawMessage `json:"enabled"`
	}
	_ = json.Unmarshal(v.Pack(), &raw) // what is of another kind is no server that we know
	var s Server
	var words []string
	var nested struct {
		Path string
		Args []string
		Env  map[string]string
	}
	switch {
	case json.Unmarshal(raw.Command, &s.Command) == nil:
	case json.Unmarshal(raw.Command, &words) == nil && len(words) > 0: // OpenCode
		s.Command, s.Args = words[0], words[1:]
	case json.Unmarshal(raw.Command, &nested) == nil: // older versions of Zed
		s.Command, s.Args, s.Env = nested.Path, nested.Args, nested.Env
	}
	if s.Args == nil {
		_ = json.Unmarshal(raw.Args, &s.Args)
	}
	for _, env := range []json.RawMessage{raw.Env, raw.Environment} {
		if len(env) > 0 {
			_ = json.Unmarshal(env, &s.Env)
		}
	}
	s.Off = string(raw.Disabled) == "true" || string(raw.Enabled) == "false"
	return s
}

func (d *jsonDocument) local() []Server {
	if d.layout.folders == "" {
		return nil
	}
	folders := member(&d.root, d.layout.folders)
	if folders == nil || folders.Value.Kind() != '{' {
		return nil
	}
	var servers []Server
	for i, m := range folders.Value.(*hujson.Object).Members {
		folder := m.Name.Value.(hujson.Literal).String()
		if memberIndex(folders, folder) != i {
			continue // it comes again later, which counts
		}
		one := &jsonDocument{root: m.Value, keys: d.keys}
		for _, server := range one.servers() {
			server.Folder = folder
			servers = append(servers, server)
		}
	}
	return servers
}
