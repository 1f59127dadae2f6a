package modeltest_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf16"
)

// fitting is a step that is answered with this page as far as it fits into a
// reply of that many characters. Where it does not, what must hold is checked
// rather than what exactly is left out: whole entities, the first ones, their
// observations shortened and counted, at most so many relations.
func fitting(c call, want pageReply, size, offset int) step {
	const frame = 1000 // that a reply may be shorter for
	if len(utf16.Encode([]rune(encode(want)))) <= size-frame {
		return expecting(c, want)
	}
	return step{call: c, check: func(text string) error {
		if n := len(utf16.Encode([]rune(text))); n > size {
			return fmt.Errorf("the reply has %d characters, more than %d", n, size)
		}
		var got pageReply
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return err
		}
		if len(got.Entities) == 0 || len(got.Entities) > len(want.Entities) {
			return fmt.Errorf("%d entities of %d are shown", len(got.Entities), len(want.Entities))
		}
		for i, e := range got.Entities {
			if err := e.shortens(want.Entities[i]); err != nil {
				return err
			}
		}
		next := nextOffset(offset, offset+len(got.Entities), want.Total)
		switch {
		case got.Total != want.Total || got.NextOffset != next:
			return fmt.Errorf("total %d and next offset %d, want %d and %d", got.Total, got.NextOffset, want.Total, next)
		case len(got.Relations)+got.RelationsOmitted > len(want.Relations):
			return errors.New("there are not that many relations")
		case !isPart(got.Relations, want.Relations):
			return fmt.Errorf("relations %v, want some of %v", got.Relations, want.Relations)
		}
		return nil
	}}
}

// shortens returns an error unless e is whole with some observations left out.
func (e shownEntity) shortens(whole shownEntity) error {
	if e.Name != whole.Name || e.Kind != whole.Kind || !isPart(e.Observations, whole.Observations) ||
		len(e.Observations)+e.Omitted != len(whole.Observations) {
		return fmt.Errorf("%s\nis no shortened\n%s", shorten(encode(e)), shorten(encode(whole)))
	}
	return nil
}

// isPart reports whether list is all with some items left out.
func isPart[T comparable](list, all []T) bool {
	for _, v := range list {
		i := slices.Index(all, v)
		if i < 0 {
			return false
		}
		all = all[i+1:]
	}
	return true
}

// byWords is a search for a text that nothing contains, by its words. How these
// are weighed is not for this model to know. It holds the reply to entities as
// they are, each once, with all their relations; and to finding something if
// there is an entity with one of the words.
func (w *world) byWords(c call, words []string, limit int) step {
	whole := map[string]shownEntity{}
	held := false
	for _, e := range w.graph.entities {
		whole[e.name] = show(e)
		held = held || vocabular(words) && slices.ContainsFunc(words, e.holds)
	}
	links := w.graph.touching(w.graph.entities)
	return step{call: c, check: func(text string) error {
		var got pageReply
		if err := json.Unmarshal([]byte(text), &got); err != nil {
			return err
		}
		seen := map[string]bool{}
		for _, e := range got.Entities {
			if seen[e.Name] {
				return fmt.Errorf("%q is shown twice", e.Name)
			}
			seen[e.Name] = true
			if err := e.shortens(whole[e.Name]); err != nil {
				return err
			}
		}
		switch {
		case len(got.Entities) > limit || got.Total < len(got.Entities):
			return fmt.Errorf("%d entities of %d are shown", len(got.Entities), got.Total)
		case held && got.Total == 0:
			return fmt.Errorf("nothing is found, though there is an entity with a word of %q", words)
		}
		var touching []link
		for _, l := range links {
			if seen[l.From] || seen[l.To] {
				touching = append(touching, l)
			}
		}
		if !isPart(got.Relations, touching) || len(got.Relations)+got.RelationsOmitted != len(touching) {
			return fmt.Errorf("relations %v, want %v", got.Relations, touching)
		}
		return nil
	}}
}

// vocabular reports whether all are words that say something.
func vocabular(words []string) bool {
	return !slices.ContainsFunc(words, func(word string) bool {
		return !slices.ContainsFunc(vocabulary, func(known string) bool { return folded(known) == word })
	})
}
