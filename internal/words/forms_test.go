package words_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"mcp-memory/internal/words"
)

//nolint:misspell // other languages
func TestFormsOfAWordMeet(t *testing.T) {
	for language, groups := range map[string][]string{
		"English": {
			"run runs running", "release releases released releasing", "decision decisions", "city cities", "café cafe cafés",
			"printer printers", "quickly quick",
		},
		"Spanish": {
			"proyecto proyectos Proyectos PROYECTOS", "lanzamiento lanzamientos", "canción canciones cancion Canción CANCIÓN cancio\u0301n",
			"información informacion informaciones", "decidir decidió decidieron decidido", "comer comí comía comían comiendo",
			"rápidamente rapidamente", "médico médica médicos medicas medico", "niño niña niños nino", "día días dia dias", "año años", "río ríos", "país países paises",
			"pingüino pinguino pingüinos", "árbol árboles arbol arboles", "estación estaciones estacion", "región regiones region",
			"ciudad ciudades", "universidad universidades", "mes meses", "actividad actividades", "hablábamos hablabamos hablar", "reunión reuniones reunion",
		},
		"Portuguese": {
			"informação informações informacao informacoes", "decisão decisões decisao decisoes", "projeto projetos",
			"reunião reunioes reunião", "menino menina meninos", "nacional nacionais", "responsável responsáveis responsavel responsaveis", "país países", "experiência experiencia experiências",
		},
		"French": {
			"décision decision décisions decisions", "projet projets", "donnée données", "liberté libertés", "grand grande grands grandes",
			"élève élèves eleve", "parler parlait parlaient",
		},
		"German": {
			"Entscheidung Entscheidungen", "Projekt Projekte Projekten Projektes", "Straße Straßen STRASSE Strasse", "schön schöne schöner schon",
			"Haus Hauses Hause", "Prüfung Prüfungen Prufung",
		},
		"Italian": {
			"decisione decisioni", "progetto progetti", "città citta", "canzone canzoni", "velocemente veloce", "libertà liberta",
		},
		"Russian": {
			"проект проекты проекта проектов ПРОЕКТ", "ёлка елка ёлки ЁЛКА", "решение решения решений", "за\u0301мок замок", "новый новая новые",
		},
		"Arabic": {
			"كتاب الكتاب بالكتاب والكتاب كِتاب كتـــاب", "مكتبة المكتبة مكتبه", "أحمد احمد", "إدارة الإدارة ادارة اداره", "مستشفى المستشفى مستشفي",
		},
	} {
		for _, group := range groups {
			forms := strings.Fields(group)
			for _, a := range forms {
				for _, b := range forms {
					if text := fmt.Sprintf(sentences[language], a); !finds(text, b) {
						t.Errorf("%s: %q does not find %q: %v in %v", language, b, a, words.Query(b), words.Terms(text))
					}
				}
			}
		}
	}
}

// Letters that stemmers do not know need not be written, in whatever language the
// text seems to be.
func TestWordsOfOtherAlphabets(t *testing.T) {
	for _, group := range []string{
		"Łódź łódź Lodz LODZ", "żółw zolw", "żółwie zolwie ŻÓŁWIE", "Đường đường duong Duong", "ışık isik ISIK", "ılık ilik", "İstanbul istanbul",
		"smørrebrød smorrebrod", "Ærø aero", "cœur coeur CŒUR", "Þórður thordur", "Seyðisfjörður seydisfjordur", "Straße strasse", "Ħamrun hamrun",
		"Ŧađđa tadda", "Čekání cekani", "hűtőszekrény hutoszekreny", "Azərbaycan azerbaycan", "Ɛwɛ ewe", "ŋutila nutila",
	} {
		forms := strings.Fields(group)
		for language, sentence := range sentences {
			for _, a := range forms {
				for _, b := range forms {
					if text := fmt.Sprintf(sentence, a); !finds(text, b) {
						t.Errorf("in %s: %q does not find %q: %v in %v", language, b, a, words.Query(b), words.Terms(text))
					}
				}
			}
		}
	}
}

func TestWordsStayApart(t *testing.T) {
	for language, pairs := range map[string][][2]string{
		"English": {{"universe", "printer"}, {"port", "portal"}},
		"Spanish": {{"casa", "cosa"}, {"proyecto", "protesta"}, {"pero", "perro"}},
		"German":  {{"Haus", "Maus"}},
		"Russian": {{"проект", "решение"}},
		"Arabic":  {{"كتاب", "مكتبة"}},
	} {
		for _, pair := range pairs {
			if finds(fmt.Sprintf(sentences[language], pair[0]), pair[1]) {
				t.Errorf("%s: %q finds %q", language, pair[1], pair[0])
			}
		}
	}
}

// A question may be in another language than the text: names and loanwords
// are found all the same.
func TestQuestionsInOtherLanguagesFindTheWordsTheyShare(t *testing.T) {
	text := "El lanzamiento de Kubernetes se decidió en la reunión de marzo"
	for _, question := range []string{"Kubernetes", "kubernetes", "lanzamientos", "lanzamiento", "marzo", "reuniones", "reunion"} {
		for language, sentence := range sentences {
			var found bool
			for _, w := range words.Query(fmt.Sprintf(sentence, question)) {
				found = found || slices.ContainsFunc(w.Variants, func(v string) bool {
					return slices.Contains(w.Variants, words.Query(question)[0].Variants[0]) && slices.Contains(words.Terms(text), v)
				})
			}
			if !found {
				t.Errorf("%q in a question in %s does not find %q", question, language, text)
			}
		}
	}
}

func TestGermanUmlautsAsTwoLetters(t *testing.T) {
	if text := "Das Büro in München ist über den Fluss zu erreichen"; !finds(text, "das Buero in Muenchen zu erreichen") {
		t.Errorf("%q is not found", text)
	}
	if text := "Das Buero in Muenchen ist neu"; !finds(text, "Büro München") {
		t.Errorf("%q is not found", text)
	}
}
