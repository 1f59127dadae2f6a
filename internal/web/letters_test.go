package web_test

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/internal/fold"
)

// What the server finds without its letters the page marks.
func TestPageFoldsLettersAsTheServer(t *testing.T) {
	script, err := os.ReadFile("page/text.js")
	if err != nil {
		t.Fatal(err)
	}
	_, list, _ := strings.Cut(string(script), "const letters = {")
	list, _, _ = strings.Cut(list, "};")
	letters := map[string]string{}
	for _, pair := range regexp.MustCompile(`(\S+): '(\S+)'`).FindAllStringSubmatch(list, -1) {
		letters[pair[1]] = pair[2]
		if want := fold.Text(pair[1]); pair[2] != want {
			t.Errorf("the page folds %q to %q, the server to %q", pair[1], pair[2], want)
		}
	}
	for r := rune(0x80); r < 0x700; r++ {
		letter := string(r)
		if want := fold.Text(letter); unicode.IsLetter(r) && !unicode.IsUpper(r) && norm.NFKD.IsNormalString(letter) && want != letter && letters[letter] != want {
			t.Errorf("the page folds %q to %q, the server to %q", letter, letters[letter], want)
		}
	}
}
