package model

import (
	"fmt"
	"strings"
)

// The files that the engine reads. All others are of use to other programs.
const (
	ModelFile     = "model.onnx"
	TokenizerFile = "tokenizer.json"
)

// File is one file of a model: where it is published and what it must hold.
type File struct {
	Name       string // in the model folder
	Repository string // on the model hub, owner/name
	Revision   string // commit of the repository
	Path       string // in the repository
	Size       int64  // bytes
	SHA256     string // lower case hex
}

// Variant is a precision in which the weights are published.
type Variant struct {
	Name string // such as fp32
	File File   // called ModelFile in the model folder
}

// StandIn is a model that was built locally from coarser weights. It serves
// where the genuine one cannot be had, and is never called by its name.
type StandIn struct {
	Variant string
	SHA256  string
}

// Manifest describes a model. The first variant is the default.
type Manifest struct {
	Name       string
	Repository string
	Variants   []Variant
	Companions []File // tokenizer and its settings, the same for all variants
	StandIns   []StandIn
}

const (
	e5Repository     = "intfloat/multilingual-e5-small"
	e5Revision       = "614241f622f53c4eeff9890bdc4f31cfecc418b3"
	e5Int8Repository = "Xenova/multilingual-e5-small" // runs on every CPU; e5Repository's own needs AVX-512
	e5Int8Revision   = "761b726dd34fb83930e26aab4e9ac3899aa1fa78"
)

// E5Small is multilingual-e5-small: 384 dimensions, 94 languages, MIT licence.
var E5Small = Manifest{
	Name:       "multilingual-e5-small",
	Repository: e5Repository,
	Variants: []Variant{
		{"fp32", e5("model.onnx", "onnx/model.onnx", 470_268_510, "ca456c06b3a9505ddfd9131408916dd79290368331e7d76bb621f1cba6bc8665")},
		{"fp16", e5("model.onnx", "onnx/model_O4.onnx", 235_052_531, "4654c156f3e4171abc9c716cdb771bf9116455d15ac1aab364aeeede0e3205b0")},
		{"int8", File{
			Name: "model.onnx", Repository: e5Int8Repository, Revision: e5Int8Revision, Path: "onnx/model_quantized.onnx",
			Size: 118_308_185, SHA256: "f80102d3f2a1229f387d3c81909990d8945513e347b0eab049f7de3c6f98c193",
		}},
	},
	Companions: []File{
		e5("tokenizer.json", "tokenizer.json", 17_082_730, "0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39"),
		e5("tokenizer_config.json", "tokenizer_config.json", 443, "a1d6bc8734a6f635dc158508bef000f8e2e5a759c7d92f984b2c86e5ff53425b"),
		e5("special_tokens_map.json", "special_tokens_map.json", 167, "d05497f1da52c5e09554c0cd874037a083e1dc1b9cfd48034d1c717f1afc07a7"),
	},
	StandIns: []StandIn{
		{"fp32", "dc5402f1748ad14eed7d2bb1e1a8161e039e5ccc363e0ca51b14716ec2924777"},
		{"fp16", "95cd0d49860d02b0b431191d4b3d3829c70e6c0915e0a796da63096ebcf3c781"},
		{"int8", "52d2366fcbbdb2232644f17c83047d8653cfe943d08939521336cd045fe638e8"},
		{"fp32", "cff2c7b315e4fa7f117374d499c1cd22d92ec592865aeff82ee45c5c5b171e49"},
	},
}

func e5(name, path string, size int64, sha256 string) File {
	return File{Name: name, Repository: e5Repository, Revision: e5Revision, Path: path, Size: size, SHA256: sha256}
}

// VariantNames lists the variants, the default first.
func (m *Manifest) VariantNames() []string {
	names := make([]string, len(m.Variants))
	for i, v := range m.Variants {
		names[i] = v.Name
	}
	return names
}

// Variant returns the variant of a name; "" is the default.
func (m *Manifest) Variant(name string) (Variant, error) {
	if name == "" {
		return m.Variants[0], nil
	}
	for _, v := range m.Variants {
		if v.Name == name {
			return v, nil
		}
	}
	return Variant{}, fmt.Errorf("unknown variant %q: choose one of %s", name, strings.Join(m.VariantNames(), ", "))
}

// DownloadSize is that of all files of the default variant, in bytes.
func (m *Manifest) DownloadSize() int64 {
	size := m.Variants[0].File.Size
	for _, f := range m.Companions {
		size += f.Size
	}
	return size
}

// companion returns the published file of a name.
func (m *Manifest) companion(name string) (File, bool) {
	for _, f := range m.Companions {
		if f.Name == name {
			return f, true
		}
	}
	return File{}, false
}

// variantOf finds the published variant with a hash.
func (m *Manifest) variantOf(sha256 string) (Variant, bool) {
	for _, v := range m.Variants {
		if v.File.SHA256 == sha256 {
			return v, true
		}
	}
	return Variant{}, false
}

// standInOf finds the stand-in with a hash.
func (m *Manifest) standInOf(sha256 string) (StandIn, bool) {
	for _, s := range m.StandIns {
		if s.SHA256 == sha256 {
			return s, true
		}
	}
	return StandIn{}, false
}
