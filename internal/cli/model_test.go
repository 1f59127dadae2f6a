package cli

import "testing"

func TestVectorStatus(t *testing.T) {
	for _, test := range []struct {
		status vectorStatus
		want   string
	}{
		{vectorStatus{Passages: 5678, Done: 5120}, "5,120 of 5,678 passages (90 %)"},
		{vectorStatus{Passages: 1_234_567, Done: 1_234_566}, "1,234,566 of 1,234,567 passages (99 %)"},
		{vectorStatus{Passages: 999, Done: 999}, "999 of 999 passages (100 %)"},
		{vectorStatus{}, "nothing to embed: the memory is empty"},
		{vectorStatus{Reason: "no database yet"}, "no database yet"},
	} {
		if got := test.status.String(); got != test.want {
			t.Errorf("%+v is written %q, want %q", test.status, got, test.want)
		}
	}
}
