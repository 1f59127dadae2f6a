//go:build browser

package web_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

// What is written and not saved is there again, whatever happens meanwhile.
func TestDraftsAreKept(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	before := s.document(t)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.click(".observations .add textarea")
	p.write("Likes tea")
	p.click(".observations li button")
	p.write(" now")
	p.click("#entity header > .quiet")
	p.write("engineer")
	p.click(".add.relation input")
	p.write("likes")
	written := `[document.querySelector(".observations .add textarea"), document.querySelector(".editing textarea"),
		document.querySelector("header .inline input"), document.querySelector(".add.relation input")].map((f) => f?.value).join("|") ===
		"Likes tea|Leads the lighthouse project now|engineer|likes"`
	p.wait(written)
	if s.document(t) != before {
		t.Error("drafts are saved")
	}

	p.click(`#list li[data-name="Lumen"] a`)
	p.wait(`document.querySelector("#entity h1")?.innerText === "Lumen"`)
	if got := p.text(".toast:last-child span"); got != "What you wrote at Ana Ruiz is kept, and not saved yet." {
		t.Errorf("on leaving it says %q", got)
	}
	p.wait(`document.querySelector("#unsaved").getAttribute("aria-label") === "Not saved: Ana Ruiz"`)
	p.named()
	p.click("#unsaved")
	p.wait(written + ` && document.querySelector("#unsaved").hidden && !document.querySelector(".toast")`)
	p.named()
	p.click(".relations li button") // draws all anew
	p.wait(`document.querySelectorAll(".relations li").length === 1`)
	p.wait(written)
	if asked := p.reload(); !cmp.Equal(asked, []string{"beforeunload"}) {
		t.Errorf("on loading anew the page asked by %v", asked)
	}
	p.wait(written)
	p.click("#undo")
	p.wait(`document.querySelectorAll(".relations li").length === 2`)
	p.wait(written)

	p.click(".editing textarea")
	p.keys("Escape")
	p.wait(`!document.querySelector(".editing") && document.activeElement.innerText === "Edit"`)
	p.click(".toast:last-child button")
	p.wait(written)
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("drafts are saved (-want +got):\n%s", diff)
	}

	p.click(".observations .add button")
	p.wait(`document.querySelectorAll(".observations li").length === 4 && document.querySelector(".observations .add textarea").value === ""`)
	p.click(".editing .primary")
	p.wait(`!document.querySelector(".editing") && document.querySelector(".observations ul").innerText.includes("lighthouse project now")`)
	p.click("header .inline button")
	p.wait(`document.querySelector("#entity header > .quiet")?.innerText === "engineer"`)
	p.click(".add.relation input:last-of-type")
	p.write("Lumen")
	p.keys("Enter")
	p.wait(`document.querySelectorAll(".relations li").length === 3`)
	if asked := p.reload(); len(asked) > 0 {
		t.Errorf("with nothing unsaved the page asked by %v", asked)
	}
}

// A draft is seen again in a list that is not drawn as far at first.
func TestDraftFarDown(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	many := make([]string, 250)
	for i := range many {
		many[i] = fmt.Sprintf("note %d", i)
	}
	if _, err := s.AddObservations(t.Context(), []memory.ObservationSet{{Name: "Lumen", Contents: many}}); err != nil {
		t.Fatal(err)
	}
	p := s.page(t)
	p.click(`#list li[data-name="Lumen"] a`)
	p.wait(`document.querySelectorAll(".observations li").length === 200`)
	p.click(".observations .more")
	p.click(".observations li:nth-child(240) button")
	p.write(" more")
	p.reload()
	p.wait(`document.querySelector(".editing textarea").value === "note 238 more"`)
	p.wait(`document.querySelectorAll(".observations li").length === 240`)
	p.click(".editing .primary")
	p.wait(`document.querySelectorAll(".observations li").length === 200`)
}

func TestDraftOfNewMemory(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.keys("n")
	p.wait(`document.activeElement.id === "new-name"`)
	p.write("Kiko")
	p.keys("Tab", "Tab")
	p.write("A cat")
	p.reload()
	p.wait(`document.querySelector("#unsaved").title === "Not saved: a new memory"`)
	p.click("#unsaved")
	there := `document.querySelector("#new-name")?.value === "Kiko" && document.querySelector("#new-facts").value === "A cat"`
	p.wait(there)
	for name, leave := range map[string]func(){
		"Cancel": func() { p.click("#dialog .quiet") },
		"Esc":    func() { p.keys("Escape") },
		"Esc with nothing in focus": func() {
			p.eval(`document.activeElement.blur()`, nil)
			p.keys("Escape")
		},
	} {
		t.Run(name, func(*testing.T) {
			leave()
			p.wait(`!document.querySelector("#dialog").open && document.querySelector("#unsaved").hidden`)
			p.click(".toast:last-child button")
			p.wait(there)
		})
	}
	p.click("#dialog .primary")
	p.wait(`document.querySelector("#entity h1")?.innerText === "Kiko" && document.querySelector("#unsaved").hidden`)
}

// Esc discards what is written to be added, and what was discarded can be brought back
// without a loss of what was written since.
func TestEscapeDiscards(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	for field, form := range map[string]string{"textarea": ".observations .add", "input": ".add.relation"} {
		t.Run(form, func(t *testing.T) {
			written := `document.querySelector(` + quoted(form+" "+field) + `).value`
			p.click(form + " " + field)
			p.write("tea")
			p.keys("Escape")
			p.wait(written + ` === "" && document.querySelector(".toast:last-child span").innerText === "What you wrote is discarded."`)
			if asked := p.reload(); len(asked) > 0 {
				t.Errorf("with all discarded the page asked by %v", asked)
			}
			p.click(form + " " + field)
			p.write("coffee")
			p.keys("Escape")
			p.wait(written + ` === ""`)
			p.write("milk")
			p.click(".toast:last-child button")
			p.wait(written + ` === "coffee"`)
			p.click(".toast:last-child button")
			p.wait(written + ` === "milk"`)
			p.click(form + " " + field)
			p.keys("Escape")
			p.wait(written + ` === ""`)
		})
	}
}

// Whatever was written for a memory that is gone is shown there, and can be discarded.
func TestDraftsOfWhatIsGone(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.click(`#list li[data-name="Lumen"] a`)
	p.click(".observations .add textarea")
	p.write("Likes tea")
	p.click("#entity header > .quiet")
	p.write("bank")
	p.click(".add.relation input")
	p.write("funds")
	p.click("#entity .danger")
	p.wait(`document.querySelector("#entity").hidden && !document.querySelector("#unsaved").hidden`)
	p.click("#unsaved")
	p.wait(`document.querySelector("#entity h1")?.innerText === "There is no such memory" && document.querySelector("#unsaved").hidden`)
	const shown = `[...document.querySelectorAll(".rescue")].map((r) => r.querySelector("textarea, input").value).join("|")`
	p.wait(shown + ` === "Likes tea|bank|Lumen funds …"`)
	p.named()
	if asked := p.reload(); !cmp.Equal(asked, []string{"beforeunload"}) {
		t.Errorf("on loading anew the page asked by %v", asked)
	}
	p.click(".rescue:last-child .quiet")
	p.wait(shown + ` === "Likes tea|bank"`)
	p.click(".toast:last-child button") // brings it back
	p.wait(shown + ` === "Likes tea|bank|Lumen funds …"`)
	p.click(".rescue .primary")
	p.wait(`document.querySelector("#entity h1").innerText === "Lumen" && document.querySelectorAll(".observations li").length === 1`)
	p.wait(`document.querySelector("header .inline input").value === "bank" && document.querySelector(".add.relation input").value === "funds"`)
	if _, _, err := s.DeleteEntities(t.Context(), []string{"Lumen"}); err != nil {
		t.Fatal(err)
	}
	p.reload()
	for _, left := range []string{"Lumen funds …", ""} {
		p.click(".rescue .quiet")
		p.wait(shown + ` === ` + quoted(left))
	}
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.wait(`document.querySelector("#entity h1")?.innerText === "Ana Ruiz"`)
	p.wait(`document.querySelector("#unsaved").hidden`)
	if asked := p.reload(); len(asked) > 0 {
		t.Errorf("with all discarded the page asked by %v", asked)
	}
	p.allow("404")
}
