// Package onnx embeds texts with ONNX Runtime and Hugging Face tokenizers. It
// is the only package with those native libraries; ONNX Runtime is loaded when
// the first text is to be embedded, not before. With the build tag
// sentencepiece_only it does without Hugging Face's, and reads the tokenizers of
// multilingual-e5 alone.
package onnx
