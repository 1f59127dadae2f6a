//go:build clients

package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
)

// toolCall is a tool of the memory with its arguments, in JSON.
type toolCall struct{ tool, arguments string }

// scriptedModel speaks as the language models behind agents do: it calls the tools that
// it has been told to, one after the other, and then says that it is done.
type scriptedModel struct {
	mu      sync.Mutex
	script  []toolCall // of the present session
	earlier []string   // answers of sessions before
	answers []string   // of the present one
	tools   int
}

// tell begins a session.
func (m *scriptedModel) tell(script ...toolCall) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.script, m.earlier, m.answers = script, append(m.earlier, m.answers...), nil
}

// answer is what a tool answered, over all sessions.
func (m *scriptedModel) answer(i int) string {
	m.mu.Lock()
	defer m.mu.Unlock()
	all := slices.Concat(m.earlier, m.answers)
	if i >= len(all) {
		return ""
	}
	return all[i]
}

// offered is how many tools of the memory it was offered.
func (m *scriptedModel) offered() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.tools
}

// offer is a tool as a client offers it; the name has a prefix of the client's.
type offer struct{ namespace, name string }

// next is the call that follows after those that have been answered; none at the end,
// and for what agents ask beside, such as a title.
func (m *scriptedModel) next(offers []offer, answers []string) (offer, toolCall, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	ours := slices.DeleteFunc(offers, func(o offer) bool { return !strings.Contains(o.namespace+o.name, "memory") })
	if len(ours) == 0 {
		return offer{}, toolCall{}, false
	}
	m.tools, m.answers = len(ours), answers
	if len(answers) >= len(m.script) {
		return offer{}, toolCall{}, false
	}
	call := m.script[len(answers)]
	for _, o := range ours {
		if strings.HasSuffix(o.name, call.tool) {
			return o, call, true
		}
	}
	return offer{}, toolCall{}, false
}

func (m *scriptedModel) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch path := r.URL.Path; {
	case strings.HasSuffix(path, "/messages"):
		m.messages(w, r)
	case strings.HasSuffix(path, "/responses"):
		m.responses(w, r)
	case strings.HasSuffix(path, "enerateContent"):
		m.contents(w, r)
	default:
		fmt.Fprint(w, `{}`)
	}
}

type object = map[string]any

// decode reads a request, or refuses it.
func decode(w http.ResponseWriter, r *http.Request, into any) bool {
	err := json.NewDecoder(r.Body).Decode(into)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

// events writes server-sent events; the type of one is its name.
func events(w http.ResponseWriter, all ...object) {
	w.Header().Set("Content-Type", "text/event-stream")
	for _, event := range all {
		data, err := json.Marshal(event)
		if err != nil {
			panic(err)
		}
		if name, ok := event["type"].(string); ok {
			fmt.Fprintf(w, "event: %s\n", name)
		}
		fmt.Fprintf(w, "data: %s\n\n", data)
	}
}

// messages is Anthropic's interface, which Claude Code and OpenCode speak.
func (m *scriptedModel) messages(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Tools    []struct{ Name string }
		Messages []struct{ Content json.RawMessage }
	}
	if !decode(w, r, &request) {
		return
	}
	var offers []offer
	for _, tool := range request.Tools {
		offers = append(offers, offer{name: tool.Name})
	}
	var answers []string
	for _, message := range request.Messages {
		var parts []struct {
			Type    string
			Content json.RawMessage
		}
		if json.Unmarshal(message.Content, &parts) != nil {
			continue // a text alone
		}
		for _, part := range parts {
			if part.Type == "tool_result" {
				answers = append(answers, text(part.Content))
			}
		}
	}
	block, delta, reason := object{"type": "text", "text": ""}, object{"type": "text_delta", "text": "done"}, "end_turn"
	if o, call, ok := m.next(offers, answers); ok {
		block = object{"type": "tool_use", "id": fmt.Sprintf("toolu_%d", len(answers)), "name": o.name, "input": object{}}
		delta = object{"type": "input_json_delta", "partial_json": call.arguments}
		reason = "tool_use"
	}
	usage := object{"input_tokens": 1, "output_tokens": 1}
	events(w,
		object{"type": "message_start", "message": object{"id": "msg", "type": "message", "role": "assistant", "model": "test", "content": []any{}, "usage": usage}},
		object{"type": "content_block_start", "index": 0, "content_block": block},
		object{"type": "content_block_delta", "index": 0, "delta": delta},
		object{"type": "content_block_stop", "index": 0},
		object{"type": "message_delta", "delta": object{"stop_reason": reason}, "usage": usage},
		object{"type": "message_stop"},
	)
}

// responses is OpenAI's interface, which Codex speaks.
func (m *scriptedModel) responses(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Tools []struct {
			Type, Name string
			Tools      []struct{ Name string }
		}
		Input []struct {
			Type   string
			Output json.RawMessage
		}
	}
	if !decode(w, r, &request) {
		return
	}
	var offers []offer
	for _, tool := range request.Tools {
		offers = append(offers, offer{name: tool.Name})
		for _, inner := range tool.Tools {
			offers = append(offers, offer{namespace: tool.Name, name: inner.Name})
		}
	}
	offers = slices.DeleteFunc(offers, func(o offer) bool { return strings.HasSuffix(o.name, "memory") }) // the namespaces themselves
	var answers []string
	for _, item := range request.Input {
		if item.Type == "function_call_output" {
			answers = append(answers, text(item.Output))
		}
	}
	item := object{"type": "message", "id": "msg", "role": "assistant", "content": []any{object{"type": "output_text", "text": "done"}}}
	if o, call, ok := m.next(offers, answers); ok {
		id := fmt.Sprint(len(answers))
		item = object{"type": "function_call", "id": "fc_" + id, "call_id": "call_" + id, "namespace": o.namespace, "name": o.name, "arguments": call.arguments}
	}
	usage := object{"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
	events(w,
		object{"type": "response.created", "response": object{"id": "resp"}},
		object{"type": "response.output_item.done", "output_index": 0, "item": item},
		object{"type": "response.completed", "response": object{"id": "resp", "status": "completed", "output": []any{item}, "usage": usage}},
	)
}

// contents is Google's interface, which Gemini CLI speaks.
func (m *scriptedModel) contents(w http.ResponseWriter, r *http.Request) {
	var request struct {
		Tools    []struct{ FunctionDeclarations []struct{ Name string } }
		Contents []struct {
			Parts []struct {
				FunctionResponse *struct{ Response struct{ Output string } }
			}
		}
	}
	if !decode(w, r, &request) {
		return
	}
	var offers []offer
	for _, tool := range request.Tools {
		for _, declaration := range tool.FunctionDeclarations {
			offers = append(offers, offer{name: declaration.Name})
		}
	}
	offers = slices.DeleteFunc(offers, func(o offer) bool { return !strings.HasPrefix(o.name, "mcp_") }) // its own save_memory
	var answers []string
	for _, content := range request.Contents {
		for _, part := range content.Parts {
			if part.FunctionResponse != nil {
				answers = append(answers, part.FunctionResponse.Response.Output)
			}
		}
	}
	part := object{"text": "done"}
	if o, call, ok := m.next(offers, answers); ok {
		part = object{"functionCall": object{"id": fmt.Sprint(len(answers)), "name": o.name, "args": json.RawMessage(call.arguments)}}
	}
	reply := object{
		"candidates":    []any{object{"content": object{"role": "model", "parts": []any{part}}, "finishReason": "STOP", "index": 0}},
		"usageMetadata": object{"promptTokenCount": 1, "candidatesTokenCount": 1, "totalTokenCount": 2},
	}
	if strings.Contains(r.URL.Path, "stream") {
		events(w, reply)
		return
	}
	if err := json.NewEncoder(w).Encode(reply); err != nil {
		panic(err)
	}
}

// text is that of an answer, which is a string or parts.
func text(content json.RawMessage) string {
	var alone string
	if json.Unmarshal(content, &alone) == nil {
		return alone
	}
	var parts []struct{ Text string }
	if json.Unmarshal(content, &parts) != nil {
		return string(content)
	}
	var b strings.Builder
	for _, part := range parts {
		b.WriteString(part.Text)
	}
	return b.String()
}
