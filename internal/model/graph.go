package model

import (
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrDamaged says that a file is cut off, or is no model at all.
var ErrDamaged = errors.New("damaged")

// The element types of ONNX tensors that matter here (TensorProto.DataType).
const (
	Float32 = 1
	Int64   = 7
	Float16 = 10
)

// Tensor is an input or output of a graph. Dims of a size that is only known
// at run time are 0.
type Tensor struct {
	Name     string
	DataType int
	Dims     []int64
}

// Weight is an initializer of a graph whose values lie in one piece in the
// file.
type Weight struct {
	Name   string
	Offset int64 // in the file
	Length int64 // bytes
}

// Graph is what a model file says of itself, apart from its computation.
type Graph struct {
	Inputs  []Tensor // without those that are initializers
	Outputs []Tensor
	Weights []Weight
}

// Field numbers of onnx.proto.
const (
	modelGraph = 7

	graphInitializer = 5
	graphInput       = 11
	graphOutput      = 12

	valueName       = 1
	valueType       = 2
	typeTensor      = 1
	tensorElemType  = 1
	tensorShape     = 2
	shapeDim        = 1
	dimValue        = 1
	initializerName = 8
	initializerRaw  = 9
)

// ReadGraph reads the description of an ONNX file, not its weights. The error
// wraps ErrDamaged when the file is cut off or is not ONNX.
func ReadGraph(path string) (*Graph, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	g, err := readGraph(f, info.Size())
	switch {
	case errors.Is(err, errTruncated):
		return nil, fmt.Errorf("%s is %w: the file is cut off after %d bytes", path, ErrDamaged, info.Size())
	case err != nil:
		return nil, fmt.Errorf("%s is %w: not an ONNX model (%v)", path, ErrDamaged, err)
	}
	return g, nil
}

func readGraph(r io.ReaderAt, size int64) (*Graph, error) {
	var g *Graph
	for f, err := range fields(r, span{0, size}) {
		if err != nil {
			return nil, err
		}
		if f.number == modelGraph && f.wire == wireBytes {
			if g, err = parseGraph(r, f.body); err != nil {
				return nil, err
			}
		}
	}
	if g == nil || len(g.Outputs) == 0 {
		return nil, errors.New("it holds no graph")
	}
	return g, nil
}

func parseGraph(r io.ReaderAt, message span) (*Graph, error) {
	g := &Graph{}
	var inputs []Tensor
	initialized := map[string]bool{}
	for f, err := range fields(r, message) {
		if err != nil {
			return nil, err
		}
		switch f.number {
		case graphInitializer:
			w, err := parseWeight(r, f.body)
			if err != nil {
				return nil, err
			}
			initialized[w.Name] = true
			if w.Length > 0 {
				g.Weights = append(g.Weights, w)
			}
		case graphInput, graphOutput:
			t, err := parseTensor(r, f.body)
			if err != nil {
				return nil, err
			}
			if f.number == graphInput {
				inputs = append(inputs, t)
			} else {
				g.Outputs = append(g.Outputs, t)
			}
		}
	}
	for _, t := range inputs { // old files list their weights as inputs, too
		if !initialized[t.Name] {
			g.Inputs = append(g.Inputs, t)
		}
	}
	return g, nil
}

func parseWeight(r io.ReaderAt, message span) (Weight, error) {
	var w Weight
	for f, err := range fields(r, message) {
		if err != nil {
			return Weight{}, err
		}
		switch f.number {
		case initializerName:
			name, err := read(r, f.body)
			if err != nil {
				return Weight{}, err
			}
			w.Name = string(name)
		case initializerRaw:
			w.Offset, w.Length = f.body.start, f.body.end-f.body.start
		}
	}
	return w, nil
}

func parseTensor(r io.ReaderAt, message span) (Tensor, error) {
	var t Tensor
	for f, err := range fields(r, message) {
		if err != nil {
			return Tensor{}, err
		}
		switch f.number {
		case valueName:
			name, err := read(r, f.body)
			if err != nil {
				return Tensor{}, err
			}
			t.Name = string(name)
		case valueType:
			if err := parseType(r, f.body, &t); err != nil {
				return Tensor{}, err
			}
		}
	}
	return t, nil
}

func parseType(r io.ReaderAt, message span, t *Tensor) error {
	for f, err := range fields(r, message) {
		if err != nil {
			return err
		}
		if f.number != typeTensor {
			continue
		}
		for f, err := range fields(r, f.body) {
			if err != nil {
				return err
			}
			switch f.number {
			case tensorElemType:
				t.DataType = int(f.varint)
			case tensorShape:
				if t.Dims, err = parseShape(r, f.body); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

func parseShape(r io.ReaderAt, message span) ([]int64, error) {
	var dims []int64
	for f, err := range fields(r, message) {
		if err != nil {
			return nil, err
		}
		if f.number != shapeDim {
			continue
		}
		var size int64
		for d, err := range fields(r, f.body) {
			if err != nil {
				return nil, err
			}
			if d.number == dimValue {
				size = int64(d.varint)
			}
		}
		dims = append(dims, size)
	}
	return dims, nil
}
