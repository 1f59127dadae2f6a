package sqlite

import "time"

// timeLayout is how the schema writes times: UTC, to the second.
const timeLayout = time.DateTime

func formatTime(t time.Time) string { return t.UTC().Format(timeLayout) }

// parseTime reads a stored time; one that cannot be read is the zero time.
func parseTime(s string) time.Time {
	t, err := time.Parse(timeLayout, s)
	if err != nil {
		return time.Time{}
	}
	return t
}
