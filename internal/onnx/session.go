package onnx

import (
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"sync/atomic"

	ort "github.com/yalue/onnxruntime_go"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/model"
)

// Names of a transformer's inputs. Any other gets zeros.
const (
	inputIDs      = "input_ids"
	attentionMask = "attention_mask"

	padID = 1 // <pad> of XLM-RoBERTa; masked, so its value has no effect
)

const (
	mappedBytes = 1 << 16   // weights from this size on are mapped
	maxOutline  = 128 << 20 // a model whose weights do not lie in one piece each is read as a whole

	releaseEvery = 16 // runs between calls of releaseMapped
)

// session runs the network. It is safe for concurrent use.
type session struct {
	ort    *ort.DynamicAdvancedSession
	inputs []string
	half   bool // the output is float16
	path   string
	runs   atomic.Int64
}

// openSession reads a model into memory and checks that it embeds.
func openSession(path string, threads int) (*session, error) {
	graph, err := model.ReadGraph(path)
	if err != nil {
		return nil, err
	}
	s := &session{half: graph.Outputs[0].DataType == model.Float16}
	if s.path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, err
	}
	if err := s.describe(graph); err != nil {
		return nil, fmt.Errorf("%s does not fit: %w", path, err)
	}
	options, err := sessionOptions(threads)
	if err != nil {
		return nil, fmt.Errorf("set up ONNX Runtime: %w", err)
	}
	defer options.Destroy()
	if s.ort, err = open(s.path, s.inputs, graph.Outputs[0].Name, options); err != nil {
		return nil, fmt.Errorf("ONNX Runtime cannot read %s: %w", path, err)
	}
	if _, err := s.embed([][]uint32{{0, 2}}); err != nil {
		s.ort.Destroy()
		return nil, fmt.Errorf("%s does not fit: %w", path, err)
	}
	return s, nil
}

// describe notes the inputs and refuses what cannot work.
func (s *session) describe(graph *model.Graph) error {
	has := map[string]bool{}
	for _, t := range graph.Inputs {
		if t.DataType != model.Int64 {
			return fmt.Errorf("its input %s is not int64", t.Name)
		}
		has[t.Name] = true
		s.inputs = append(s.inputs, t.Name)
	}
	if !has[inputIDs] || !has[attentionMask] {
		return fmt.Errorf("it takes %v, expected %s and %s", s.inputs, inputIDs, attentionMask)
	}
	out := graph.Outputs[0]
	if out.DataType != model.Float32 && out.DataType != model.Float16 {
		return fmt.Errorf("its output %s is neither float32 nor float16", out.Name)
	}
	if n := len(out.Dims); n > 0 && (n != 3 || out.Dims[2] != 0 && out.Dims[2] != memory.Dimensions) {
		return fmt.Errorf("its output has the shape %v, expected [batch, tokens, %d]", out.Dims, memory.Dimensions)
	}
	return nil
}

// open maps the weights of the file where it can, which takes 120 MB instead
// of 490 MB for float32, and a third of the time.
func open(path string, inputs []string, output string, options *ort.SessionOptions) (*ort.DynamicAdvancedSession, error) {
	outline, err := model.Outline(path, mappedBytes)
	if err == nil && len(outline) < maxOutline {
		err = options.AddSessionConfigEntry("session.model_external_initializers_file_folder_path", filepath.Dir(path))
	}
	if err == nil && len(outline) < maxOutline {
		if s, err := ort.NewDynamicAdvancedSessionWithONNXData(outline, inputs, []string{output}, options); err == nil {
			return s, nil
		}
	}
	return ort.NewDynamicAdvancedSession(path, inputs, []string{output}, options)
}

// sessionOptions are made for a program that mostly waits: threads sleep
// between runs.
func sessionOptions(threads int) (*ort.SessionOptions, error) {
	o, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	err = errors.Join(
		o.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		o.SetIntraOpNumThreads(threads),
		o.SetInterOpNumThreads(1),
		o.SetCpuMemArena(true), // without it the C heap fragments and grows
		o.SetMemPattern(false), // shapes differ from run to run
		o.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
		// Weights outside the arena, which never shrinks.
		o.AddSessionConfigEntry("session.use_device_allocator_for_initializers", "1"),
	)
	if err != nil {
		o.Destroy()
		return nil, err
	}
	return o, nil
}

// embed returns the unit vector of each sequence. Shorter ones are padded to
// the longest.
func (s *session) embed(sequences [][]uint32) ([][]float32, error) {
	longest := 0
	for _, ids := range sequences {
		longest = max(longest, len(ids))
	}
	ids := make([]int64, len(sequences)*longest)
	mask := make([]int64, len(sequences)*longest)
	for i, sequence := range sequences {
		row := ids[i*longest : (i+1)*longest]
		for j := range row {
			row[j] = padID
		}
		for j, id := range sequence {
			row[j] = int64(id)
			mask[i*longest+j] = 1
		}
	}
	states, err := s.run(ids, mask, len(sequences), longest)
	if err != nil {
		return nil, err
	}
	vectors := make([][]float32, len(sequences))
	for i := range vectors {
		rows := states[i*longest*memory.Dimensions : (i+1)*longest*memory.Dimensions]
		vectors[i] = meanPool(rows, mask[i*longest:(i+1)*longest], memory.Dimensions)
		if x := float64(vectors[i][0]); math.IsNaN(x) || math.IsInf(x, 0) {
			return nil, errors.New("it yields no numbers: its weights are damaged")
		}
	}
	return vectors, nil
}

// run returns the hidden states, batch x length x Dimensions values.
func (s *session) run(ids, mask []int64, batch, length int) ([]float32, error) {
	shape := ort.NewShape(int64(batch), int64(length))
	inputs := make([]ort.Value, 0, len(s.inputs))
	defer func() {
		for _, v := range inputs {
			v.Destroy()
		}
	}()
	for _, name := range s.inputs {
		var data []int64
		switch name {
		case inputIDs:
			data = ids
		case attentionMask:
			data = mask
		default:
			data = make([]int64, len(ids))
		}
		t, err := ort.NewTensor(shape, data)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, t)
	}
	output, read, err := s.output(ort.NewShape(int64(batch), int64(length), memory.Dimensions))
	if err != nil {
		return nil, err
	}
	defer output.Destroy()
	if err := s.ort.Run(inputs, []ort.Value{output}); err != nil {
		return nil, err
	}
	if s.runs.Add(1)%releaseEvery == 0 {
		releaseMapped(s.path)
	}
	return read(), nil
}

// output makes a tensor to run into, and how to read it afterwards.
func (s *session) output(shape ort.Shape) (ort.Value, func() []float32, error) {
	if s.half {
		t, err := ort.NewCustomDataTensor(shape, make([]byte, 2*shape.FlattenedSize()), ort.TensorElementDataTypeFloat16)
		if err != nil {
			return nil, nil, err
		}
		return t, func() []float32 { return widen(t.GetData()) }, nil
	}
	t, err := ort.NewEmptyTensor[float32](shape)
	if err != nil {
		return nil, nil, err
	}
	return t, t.GetData, nil
}

func (s *session) close() error { return s.ort.Destroy() }
