//go:build browser

package web_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/memory"
)

func TestUndoAfterReload(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	before := s.document(t)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.click(".observations li:nth-child(2) button:last-of-type")
	p.wait(`document.querySelectorAll(".observations li").length === 2`)
	p.click("#entity .danger")
	p.wait(`document.querySelectorAll("#list li").length === 2`)
	if asked := p.reload(); len(asked) > 0 {
		t.Errorf("with nothing unsaved the page asked by %v", asked)
	}
	p.wait(`document.querySelector("#undo").title === "Deleted Ana Ruiz (u)"`)
	p.click("#undo")
	p.wait(`document.querySelector("#entity h1")?.innerText === "Ana Ruiz"`)
	p.wait(`document.querySelector("#undo").title === "Removed an observation of Ana Ruiz (u)"`)
	p.reload()
	p.click("#undo")
	p.wait(`document.querySelectorAll(".observations li").length === 3 && document.querySelector("#undo").hidden`)
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("after undoing (-want +got):\n%s", diff)
	}

	p.click(".observations li:nth-child(2) button:last-of-type")
	p.wait(`document.querySelectorAll(".observations li").length === 2`)
	s.restart(token)
	p.reload()
	p.wait(`document.querySelector(".toast")?.innerText.startsWith("1 change can no longer be undone: the server")`)
	p.wait(`document.querySelector("#undo").hidden`)
	p.click(".observations li:nth-child(2) button:last-of-type")
	p.wait(`document.querySelectorAll(".observations li").length === 1`)
	s.restart(token)
	p.keys("u") // of what the page does not know that it is gone
	p.wait(`[...document.querySelectorAll(".toast.bad")].some((toast) => toast.innerText.includes("no longer be undone"))`)
	p.wait(`document.querySelector("#undo").hidden`)
	p.allow("410")
}

// Writing down a memory that is there already changes no type unseen.
func TestNewOfExistingName(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	before := s.document(t)
	p := s.page(t)
	p.keys("n")
	p.wait(`document.activeElement.id === "new-name"`)
	p.write("Ana Ruiz")
	p.keys("Tab")
	p.wait(`document.querySelector("#dialog .hint").innerText.startsWith("Ana Ruiz is there already, of type person.")`)
	p.write("robot")
	p.keys("Enter")
	p.wait(`document.querySelector("#dialog .problem")?.innerText.startsWith("Not saved: Ana Ruiz is there already, of type person. Leave Type empty")`)
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("changed all the same (-before +after):\n%s", diff)
	}
	p.eval(`document.querySelector("#new-type").select()`, nil)
	p.write("person")
	p.keys("Tab")
	p.write("Likes tea")
	p.click("#dialog .primary")
	p.wait(`!document.querySelector("#dialog").open && document.querySelectorAll(".observations li").length === 4`)
	if got := p.text("#entity header > .quiet"); got != "person" {
		t.Errorf("its type is %q", got)
	}
	p.click("#undo")
	p.wait(`document.querySelectorAll(".observations li").length === 3`)
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("after undoing (-want +got):\n%s", diff)
	}
}

// Of a memory that others make while it is written down as a new one, the type stays, too.
func TestNewMadeMeanwhile(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.keys("n")
	p.wait(`document.activeElement.id === "new-name"`)
	p.write("Kiko")
	p.keys("Tab")
	p.write("robot")
	cat := "cat"
	meanwhile := func(r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte("create_entities")) {
			return
		}
		if _, err := s.CreateEntities(r.Context(), []memory.NewEntity{{Name: "Kiko", Type: &cat}}); err != nil {
			t.Error(err)
		}
	}
	s.before.Store(&meanwhile)
	p.keys("Enter")
	p.wait(`document.querySelector("#dialog .problem")?.innerText === "Not saved: Kiko has been changed meanwhile: it is there now"`)
	p.keys("Enter")
	p.wait(`document.querySelector("#dialog .problem")?.innerText.startsWith("Not saved: Kiko is there already, of type cat.")`)
	if got := s.document(t); strings.Contains(got, "robot") {
		t.Errorf("the type of another is changed:\n%s", got)
	}
	p.allow("409")
}

// Nothing of what others do meanwhile is lost, and nothing of what is written.
func TestChangedMeanwhile(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.click(".observations li button")
	p.write(" alone")
	p.click("#entity header > .quiet")
	p.write("engineer")
	replace(t, s, "Ana Ruiz", "Leads the lighthouse project", "Leads two projects")
	captain := "captain"
	if _, err := s.CreateEntities(t.Context(), []memory.NewEntity{{Name: "Ana Ruiz", Type: &captain}}); err != nil {
		t.Fatal(err)
	}
	others := s.document(t)

	p.click(".editing .primary")
	p.wait(`document.querySelector(".rescue .problem")?.innerText.startsWith("The observation that you were changing was changed or removed meanwhile")`)
	p.wait(`document.querySelector(".rescue textarea").value === "Leads the lighthouse project alone" && document.activeElement === document.querySelector(".rescue textarea")`)
	p.wait(`document.querySelector(".observations ul").innerText.includes("Leads two projects")`)
	p.wait(`document.querySelector("header .problem")?.innerText.startsWith("It was changed meanwhile and is captain now")`)
	p.wait(`document.querySelector("header .inline input").value === "engineer"`)
	if diff := cmp.Diff(others, s.document(t)); diff != "" {
		t.Errorf("something of others is lost (-want +got):\n%s", diff)
	}

	p.named()
	p.click(".rescue .quiet")
	p.wait(`!document.querySelector(".rescue") && document.activeElement.innerText === "Ana Ruiz"`)
	p.click(".toast:last-child button")
	p.click(".rescue .primary")
	p.wait(`!document.querySelector(".rescue") && document.querySelectorAll(".observations li").length === 4`)
	for _, want := range []string{"Leads two projects", "Leads the lighthouse project alone"} {
		if got := p.text(".observations ul"); !strings.Contains(got, want) {
			t.Errorf("%q is not among\n%s", want, got)
		}
	}
	p.click("header .inline button") // now that it is known what is replaced
	p.wait(`document.querySelector("#entity header > .quiet")?.innerText === "engineer"`)

	replace(t, s, "Ana Ruiz", "Leads two projects", "Leads three projects")
	p.click(".observations li:nth-child(3) button:last-of-type")
	p.wait(`document.querySelector(".toast.bad:last-child")?.innerText.includes("the observation is not there any more")`)
	p.wait(`document.querySelector(".observations ul").innerText.includes("Leads three projects")`)
	p.allow("409")
}

// A memory to which others have added is not deleted before that was seen.
func TestDeletedUnseen(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.wait(`document.querySelectorAll(".observations li").length === 3`)
	if _, err := s.AddObservations(t.Context(), []memory.ObservationSet{{Name: "Ana Ruiz", Contents: []string{"Likes tea"}}}); err != nil {
		t.Fatal(err)
	}
	p.click("#entity .danger")
	p.wait(`document.querySelector(".toast.bad span")?.innerText === "Not done: Ana Ruiz has been changed meanwhile: look at it again"`)
	p.wait(`document.querySelectorAll(".observations li").length === 4`)
	p.click("#entity .danger")
	p.wait(`document.querySelectorAll("#list li").length === 2`)
	p.allow("409")
}

// Two quick clicks do once what one does, whether the second comes before the answer or
// where something else stands by then.
func TestQuickClicks(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	before := s.document(t)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.doubleClick(".observations li button:last-of-type", func() {
		p.wait(`document.querySelectorAll(".observations li").length === 2`)
	})
	p.doubleClick(".relations li button", func() {
		p.wait(`document.querySelectorAll(".relations li").length === 1`)
	})

	for _, tc := range []struct{ button, done string }{
		{".observations li button:last-of-type", `document.querySelectorAll(".observations li").length === 1`},
		{".relations li button", `document.querySelectorAll(".relations li").length === 0`},
		{"#entity .danger", `document.querySelector("#entity").hidden`},
	} {
		t.Run(tc.button, func(t *testing.T) {
			var changes atomic.Int32
			release := make(chan struct{})
			hold := func(r *http.Request) {
				if r.URL.Path == "/api/call" {
					changes.Add(1)
					<-release
				}
			}
			s.before.Store(&hold)
			at := p.at(tc.button)
			p.press(at, 1)
			p.press(at, 1)
			close(release)
			p.wait(tc.done)
			if got := changes.Load(); got != 1 {
				t.Errorf("%d changes are asked for", got)
			}
			if got := p.text(".toast.bad"); got != "" {
				t.Errorf("it says %q", got)
			}
		})
	}
	s.before.Store(nil)
	for range 5 { // no more changes than these were made
		var title string
		p.eval(`document.querySelector("#undo").title`, &title)
		p.click("#undo")
		p.wait(`document.querySelector("#undo").hidden || document.querySelector("#undo").title !== ` + quoted(title))
	}
	p.wait(`document.querySelector("#undo").hidden`)
	if diff := cmp.Diff(before, s.document(t)); diff != "" {
		t.Errorf("after undoing (-want +got):\n%s", diff)
	}
}

func TestGoneMeanwhile(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.click(".observations .add textarea")
	p.write("Likes tea")
	p.click("#entity header > .quiet")
	p.write("engineer")
	if _, _, err := s.DeleteEntities(t.Context(), []string{"Ana Ruiz"}); err != nil {
		t.Fatal(err)
	}
	p.click("header .inline button")
	p.wait(`document.querySelector("#entity h1").innerText === "There is no such memory"`)
	if _, err := s.Details(t.Context(), "Ana Ruiz"); err == nil {
		t.Error("to change its type made the memory anew")
	}
	p.wait(`document.querySelector(".rescue textarea").value === "Likes tea"`)
	p.click(".rescue .primary")
	p.wait(`document.querySelector("#entity h1").innerText === "Ana Ruiz" && document.querySelectorAll(".observations li").length === 1`)
	p.click("#undo")
	p.wait(`document.querySelector("#entity h1").innerText === "There is no such memory"`)
	p.allow("404")
}

// replace changes an observation as another program does.
func replace(t *testing.T, s *server, name, old, content string) {
	t.Helper()
	if _, err := s.AddObservations(t.Context(), []memory.ObservationSet{{Name: name, Contents: []string{content}}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.DeleteObservations(t.Context(), []memory.ObservationSet{{Name: name, Contents: []string{old}}}); err != nil {
		t.Fatal(err)
	}
}
