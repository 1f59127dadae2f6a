package sqlite

import (
	"bytes"
	"context"
	"fmt"
	"hash/fnv"
	"strconv"
)

// The word indexes do not hold their texts. What they hold is compared as a whole
// all the same: each document's digest is the sum of a hash of every term at
// every place of it, and of its length, so that one pass through an index in its
// own order makes the digests of all documents, in 16 bytes each. The same texts
// indexed anew, a page at a time in an index of the same kind in memory, give the
// same digests; a term more, a term less, or one elsewhere gives others.

// digests are those of documents, by their ids.
type digests map[int64]uint64

// digest reads an index: what it holds or, with the prefix of those, what it
// should.
func (v *verifier) digest(ctx context.Context, x termIndex, wanted bool) (digests, error) {
	prefix := "found"
	if wanted {
		prefix = "wanted"
	}
	d := digests{}
	err := v.each(ctx, x.places(prefix), nil, func(scan func(...any) error) error {
		var term, places []byte
		if err := scan(&term, &places); err != nil {
			return err
		}
		return d.addTerm(hashOf(term), places)
	})
	if err != nil {
		return nil, fmt.Errorf("read index %s: %w", x.table, err)
	}
	err = v.each(ctx, x.sizes(wanted), nil, func(scan func(...any) error) error {
		var id int64
		var size []byte
		if err := scan(&id, &size); err != nil {
			return err
		}
		d[id] += mix(hashOf(size))
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("read sizes of index %s: %w", x.table, err)
	}
	return d, nil
}

func (d digests) addTerm(hash uint64, places []byte) error {
	for len(places) > 0 {
		var place []byte
		place, places, _ = bytes.Cut(places, []byte(","))
		doc, offset, _ := bytes.Cut(place, []byte(":"))
		id, err := strconv.ParseInt(string(doc), 10, 64)
		if err != nil {
			return err
		}
		n, err := strconv.ParseUint(string(offset), 10, 64)
		if err != nil {
			return err
		}
		d[id] += mix(hash ^ mix(n+1))
	}
	return nil
}

func hashOf(b []byte) uint64 {
	h := fnv.New64a()
	h.Write(b)
	return h.Sum64()
}

// mix spreads the bits of a number (SplitMix64).
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// document is what an index should hold under an id.
type document struct {
	id   int64
	text string
}

// readTerms reads the word indexes.
func (v *verifier) readTerms(ctx context.Context) error {
	v.terms = map[termIndex]digests{}
	for _, x := range []termIndex{entityTermIndex, passageTermIndex, trigramIndex} {
		for _, statement := range x.create() {
			if err := run(ctx, v.conn, statement); err != nil {
				return fmt.Errorf("make a table beside %s: %w", x.table, err)
			}
		}
		err := v.derived(x.table, func() (err error) {
			v.terms[x], err = v.digest(ctx, x, false)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// compareTerms compares documents with those of an index, and crosses them off.
func (v *verifier) compareTerms(ctx context.Context, x termIndex, check, what string, documents []document) error {
	if v.unreadable[x.table] {
		return nil
	}
	for _, d := range documents {
		if err := run(ctx, v.conn, x.expect(), d.id, d.text); err != nil {
			return fmt.Errorf("index %s anew: %w", x.table, err)
		}
	}
	want, err := v.digest(ctx, x, true)
	if err != nil {
		return err
	}
	have := v.terms[x]
	for _, d := range documents {
		switch digest, ok := have[d.id]; {
		case !ok:
			v.add(check, "%s %d is missing", what, d.id)
		case digest != want[d.id]:
			v.add(check, "%s %d has others", what, d.id)
		}
		delete(have, d.id)
	}
	return run(ctx, v.conn, x.forget())
}
