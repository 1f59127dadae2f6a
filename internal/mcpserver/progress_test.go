package mcpserver

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written bytes.Buffer
		_, p := watch(t.Context(), json.RawMessage(`"t-1"`), &output{out: &written})
		for _, total := range []int{50, 10} { // one phase after the other
			for i := range total {
				p.report(i+1, total, "importing")
				time.Sleep(progressPause / 10)
			}
		}
		p.end()
		p.report(99, 99, "importing")

		var got []int
		for line := range strings.Lines(written.String()) {
			var m struct {
				Method string
				Params struct {
					ProgressToken   any
					Progress, Total int
					Message         string
				}
			}
			if err := json.Unmarshal([]byte(line), &m); err != nil {
				t.Fatal(err)
			}
			if p := m.Params; m.Method != "notifications/progress" || p.ProgressToken != "t-1" || p.Message != "importing" || p.Progress > p.Total {
				t.Errorf("got %s", line)
			}
			got = append(got, m.Params.Progress)
		}
		if diff := cmp.Diff([]int{1, 11, 21, 31, 41, 50, 60}, got); diff != "" {
			t.Errorf("wrong progress (-want +got):\n%s", diff)
		}
	})
}

func TestProgressToken(t *testing.T) {
	for meta, want := range map[string]string{
		``:                             "",
		`null`:                         "",
		`{}`:                           "",
		`{"progressToken": null}`:      "",
		`{"progressToken": {"a": 1}}`:  "",
		`{"progressToken": "a"}`:       `"a"`,
		`{"progressToken": 12345e300}`: `12345e300`,
	} {
		if got := progressToken(json.RawMessage(meta)); string(got) != want {
			t.Errorf("progressToken(%s) = %s, want %s", meta, got, want)
		}
	}
}
