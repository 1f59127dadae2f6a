package onnx_test

import (
	"encoding/binary"
	"math"
	"os"
	"path/filepath"
	"testing"
)

// tinyDir makes a model folder that loads in no time: each token's state is a
// row of a small table.
func tinyDir(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "model.onnx", lookupModel())
	write(t, dir, "tokenizer.json", []byte(tinyTokenizer))
	return dir
}

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// tinyTokenizer knows the words "a" and "b".
const tinyTokenizer = `{
  "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "decoder": null,
  "added_tokens": [
    {"id": 0, "content": "<s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true},
    {"id": 2, "content": "</s>", "single_word": false, "lstrip": false, "rstrip": false, "normalized": false, "special": true}
  ],
  "pre_tokenizer": {"type": "Whitespace"},
  "post_processor": {
    "type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>", "type_id": 0}}, {"Sequence": {"id": "A", "type_id": 0}}, {"SpecialToken": {"id": "</s>", "type_id": 0}}],
    "pair": [{"Sequence": {"id": "A", "type_id": 0}}, {"Sequence": {"id": "B", "type_id": 1}}],
    "special_tokens": {"<s>": {"id": "<s>", "ids": [0], "tokens": ["<s>"]}, "</s>": {"id": "</s>", "ids": [2], "tokens": ["</s>"]}}
  },
  "model": {"type": "WordLevel", "vocab": {"<s>": 0, "<unk>": 1, "</s>": 2, "a": 3, "b": 4}, "unk_token": "<unk>"}
}`

// The few messages of onnx.proto that a test model needs.
func message(number int, parts ...[]byte) []byte {
	var body []byte
	for _, p := range parts {
		body = append(body, p...)
	}
	out := binary.AppendUvarint(nil, uint64(number)<<3|2)
	return append(binary.AppendUvarint(out, uint64(len(body))), body...)
}

func varint(field int, value int64) []byte {
	return binary.AppendUvarint(binary.AppendUvarint(nil, uint64(field)<<3), uint64(value))
}

func text(field int, value string) []byte { return message(field, []byte(value)) }

// tensor describes an input (11) or output (12).
func tensor(field int, name string, dataType int64, dims ...[]byte) []byte {
	return message(field, text(1, name), message(2, message(1, varint(1, dataType), message(2, dims...))))
}

func dim(name string) []byte       { return message(1, text(2, name)) }
func fixedDim(size int64) []byte   { return message(1, varint(1, size)) }
func onnxFile(graph []byte) []byte { return append(onnxHead(), message(7, graph)...) }

func onnxHead() []byte { // version 8 of the format, version 17 of the operators
	return append(varint(1, 8), message(8, varint(2, 17))...)
}

// lookupModel looks the states up in a table of five rows.
func lookupModel() []byte {
	const rows, dims = 5, 384
	table := make([]byte, 4*rows*dims)
	for row := range rows {
		binary.LittleEndian.PutUint32(table[4*(row*dims+row):], math.Float32bits(1))
	}
	graph := message(1, text(1, "table"), text(1, "input_ids"), text(2, "states"), text(4, "Gather"))
	graph = append(graph, text(2, "lookup")...)
	graph = append(graph, message(5, varint(1, rows), varint(1, dims), varint(2, 1), text(8, "table"), message(9, table))...)
	graph = append(graph, tensor(11, "input_ids", 7, dim("batch"), dim("tokens"))...)
	graph = append(graph, tensor(11, "attention_mask", 7, dim("batch"), dim("tokens"))...)
	graph = append(graph, tensor(11, "position_ids", 7, dim("batch"), dim("tokens"))...)
	return onnxFile(append(graph, tensor(12, "states", 1, dim("batch"), dim("tokens"), fixedDim(dims))...))
}

// brokenModel has an operator that does not exist, and an output of dims
// values a token.
func brokenModel(dims int64, inputs ...string) []byte {
	graph := message(1, text(1, inputs[0]), text(2, "states"), text(4, "NoSuchOperator"))
	graph = append(graph, text(2, "broken")...)
	for _, name := range inputs {
		graph = append(graph, tensor(11, name, 7, dim("batch"), dim("tokens"))...)
	}
	return onnxFile(append(graph, tensor(12, "states", 1, dim("batch"), dim("tokens"), fixedDim(dims))...))
}
