package model

import (
	"encoding/binary"
	"io"
	"os"
	"path/filepath"
	"strconv"
)

// Field numbers of onnx.proto for weights that lie outside the message.
const (
	tensorExternal   = 13
	tensorLocation   = 14
	locationExternal = 1
	entryKey         = 1
	entryValue       = 2
)

// Outline returns the model at path with each weight of at least minimum
// bytes replaced by a reference to its place in the file (ONNX's "external
// data"). A runtime maps such weights instead of reading them: processes share
// them, and those never used take no memory.
func Outline(path string, minimum int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	o := outliner{r: f, file: filepath.Base(path), minimum: minimum}
	return o.model(span{0, info.Size()})
}

type outliner struct {
	r       io.ReaderAt
	file    string
	minimum int64
}

func (o *outliner) model(message span) ([]byte, error) {
	return o.rewrite(message, modelGraph, o.graph)
}

func (o *outliner) graph(message span) ([]byte, error) {
	return o.rewrite(message, graphInitializer, o.weight)
}

// rewrite copies a message, with the fields of one number replaced.
func (o *outliner) rewrite(message span, number int, replace func(span) ([]byte, error)) ([]byte, error) {
	var out []byte
	for f, err := range fields(o.r, message) {
		if err != nil {
			return nil, err
		}
		if f.number != number {
			if out, err = o.copy(out, f.whole); err != nil {
				return nil, err
			}
			continue
		}
		body, err := replace(f.body)
		if err != nil {
			return nil, err
		}
		out = appendBytes(out, number, body)
	}
	return out, nil
}

func (o *outliner) weight(message span) ([]byte, error) {
	var out []byte
	for f, err := range fields(o.r, message) {
		if err != nil {
			return nil, err
		}
		length := f.body.end - f.body.start
		if f.number != initializerRaw || length < o.minimum {
			if out, err = o.copy(out, f.whole); err != nil {
				return nil, err
			}
			continue
		}
		for _, entry := range [][2]string{
			{"location", o.file},
			{"offset", strconv.FormatInt(f.body.start, 10)},
			{"length", strconv.FormatInt(length, 10)},
		} {
			pair := appendBytes(nil, entryKey, []byte(entry[0]))
			pair = appendBytes(pair, entryValue, []byte(entry[1]))
			out = appendBytes(out, tensorExternal, pair)
		}
		out = binary.AppendUvarint(out, tensorLocation<<3|wireVarint)
		out = binary.AppendUvarint(out, locationExternal)
	}
	return out, nil
}

func (o *outliner) copy(out []byte, s span) ([]byte, error) {
	b, err := read(o.r, s)
	return append(out, b...), err
}

func appendBytes(out []byte, number int, body []byte) []byte {
	out = binary.AppendUvarint(out, uint64(number)<<3|wireBytes)
	out = binary.AppendUvarint(out, uint64(len(body)))
	return append(out, body...)
}
