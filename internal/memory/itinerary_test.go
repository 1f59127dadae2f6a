package memory

import (
	"testing"

	"pgregory.net/rapid"
)

// However it leaps, and whatever ids there are, each of them is passed once.
func TestItineraryPassesEachOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ids := rapid.SliceOfDistinct(rapid.Int64Range(1, 200), rapid.ID[int64]).Draw(t, "ids")
		queue := map[int64]bool{}
		for _, id := range ids {
			queue[id] = true
		}
		passed := map[int64]int{}
		way := newItinerary()
		for steps := 0; ; steps++ {
			if steps > 2_000 {
				t.Fatal("it does not come to an end")
			}
			var batch []PassageText
			for id := way.at() + 1; id <= 200 && len(batch) < 5; id++ {
				if queue[id] {
					batch = append(batch, PassageText{ID: id})
				}
			}
			batch = way.within(batch)
			if len(batch) == 0 {
				if way.end() {
					break
				}
				continue
			}
			for _, p := range batch {
				passed[p.ID]++
			}
			way.advance(batch[len(batch)-1].ID)
			way.leap(rapid.Int64Range(0, 250).Draw(t, "leap"))
		}
		for _, id := range ids {
			if passed[id] != 1 {
				t.Fatalf("%d was passed %d times", id, passed[id])
			}
		}
	})
}
