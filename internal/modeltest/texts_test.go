package modeltest_test

import (
	"fmt"
	"strings"

	"golang.org/x/text/unicode/norm"
	"pgregory.net/rapid"
)

// names are few, so that calls meet. Some differ only in case, accents or what
// stands for text elsewhere, and are entities of their own all the same.
var names = []string{
	"Ana", "ana", "ANA", "Bob", "Canción", "cancion", "Straße", "STRASSE", "Łódź", "Ångström", "Καλημέρα", "Ёлка",
	"日本", "東京タワー", "が", "한국", "ภาษาไทย", "שלום", "مرحبا", "🧠", "👩‍👩‍👧 family", "a  b", "100%", "100_", `"quoted"`,
	`back\slash`, "'; DROP TABLE entities;--", "null", `["list"]`, "{}", "NEAR", "bad\uFFFDname", "<b>&amp;</b>",
	strings.Repeat("n", 512), strings.Repeat("木", 512),
}

var kinds = []string{"Persona", "persona", "Proyecto", "类型", "Generic", " padded ", strings.Repeat("t", 256), "", "  "}

var relationTypes = []string{"knows", "KNOWS", " knows", "works_at", "conoce a", "→", "一部", strings.Repeat("r", 256)}

// vocabulary is of words that say something, in no two forms.
var vocabulary = []string{
	"volcano", "guitar", "kernel", "harbour", "saffron", "glacier", "lantern", "quartz", "mosquito", "violin", "canción", "señal",
	"montaña", "Übung", "Καλημέρα", "ёлка",
}

// sentences are observations of which every part can be asked for.
var sentences = []string{
	"La canción se oyó después de las 5.", "LA CANCIÓN SE OYÓ", "cancio\u0301n decomposed", "Die Straße ist naß", "ΟΔΌΣ και οδός",
	"東京の天気は晴れ", "我们在北京开会", "ฉันชอบกินข้าว", "שלום עולם", "مرحبا بالعالم", "🧠 remembers 🧠", "100% of_all", "a%b_c*d",
	`she said "hi" \o/`, "'; DROP TABLE observations;--", "tab\there", "line\nbreak\r\nends", " padded ", `["a","b"]`, `{"a":1}`, "null",
	"\u2028\u2029\u0001\u001f\u007f", "NOT OR AND NEAR(a b)", "-x^2:(y)", "x", "é", "\uFFFD", "<script>&lt;</script>",
	strings.Repeat("a long story of quartz and lanterns, ", 80),
}

// stock is what the texts of one memory are drawn from.
type stock struct {
	names, sentences, vocabulary []string
	facts, words                 int // the highest number of a fact, and most words in a row
}

// drawStock draws it: mostly so small that calls often meet, and entities stay as small
// as makes a call cheap; sometimes all there is, so that they grow.
func drawStock(t *rapid.T) stock {
	if rapid.IntRange(0, 9).Draw(t, "all texts") == 0 {
		return stock{names, sentences, vocabulary, 50, 4}
	}
	return stock{some(t, names, 4, 9), some(t, sentences, 2, 6), some(t, vocabulary, 2, 3), 12, 2}
}

func some(t *rapid.T, list []string, least, most int) []string {
	return rapid.SliceOfNDistinct(rapid.SampledFrom(list), least, most, rapid.ID[string]).Draw(t, "some")
}

// name draws a name in one of its spellings.
func (w *world) name(t *rapid.T) string {
	n := rapid.SampledFrom(w.stock.names).Draw(t, "name")
	switch rapid.IntRange(0, 9).Draw(t, "spelling") {
	case 0:
		return norm.NFD.String(n)
	case 1:
		return " \t" + n + "\n\u00a0"
	case 2:
		return "\u3000" + norm.NFD.String(n) + " "
	}
	return n
}

// size draws how long a list is: mostly short, so that what goes wrong is easy to see,
// and often long, as most of the cost is that of a call and not of what is in it.
func size(t *rapid.T, longest int) int {
	if rapid.IntRange(0, 2).Draw(t, "long") > 0 {
		longest = 3
	}
	return rapid.IntRange(0, longest).Draw(t, "size")
}

func (w *world) names(t *rapid.T, most int) []string {
	list := make([]string, rapid.IntRange(0, most).Draw(t, "names"))
	for i := range list {
		list[i] = w.name(t)
	}
	return list
}

// observation draws a sentence of the list, or one of words.
func (w *world) observation(t *rapid.T) string {
	switch rapid.IntRange(0, 2).Draw(t, "kind of observation") {
	case 0:
		return rapid.SampledFrom(w.stock.sentences).Draw(t, "sentence")
	case 1:
		return fmt.Sprint("fact ", rapid.IntRange(0, w.stock.facts).Draw(t, "fact"))
	default:
		return strings.Join(rapid.SliceOfN(rapid.SampledFrom(w.stock.vocabulary), 1, w.stock.words).Draw(t, "words"), " ")
	}
}

func (w *world) observations(t *rapid.T) []string {
	list := make([]string, rapid.IntRange(0, 4).Draw(t, "observations"))
	for i := range list {
		list[i] = w.observation(t)
	}
	return list
}

// piece draws what somebody may look for: a part of a text that is stored, in
// another case or without accents.
func (w *world) piece(t *rapid.T) string {
	var text string
	if len(w.graph.entities) > 0 && rapid.IntRange(0, 4).Draw(t, "stored") > 0 {
		e := rapid.SampledFrom(w.graph.entities).Draw(t, "entity")
		text = rapid.SampledFrom(e.texts()).Draw(t, "text")
	} else {
		text = w.observation(t)
	}
	chars := []rune(text)
	start := rapid.IntRange(0, len(chars)).Draw(t, "start")
	end := min(len(chars), start+rapid.IntRange(0, 30).Draw(t, "length"))
	text = string(chars[start:end])
	switch rapid.IntRange(0, 3).Draw(t, "case") {
	case 0:
		return strings.ToUpper(text)
	case 1:
		return strings.ToLower(text)
	case 2:
		return folded(text)
	}
	return text
}
