package rank_test

import (
	"strings"
	"testing"

	"mcp-memory/internal/rank"
)

func TestParseSettingChangesWhatItNames(t *testing.T) {
	want := rank.E5Small
	want.PassageWords = 2.5
	if got, err := rank.ParseSetting(rank.E5Small, " passage-words = 2.5"); err != nil || got != want {
		t.Errorf("ParseSetting = %+v, %v, want %+v", got, err, want)
	}
	changed := map[rank.Settings]string{rank.E5Small: "the default"}
	for _, name := range rank.SettingNames() {
		got, err := rank.ParseSetting(rank.E5Small, name+"=0.0123")
		if err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if other := changed[got]; other != "" {
			t.Errorf("%s changes the same as %s", name, other)
		}
		changed[got] = name
	}
}

func TestParseSettingRefuses(t *testing.T) {
	for text, want := range map[string]string{
		"":           "the names are floor, span",
		"salience=1": "the names are",
		"use":        "number from 0 to 1",
		"use=x":      "number from 0 to 1",
		"use=NaN":    "number from 0 to 1",
		"use=1.5":    "number from 0 to 1",
		"span=0":     "number from 0.001",
	} {
		got, err := rank.ParseSetting(rank.E5Small, text)
		if err == nil || !strings.Contains(err.Error(), want) || got != rank.E5Small {
			t.Errorf("ParseSetting(%q) = %+v, %v, want an error with %q", text, got, err, want)
		}
	}
}
