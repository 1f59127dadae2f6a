package onnx

// whitespace is a tokenizer that package sentencepiece does not read.
const whitespace = `{
  "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "decoder": null, "post_processor": null,
  "added_tokens": [], "pre_tokenizer": {"type": "Whitespace"},
  "model": {"type": "WordLevel", "vocab": {"<unk>": 0, "a": 1, "b": 2}, "unk_token": "<unk>"}
}`
