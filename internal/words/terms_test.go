package words_test

import (
	"os"
	"strings"
	"testing"
	"unicode"

	"golang.org/x/text/unicode/norm"

	"mcp-memory/internal/words"
)

func TestTerms(t *testing.T) {
	for text, want := range map[string]string{
		"":                                     "",
		" \t\n.,":                              "",
		"\u0301":                               "",
		"\xff\xfe a\x00b":                      "a b",
		"the runs of the runner, and the RUNS": "the run of the runner and the run",
		"the NAS Synology DS920+":              "the nas synolog ds920",
		// compounds: as a whole, then in parts
		"getUserName":                   "getusernam get user name",
		"HTTPServer":                    "httpserver http server",
		"the URLs and PCs":              "the url and pcs",
		"GitHub":                        "github git hub",
		"ERR_CONN_RESET":                "errconnreset err conn reset",
		"foo-bar":                       "foobar foo bar",
		"e-mail":                        "email e mail",
		"v1.2.3":                        "v123 v1 2 3",
		"v1.2.3-rc1":                    "v123rc1 v123 v1 2 3 rc1",
		"1,250.75":                      "125075 1 250 75",
		"2026-03-01":                    "20260301 2026 03 01",
		"the user.getName()":            "the user getnam get name",
		"john.doe@example.com":          "john doe exampl com",
		"https://example.com/a_b?id=42": "https exampl com ab a b id 42",
		"internal/words/fold.go":        "intern word fold go",
		`the path C:\docs`:              "the path c doc",
		"a-b-c-d-e-f-g-h-i":             "a b c d e f g h i", // no name
		"aBcDeFgHiJkLmNoPqRsT":          "abcdefghijklmnopqrst",
		"end.Next begins":               "end next begin",
		"-x --yes _z_ 1. 2,":            "x yes z 1 2",
		// scripts
		"书":               "书",
		"设备清单":            "设 设备 备 备清 清 清单 单",
		"NAS在书房":          "nas 在 在书 书 书房 房",
		"步2 重跑":           "步 2 重 重跑 跑",
		"サーバー":            "サ サー ー ーバ バ バー ー",
		"ﾊﾞﾅﾅ":            "バ バナ ナ ナナ ナ",
		"がか":              "が がか か",
		"학교에 간다":          "학 학교 교 교에 에 간 간다 다",
		"ห้อง":            "ห้ ห้อ อ อง ง",
		"SQLом":           "sql ом",
		"Wi-Fi密码50条":      "wifi wi fi 密 密码 码 50 条",
		"Δοκιμή τεστ":     "δοκιμη τεστ",
		"हिन्दी":          "हिन्दी",
		"ＦＵＬＬ ｗｉｄｔｈ ﬁn":   "full width fin",
		"٢٠٢٤ ๒๐":         "2024 20",
		"co\u00adoperate": "cooper",
		"می\u200cخواهم":   words.Terms("میخواهم")[0],
		"tea ☕️ time":     "tea time",
	} {
		if got := strings.Join(words.Terms(text), " "); got != want {
			t.Errorf("Terms(%q) = %q, want %q", text, got, want)
		}
	}
}

func TestCompoundsAreFoundByWholeAndParts(t *testing.T) {
	for text, questions := range map[string][]string{
		"calls getUserName here":      {"getUserName", "getusername", "GETUSERNAME", "get_user_name", "user name", "get-user-name"},
		"fails with ERR_CONN_RESET":   {"ERR_CONN_RESET", "err_conn_reset", "ErrConnReset", "reset", "conn reset"},
		"see foo-bar and e-mail":      {"foo-bar", "foobar", "bar", "email", "e-mail", "mail"},
		"upgraded to v1.2.3 in March": {"v1.2.3", "1.2.3", "v1.2.3"},
		"upgraded to 1.2.3 in March":  {"v1.2.3", "1.2.3"},
		"in internal/words/fold.go":   {"internal/words/fold.go", "fold.go", "words/fold", "fold"},
		"john.doe@example.com":        {"john.doe@example.com", "doe", "example.com"},
		"http://10.0.0.1:8080/status": {"10.0.0.1", "8080", "http://10.0.0.1:8080"},
		"id 550e8400-e29b-41d4-a716-446655440000": {
			"550e8400-e29b-41d4-a716-446655440000", "550E8400E29B41D4A716446655440000", "e29b",
		},
		"gen-itgc后50条": {"itgc", "gen-itgc", "50", "50条"},
	} {
		for _, question := range questions {
			if !finds(text, question) {
				t.Errorf("%q does not find %q: %v in %v", question, text, words.Query(question), words.Terms(text))
			}
		}
	}
}

func TestScriptsWithoutBlanks(t *testing.T) {
	for text, questions := range map[string][]string{
		"打印机在二楼会议室旁边":  {"打印机", "会议室", "机", "二楼", "旁"},
		"サーバーの設定を変更した": {"サーバー", "設定", "変更", "の"},
		"서울의 학교에서 만났다": {"학교", "서울", "만났다", "교"},
		"เครื่องพิมพ์อยู่ชั้นสองข้างห้องประชุม": {"ห้องประชุม", "เครื่องพิมพ์", "ชั้นสอง"},
		"ຫ້ອງປະຊຸມຢູ່ຊັ້ນສອງ":                   {"ປະຊຸມ"},
		"ម៉ាស៊ីនបោះពុម្ពនៅជាន់ទីពីរ":            {"បោះពុម្ព"},
		"ပုံနှိပ်စက်သည်ဒုတိယထပ်တွင်ရှိသည်":      {"ဒုတိယ"},
	} {
		for _, question := range questions {
			if !finds(text, question) {
				t.Errorf("%q does not find %q", question, text)
			}
		}
	}
	for text, question := range map[string]string{"会议室": "室会", "か": "が", "บ้าน": "บาน", "学校": "学生"} {
		if finds(text, question) {
			t.Errorf("%q finds %q", question, text)
		}
	}
}

func TestFormatVersionNamesTheStemmers(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, version, _ := strings.Cut(string(mod), "github.com/blevesearch/snowballstem v")
	version = strings.Fields(version)[0]
	if !strings.HasSuffix(words.FormatVersion, "/snowballstem-"+version) {
		t.Errorf("FormatVersion is %q, and the module %s: texts stemmed by another version would stay", words.FormatVersion, version)
	}
}

// Blocks of one script are told by their bounds, others by Unicode's tables.
func TestScriptsAreThoseOfUnicode(t *testing.T) {
	for r := rune(0x80); r <= 0x2ffff; r++ {
		if !unicode.IsLetter(r) || !norm.NFKC.IsNormalString(string(r)) {
			continue
		}
		switch {
		case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar):
			if got := words.Terms("a" + string(r)); len(got) != 2 || got[0] != "a" {
				t.Errorf("%U after a letter: %q, want two words", r, got)
			}
		case unicode.Is(unicode.Latin, r):
			if got := words.Terms("а" + string(r)); len(got) != 2 {
				t.Errorf("%U after a Cyrillic letter: %q, want two words", r, got)
			}
		case unicode.Is(unicode.Cyrillic, r) && unicode.IsLower(r):
			if got := words.Terms("a" + string(r)); len(got) != 2 {
				t.Errorf("%U after a Latin letter: %q, want two words", r, got)
			}
		}
	}
}
