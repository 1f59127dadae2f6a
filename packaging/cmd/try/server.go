package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"slices"
	"strings"
)

// server is one that runs, and has answered what was asked so far.
type server struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	out   *bufio.Reader
	asked int
}

func start(cmd *exec.Cmd) (*server, error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	return &server{cmd: cmd, in: in, out: bufio.NewReaderSize(out, 1<<20)}, nil
}

// use goes through a first conversation. Unless tools is empty, the server must
// have just these.
func (s *server) use(out io.Writer, semantic bool, tools string) error {
	var hello struct {
		ServerInfo struct{ Name, Version string }
	}
	if err := s.ask(&hello, "initialize", `{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"try","version":"1"}}`); err != nil {
		return err
	}
	fmt.Fprintf(out, "  initialize  %s %s\n", hello.ServerInfo.Name, hello.ServerInfo.Version)
	if _, err := io.WriteString(s.in, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+"\n"); err != nil {
		return err
	}
	var list struct{ Tools []struct{ Name string } }
	if err := s.ask(&list, "tools/list", `{}`); err != nil {
		return err
	}
	var names []string
	for _, t := range list.Tools {
		names = append(names, t.Name)
	}
	fmt.Fprintf(out, "  tools/list  %d tools\n", len(names))
	slices.Sort(names)
	if has := strings.Join(names, ","); tools != "" && has != tools {
		return fmt.Errorf("the server has the tools %s; expected were %s", has, tools)
	}
	if _, err := s.call("create_entities", `{"entities":[{"name":"Project Faro","entityType":"project","observations":["launches in March"]}]}`); err != nil {
		return err
	}
	fmt.Fprintln(out, "  create      Project Faro: launches in March")
	if err := s.find(out, "search_nodes", "faro"); err != nil {
		return err
	}
	if semantic {
		return s.find(out, "search_semantic", "¿cuándo es el lanzamiento?")
	}
	return nil
}

// find expects the note as an answer to query.
func (s *server) find(out io.Writer, tool, query string) error {
	arguments, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		return err
	}
	answer, err := s.call(tool, string(arguments))
	if err != nil {
		return err
	}
	if !strings.Contains(answer, "launches in March") {
		return fmt.Errorf("%s %q doesn't find the note: %s", tool, query, answer)
	}
	fmt.Fprintf(out, "  %s %q finds it\n", tool, query)
	return nil
}

// call returns the text of a tool's answer.
func (s *server) call(tool, arguments string) (string, error) {
	var result struct {
		IsError bool
		Content []struct{ Text string }
	}
	if err := s.ask(&result, "tools/call", fmt.Sprintf(`{"name":%q,"arguments":%s}`, tool, arguments)); err != nil {
		return "", err
	}
	if len(result.Content) != 1 || result.IsError {
		return "", fmt.Errorf("%s failed: %v", tool, result.Content)
	}
	return result.Content[0].Text, nil
}

// ask sends one request, and reads the result of its response.
func (s *server) ask(result any, method, params string) error {
	s.asked++
	if _, err := fmt.Fprintf(s.in, `{"jsonrpc":"2.0","id":%d,"method":%q,"params":%s}`+"\n", s.asked, method, params); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	for {
		line, err := s.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: no answer: %w", method, err)
		}
		var response struct {
			ID     *int
			Result json.RawMessage
			Error  json.RawMessage
		}
		if err := json.Unmarshal(line, &response); err != nil {
			return fmt.Errorf("%s: not JSON-RPC: %s", method, line)
		}
		switch {
		case response.ID == nil: // a notification
		case *response.ID != s.asked || response.Error != nil:
			return fmt.Errorf("%s: answered %s", method, line)
		default:
			return json.Unmarshal(response.Result, result)
		}
	}
}

// end closes the server's input, as clients do. Nothing more may come.
func (s *server) end() error {
	if err := s.in.Close(); err != nil {
		return err
	}
	rest, err := io.ReadAll(s.out)
	if err != nil {
		return err
	}
	if err := s.cmd.Wait(); err != nil {
		return err
	}
	if len(rest) > 0 {
		return errors.New("unasked: " + string(rest))
	}
	return nil
}
