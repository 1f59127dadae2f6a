package sentencepiece

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"
)

// Open reads a tokenizer.json. It refuses one that asks for anything which this
// package does not do.
func Open(path string) (*Tokenizer, error) {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var d definition
	if err := json.Unmarshal(content, &d); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	t, err := d.tokenizer()
	if err != nil {
		return nil, fmt.Errorf("%s does not fit: %w", path, err)
	}
	return t, nil
}

// definition is what tokenizer.json says, as far as it matters here.
type definition struct {
	Truncation  any
	Padding     any
	AddedTokens []struct {
		ID         uint32
		Content    string
		SingleWord bool `json:"single_word"`
		LStrip     bool
		RStrip     bool
		Normalized bool
	} `json:"added_tokens"`
	Normalizer struct {
		Type        string
		Normalizers []struct {
			Type     string
			CharsMap []byte `json:"precompiled_charsmap"`
			Pattern  struct{ Regex string }
			Content  string
		}
	}
	PreTokenizer struct {
		Type           string
		Replacement    string
		AddPrefixSpace *bool   `json:"add_prefix_space"`
		PrependScheme  *string `json:"prepend_scheme"`
		Split          *bool
	} `json:"pre_tokenizer"`
	PostProcessor struct {
		Type   string
		Single []struct {
			SpecialToken *struct{ ID string }
			Sequence     *struct{}
		}
		SpecialTokens map[string]struct{ IDs []uint32 } `json:"special_tokens"`
	} `json:"post_processor"`
	Model struct {
		Type         string
		Unknown      *int32     `json:"unk_id"`
		ByteFallback bool       `json:"byte_fallback"`
		Vocabulary   vocabulary `json:"vocab"`
	}
}

// vocabulary is written [["piece", score], …]. There are many, for which
// encoding/json by itself would take a second.
type vocabulary struct {
	pieces []string
	scores []float64
}

// UnmarshalJSON reads what is valid JSON, if not of this form.
func (v *vocabulary) UnmarshalJSON(content []byte) error {
	unexpected := errors.New("its vocabulary is no list of pieces and scores")
	rest, ok := strings.CutPrefix(string(content), "[")
	for ok {
		rest = strings.TrimLeft(rest, " \t\r\n,")
		if rest == "]" {
			return nil
		}
		if rest, ok = strings.CutPrefix(rest, "["); !ok {
			break
		}
		rest = strings.TrimLeft(rest, " \t\r\n")
		end := stringEnd(rest)
		if end < 0 {
			break
		}
		piece, err := unquote(rest[:end])
		if err != nil {
			return err
		}
		var number string
		if number, rest, ok = strings.Cut(rest[end:], "]"); !ok {
			break
		}
		score, err := strconv.ParseFloat(strings.Trim(number, " \t\r\n,"), 64)
		if err != nil {
			return unexpected
		}
		v.pieces, v.scores = append(v.pieces, piece), append(v.scores, score)
	}
	return unexpected
}

// stringEnd returns where the JSON string ends that a text begins with, or -1.
func stringEnd(text string) int {
	if text == "" || text[0] != '"' {
		return -1
	}
	for i := 1; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '"':
			return i + 1
		}
	}
	return -1
}

func unquote(quoted string) (text string, err error) {
	if !strings.Contains(quoted, `\`) {
		return quoted[1 : len(quoted)-1], nil
	}
	err = json.NewDecoder(strings.NewReader(quoted)).Decode(&text)
	return text, err
}
