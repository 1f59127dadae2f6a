package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var written bytes.Buffer
		_, p := watch(t.Context(), json.RawMessage(`"t-1"`), newOutput(&written, func() {}))
		for _, total := range []int{50, 10} { // one phase after the other
			for i := range total {
				p.report(i+1, total, "importing")
				time.Sleep(progressPause / 10)
			}
		}
		p.end()
		p.report(99, 99, "importing")
		synctest.Wait()

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

// TestProgressNobodyReads holds a call that reports to not waiting: it may hold
// the database.
func TestProgressNobodyReads(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, written := io.Pipe()
		out := newOutput(written, func() {})
		_, p := watch(t.Context(), json.RawMessage(`1`), out)
		for i := range 100 {
			p.report(i+1, 100, "importing")
			time.Sleep(progressPause)
		}
		p.end()
		p.report(101, 101, "importing")
		out.line([]byte(`{"id":1}`), nil)
		go func() {
			out.wait()
			written.Close()
		}()
		var got []string
		for lines := bufio.NewScanner(client); lines.Scan(); {
			var m struct{ Params struct{ Progress int } }
			if err := json.Unmarshal(lines.Bytes(), &m); err != nil {
				t.Fatal(err)
			}
			got = append(got, fmt.Sprint(m.Params.Progress))
		}
		if diff := cmp.Diff([]string{"1", "100", "0"}, got); diff != "" {
			t.Errorf("want the first, the last and the reply (-want +got):\n%s", diff)
		}
	})
}

// TestProgressCatchesUp with a client that reads late.
func TestProgressCatchesUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, written := io.Pipe()
		_, p := watch(t.Context(), json.RawMessage(`1`), newOutput(written, func() {}))
		p.report(1, 100, "importing")
		time.Sleep(progressPause)
		p.report(2, 100, "importing")
		p.report(3, 100, "importing")
		for lines, want := bufio.NewReader(client), 1; want <= 3; want += 2 {
			line, err := lines.ReadString('\n')
			if err != nil || !strings.Contains(line, fmt.Sprintf(`"progress":%d,`, want)) {
				t.Errorf("got %s, want %d", line, want)
			}
		}
		p.end()
	})
}

func TestProgressToken(t *testing.T) {
	for meta, want := range map[string]string{
		``:                               "",
		`null`:                           "",
		`{}`:                             "",
		`{"progressToken": null}`:        "",
		`{"progressToken": {"a": 1}}`:    "",
		`{"progressToken": "a"}`:         `"a"`,
		"{\"progressToken\": \"a\xff\"}": "",
		`{"progressToken": 12345e300}`:   `12345e300`,
	} {
		if got := progressToken(json.RawMessage(meta)); string(got) != want {
			t.Errorf("progressToken(%s) = %s, want %s", meta, got, want)
		}
	}
}
