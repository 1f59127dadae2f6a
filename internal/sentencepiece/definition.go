package sentencepiece

import (
	"errors"
	"fmt"
	"slices"
)

// tokenizer makes what the definition asks for, if it is known here.
func (d *definition) tokenizer() (*Tokenizer, error) {
	if d.Truncation != nil || d.Padding != nil {
		return nil, errors.New("it truncates or pads")
	}
	t := &Tokenizer{}
	if err := d.specialTokens(t); err != nil {
		return nil, err
	}
	if err := d.characters(t); err != nil {
		return nil, err
	}
	if p := d.PreTokenizer; p.Type != "Metaspace" || p.Replacement != string(blank) ||
		p.AddPrefixSpace != nil && !*p.AddPrefixSpace || p.PrependScheme != nil && *p.PrependScheme != "always" ||
		p.Split != nil && !*p.Split {
		return nil, errors.New("it splits words otherwise")
	}
	if err := d.frame(t); err != nil {
		return nil, err
	}
	m := d.Model
	if m.Type != "Unigram" || m.ByteFallback || m.Unknown == nil || int(*m.Unknown) >= len(m.Vocabulary.pieces) || *m.Unknown < 0 {
		return nil, errors.New("its model is not a Unigram with an unknown piece")
	}
	t.words = newUnigram(m.Vocabulary.pieces, slices.Clip(m.Vocabulary.scores), *m.Unknown)
	return t, nil
}

// specialTokens notes the tokens that are found in texts before all else.
func (d *definition) specialTokens(t *Tokenizer) error {
	var contents []string
	for _, token := range d.AddedTokens {
		if token.SingleWord || token.LStrip || token.RStrip || token.Normalized || token.Content == "" {
			return fmt.Errorf("its token %s has conditions", token.Content)
		}
		contents = append(contents, token.Content)
		t.specialIDs = append(t.specialIDs, token.ID)
	}
	t.special = newTrie(contents)
	return nil
}

// characters reads the table of characters, after which runs of blanks become
// one.
func (d *definition) characters(t *Tokenizer) (err error) {
	n := d.Normalizer
	if n.Type != "Sequence" || len(n.Normalizers) != 2 || n.Normalizers[0].Type != "Precompiled" ||
		n.Normalizers[1].Type != "Replace" || n.Normalizers[1].Pattern.Regex != " {2,}" || n.Normalizers[1].Content != " " {
		return errors.New("it normalizes otherwise")
	}
	t.characters, err = newCharsMap(n.Normalizers[0].CharsMap)
	return err
}

// frame notes the special tokens around a sequence.
func (d *definition) frame(t *Tokenizer) error {
	p := d.PostProcessor
	if p.Type != "TemplateProcessing" {
		return errors.New("it finishes sequences otherwise")
	}
	seen := false
	for _, part := range p.Single {
		switch {
		case part.Sequence != nil && !seen:
			seen = true
		case part.SpecialToken != nil && seen:
			t.after = append(t.after, p.SpecialTokens[part.SpecialToken.ID].IDs...)
		case part.SpecialToken != nil:
			t.before = append(t.before, p.SpecialTokens[part.SpecialToken.ID].IDs...)
		default:
			return errors.New("its template has another form")
		}
	}
	if !seen {
		return errors.New("its template has no sequence")
	}
	return nil
}
