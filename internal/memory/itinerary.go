package memory

import "math"

// itinerary is the way through the ids of a queue, each of which it passes once:
// from the first to the last, but for leaps, after which it comes back to what they
// left out.
type itinerary []stage // the present one last

// stage is the ids beyond after, up to last.
type stage struct{ after, last int64 }

func newItinerary() itinerary { return itinerary{{after: 0, last: math.MaxInt64}} }

func (w itinerary) present() *stage { return &w[len(w)-1] }

// at is the id beyond which it goes on.
func (w itinerary) at() int64 { return w.present().after }

// within returns the passages of a batch that belong to the present stage.
func (w itinerary) within(batch []PassageText) []PassageText {
	n := len(batch)
	for n > 0 && batch[n-1].ID > w.present().last {
		n--
	}
	return batch[:n]
}

// advance passes the ids up to one.
func (w itinerary) advance(id int64) { w.present().after = id }

// leap goes on that many ids further, if the present stage has as many.
func (w *itinerary) leap(ids int64) {
	from := *w.present()
	if ids <= 0 || ids >= from.last-from.after {
		return
	}
	to := from.after + ids
	w.present().last = to
	*w = append(*w, stage{after: to, last: from.last})
}

// end ends the present stage, and reports whether it was the last.
func (w *itinerary) end() bool {
	*w = (*w)[:len(*w)-1]
	return len(*w) == 0
}
