//go:build !race

// One call after the other: nothing for the race detector, which makes it take long.

package neutral_test

import (
	"os"
	"testing"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/onnx"
)

// heldOut are questions with the passages that answer them, in languages of
// which the constants know other sentences, and in two that they do not know.
var heldOut = map[string][]struct{ question, answer string }{
	"en": {
		{"Who gets up early?", "She is already at her desk at six in the morning."},
		{"Who must not eat bread?", "He has coeliac disease, so no gluten at all."},
		{"Who is afraid of flying?", "He always takes the train and has never set foot in a plane."},
		{"Who pays late?", "The money arrives about two months after the invoice."},
	},
	"es": {
		{"¿Quién madruga?", "A las seis de la mañana ya está en su mesa."},
		{"¿Quién no puede comer pan?", "Es celíaco, así que nada de gluten."},
		{"¿A quién le da miedo volar?", "Siempre va en tren y nunca ha pisado un avión."},
		{"¿Quién paga tarde?", "El dinero llega unos dos meses después de la factura."},
	},
	"zh": {
		{"谁起得早？", "早上六点她已经坐在办公桌前了。"},
		{"谁不能吃面包？", "他有乳糜泻，完全不能碰麸质。"},
		{"谁害怕坐飞机？", "他总是坐火车，从来没上过飞机。"},
		{"谁付款晚？", "钱大约在开发票两个月之后才到账。"},
	},
	"ru": {
		{"Кто рано встаёт?", "В шесть утра она уже за рабочим столом."},
		{"Кому нельзя хлеб?", "У него целиакия, никакого глютена."},
		{"Кто боится летать?", "Он всегда ездит поездом и ни разу не был в самолёте."},
		{"Кто платит с опозданием?", "Деньги приходят месяца через два после счёта."},
	},
	"nl": {
		{"Wie staat vroeg op?", "Om zes uur 's ochtends zit ze al achter haar bureau."},
		{"Wie mag geen brood eten?", "Hij heeft coeliakie, dus helemaal geen gluten."},
		{"Wie heeft vliegangst?", "Hij neemt altijd de trein en heeft nog nooit een voet in een vliegtuig gezet."},
		{"Wie betaalt te laat?", "Het geld komt ongeveer twee maanden na de factuur binnen."},
	},
	"pl": {
		{"Kto wcześnie wstaje?", "O szóstej rano siedzi już przy biurku."},
		{"Kto nie może jeść chleba?", "Ma celiakię, więc żadnego glutenu."},
		{"Kto boi się latać?", "Zawsze jeździ pociągiem i nigdy nie był w samolocie."},
		{"Kto płaci z opóźnieniem?", "Pieniądze przychodzą jakieś dwa miesiące po fakturze."},
	},
}

// embedded is a text of heldOut with its vectors.
type embedded struct {
	language        string
	fact            int
	vector, without []float32 // as the model makes it, and without the language
}

// Each question is put to all passages but its answer in its own language: now
// any answer in another language is nearer than what is not to the point.
func TestAnswersAreFoundInOtherLanguages(t *testing.T) {
	dir := os.Getenv("MCP_MEMORY_TEST_MODEL_DIR")
	if dir == "" {
		t.Fatal("this test needs the embedding model: run `make test`, or set MCP_MEMORY_TEST_MODEL_DIR to a folder that holds model.onnx and tokenizer.json")
	}
	model := onnx.New(onnx.Options{ModelDir: dir})
	t.Cleanup(func() {
		if err := model.Close(); err != nil {
			t.Error(err)
		}
	})
	var questions, passages []embedded
	embed := func(kind memory.Kind, text string) []float32 {
		vectors, err := model.Embed(t.Context(), kind, []string{text})
		if err != nil {
			t.Fatal(err)
		}
		return vectors[0]
	}
	for language, facts := range heldOut {
		for i, fact := range facts {
			q, p := embed(memory.Query, fact.question), embed(memory.Passage, fact.answer)
			questions = append(questions, embedded{language, i, q, space.Query(q)})
			passages = append(passages, embedded{language, i, p, space.Passage(p)})
		}
	}
	asMade, without := 0, 0
	for _, q := range questions {
		if nearest(q, passages, func(e embedded) []float32 { return e.vector }).fact == q.fact {
			asMade++
		}
		if nearest(q, passages, func(e embedded) []float32 { return e.without }).fact == q.fact {
			without++
		}
	}
	t.Logf("of %d questions, %d found an answer by the model's vectors, %d without language", len(questions), asMade, without)
	if want := len(questions) * 3 / 4; without < want || without <= asMade {
		t.Errorf("%d questions found an answer, want %d, and more than the %d by the model's vectors", without, want, asMade)
	}
}

// nearest is the passage nearest to a question, apart from its answer in its
// own language.
func nearest(q embedded, passages []embedded, vector func(embedded) []float32) embedded {
	var best embedded
	most := -2.0
	for _, p := range passages {
		if p.language == q.language && p.fact == q.fact {
			continue
		}
		if cos := dot(vector(q), vector(p)); cos > most {
			best, most = p, cos
		}
	}
	return best
}
