package memory

import (
	"context"
	"strings"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/internal/fold"
)

// CanonicalName is the form in which new names are stored: without blanks
// around it and NFC-normalised, so that what looks the same is the same.
func CanonicalName(name string) string {
	return norm.NFC.String(strings.TrimSpace(name))
}

// IsBlankName reports whether nobody could see a name: no new entity may have it.
// What is stored under one, as older programs allowed, is found all the same.
func IsBlankName(name string) bool { return fold.IsBlank(name) }

// spellings lists the stored names that a given name may mean, best first: as
// given, since older databases hold names that are not canonical; canonical;
// and decomposed, as names typed on other systems may be.
func spellings(name string) []string {
	canonical := CanonicalName(name)
	all := []string{name}
	for _, s := range []string{canonical, norm.NFD.String(canonical)} {
		if s != all[len(all)-1] && s != name {
			all = append(all, s)
		}
	}
	return all
}

// resolver finds entities by the names that a call gave.
type resolver struct {
	ids  map[string]int64
	gone map[int64]bool
}

// resolve looks up all names of a call at once.
func resolve(ctx context.Context, r Reader, names []string) (*resolver, error) {
	var wanted []string
	for _, name := range names {
		wanted = append(wanted, spellings(name)...)
	}
	ids, err := r.EntityIDs(ctx, wanted)
	if err != nil {
		return nil, err
	}
	return &resolver{ids: ids, gone: map[int64]bool{}}, nil
}

// id returns the entity that name means, if there is one.
func (r *resolver) id(name string) (int64, bool) {
	for _, s := range spellings(name) {
		if id, ok := r.ids[s]; ok && !r.gone[id] {
			return id, true
		}
	}
	return 0, false
}

// add makes a new entity known to later look-ups in the same call.
func (r *resolver) add(name string, id int64) { r.ids[name] = id }

// remove forgets an entity that the call has deleted.
func (r *resolver) remove(id int64) { r.gone[id] = true }
