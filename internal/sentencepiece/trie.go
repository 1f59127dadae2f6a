package sentencepiece

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"slices"
	"strings"
)

// trie finds all entries of a list that a text begins with. Its nodes are
// numbered level by level, so that the children of each lie side by side, in
// front of those of the next.
type trie struct {
	labels   []byte   // the byte that leads to a node
	children []uint32 // the first child of a node; one more, for the end of the last
	entries  []int32  // the place in the list of what ends at a node, or none
}

const none = -1

// newTrie makes a trie of a list. Of equal entries, the last one counts.
func newTrie(list []string) trie {
	texts := sorted(list)
	nodes := make([]stretch, 1, countNodes(texts))
	nodes[0] = stretch{0, int32(len(texts)), 0}
	t := trie{
		labels:   make([]byte, 1, cap(nodes)),
		children: make([]uint32, 0, cap(nodes)+1),
		entries:  make([]int32, 0, cap(nodes)),
	}
	for i := 0; i < len(nodes); i++ {
		n, entry := nodes[i], int32(none)
		for n.from < n.to && len(texts[n.from].text) == int(n.length) {
			entry = texts[n.from].place
			n.from++
		}
		t.children = append(t.children, uint32(len(nodes)))
		t.entries = append(t.entries, entry)
		for n.from < n.to {
			label, end := texts[n.from].text[n.length], n.from
			for end < n.to && texts[end].text[n.length] == label {
				end++
			}
			nodes = append(nodes, stretch{n.from, end, n.length + 1})
			t.labels = append(t.labels, label)
			n.from = end
		}
	}
	t.children = append(t.children, uint32(len(nodes)))
	return t
}

// stretch is a node while it is made: those texts of a sorted list that have
// their first bytes in common.
type stretch struct{ from, to, length int32 }

// countNodes counts the different beginnings of sorted texts, with the empty one.
func countNodes(texts []placed) int {
	n, last := 1, ""
	for _, t := range texts {
		common := 0
		for common < min(len(last), len(t.text)) && last[common] == t.text[common] {
			common++
		}
		n += len(t.text) - common
		last = t.text
	}
	return n
}

// placed is an entry of a list with its place there.
type placed struct {
	start uint64 // the first bytes, which mostly decide the order
	text  string
	place int32
}

// sorted returns the entries of a list in the order of their bytes.
func sorted(list []string) []placed {
	entries := make([]placed, len(list))
	for i, text := range list {
		var start [8]byte
		copy(start[:], text)
		entries[i] = placed{binary.BigEndian.Uint64(start[:]), text, int32(i)}
	}
	slices.SortFunc(entries, func(a, b placed) int {
		if a.start != b.start {
			return cmp.Compare(a.start, b.start)
		}
		return cmp.Or(strings.Compare(a.text, b.text), cmp.Compare(a.place, b.place))
	})
	return entries
}

// root is where a walk begins.
const root = 0

// step goes from a node along a byte.
func (t trie) step(node uint32, label byte) (next uint32, ok bool) {
	first := t.children[node]
	at := bytes.IndexByte(t.labels[first:t.children[node+1]], label)
	return first + uint32(at), at >= 0
}

// longest returns the longest entry that a text begins with.
func (t trie) longest(text string) (entry int32, length int) {
	entry = none
	node := uint32(root)
	for i := range len(text) {
		next, ok := t.step(node, text[i])
		if !ok {
			break
		}
		node = next
		if e := t.entries[node]; e != none {
			entry, length = e, i+1
		}
	}
	return entry, length
}
