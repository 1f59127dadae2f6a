package sentencepiece

import (
	"bytes"
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// charsMap is SentencePiece's compiled table of what characters are replaced
// by: mostly NFKC, with blanks for white space.
type charsMap struct {
	units        []uint32 // a double-array trie, as Darts-clone lays it out
	replacements []byte   // each ends with a zero byte
}

func newCharsMap(compiled []byte) (charsMap, error) {
	if len(compiled) < 4 {
		return charsMap{}, errors.New("the table of characters is cut off")
	}
	size := binary.LittleEndian.Uint32(compiled)
	compiled = compiled[4:]
	if uint64(size) > uint64(len(compiled)) || size < 4 {
		return charsMap{}, errors.New("the table of characters is cut off")
	}
	m := charsMap{units: make([]uint32, size/4), replacements: compiled[size:]}
	for i := range m.units {
		m.units[i] = binary.LittleEndian.Uint32(compiled[4*i:])
	}
	return m, nil
}

// maxCluster is the longest cluster of characters, in bytes, that is looked up
// as a whole.
const maxCluster = 5

// normalize appends a text with its characters replaced. A character and the
// marks on it are looked up together if they are short, and what is found for
// the beginning stands for all of them: so Hugging Face does it.
func (m charsMap) normalize(out []byte, text string) []byte {
	for len(text) > 0 {
		cluster := firstCluster(text)
		text = text[len(cluster):]
		if len(cluster) <= maxCluster {
			if replacement, ok := m.lookUp(cluster); ok {
				out = append(out, replacement...)
				continue
			}
		}
		for len(cluster) > 0 {
			_, size := utf8.DecodeRuneInString(cluster)
			if replacement, ok := m.lookUp(cluster[:size]); ok {
				out = append(out, replacement...)
			} else {
				out = append(out, cluster[:size]...)
			}
			cluster = cluster[size:]
		}
	}
	return out
}

// firstCluster returns the first character of a text with the marks on it.
func firstCluster(text string) string {
	const ascii = utf8.RuneSelf
	if len(text) == 1 || text[0] < ascii && text[1] < ascii && text[0] != '\r' {
		return text[:1]
	}
	cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(text, -1)
	return cluster
}

// lookUp returns what the shortest beginning of a text that is in the table is
// replaced by.
func (m charsMap) lookUp(text string) (replacement []byte, ok bool) {
	at := offset(m.units[0])
	for i := range len(text) {
		at ^= uint32(text[i])
		if text[i] == 0 || int(at) >= len(m.units) {
			return nil, false
		}
		unit := m.units[at]
		if unit&(1<<31|0xff) != uint32(text[i]) {
			return nil, false
		}
		at ^= offset(unit)
		if hasValue := unit>>8&1 == 1; hasValue {
			return m.replacement(at)
		}
	}
	return nil, false
}

// offset is the distance from a unit to its children.
func offset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// replacement reads the one that a unit refers to.
func (m charsMap) replacement(at uint32) ([]byte, bool) {
	if int(at) >= len(m.units) {
		return nil, false
	}
	start := int(m.units[at] & (1<<31 - 1))
	if start > len(m.replacements) {
		return nil, false
	}
	found, _, _ := bytes.Cut(m.replacements[start:], []byte{0})
	return found, true
}
