//go:build browser

package web_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestToken(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := newTab(t, browser, s.URL)
	p.open(s.URL + "/")
	p.wait(`document.querySelector("#dialog").open && document.querySelector("#dialog h2").innerText.startsWith("This memory asks")`)
	p.write("wrong")
	p.keys("Enter")
	p.wait(`document.querySelector("#dialog h2").innerText.startsWith("This token is not")`)
	p.write(token)
	p.keys("Enter")
	p.wait(`document.querySelectorAll("#list li").length === 3`)
	p.allow("401")

	p = s.page(t)
	var address string
	p.eval(`location.href + document.cookie + JSON.stringify(history.state)`, &address)
	if strings.Contains(address, token) {
		t.Errorf("the token stays in %s", address)
	}
	p.reload()
	p.wait(`document.querySelectorAll("#list li").length === 3`)
}

// A reply that comes late is not shown over what was asked since.
func TestLateReplies(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	release, reached := make(chan struct{}), make(chan struct{}, 9)
	hold := func(r *http.Request) {
		if r.URL.Path != "/api/call" {
			return
		}
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if bytes.Contains(body, []byte(`"query":"lumen"`)) {
			reached <- struct{}{}
			<-release
		}
	}
	s.before.Store(&hold)
	p := s.page(t)
	p.click("#query")
	p.write("lumen")
	<-reached
	p.write(" galicia")
	p.wait(`document.querySelector("#summary").innerText.endsWith("by meaning")`)
	var was, is string
	p.eval(`document.querySelector("#results").innerText`, &was)
	close(release)
	p.eval(`new Promise((resolve) => setTimeout(resolve, 300))`, nil)
	p.eval(`document.querySelector("#results").innerText`, &is)
	if was != is || !strings.Contains(is, "Project Faro") {
		t.Errorf("before:\n%s\nafter the late reply:\n%s", was, is)
	}
}

func TestWithoutModel(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	s.embedder.missing.Store(true)
	p := s.page(t)
	p.click("#query")
	p.write("lighthouse")
	p.wait(`document.querySelector("#summary").innerText.startsWith("By words only. Embedding model not available")`)
	p.wait(`document.querySelectorAll("#list li mark").length >= 2`)
	p.allow("503")
}

func TestServerGone(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.wait(`document.querySelectorAll("#list li").length === 3`)
	said := `new MutationObserver((all) => { window.said = (window.said ?? 0) + all.length; }).observe(document.querySelector("#gone"), { childList: true })`
	p.eval(said+", undefined", nil)
	back := s.away()
	p.click(`#list li[data-name="Lumen"] a`)
	p.wait(`document.querySelector("#gone").checkVisibility()`)
	p.wait(`document.querySelector("#entity").innerText.includes("does not answer")`)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.wait(`document.querySelector("#entity").innerText.includes("does not answer")`)
	var times int
	if p.eval(`window.said`, &times); times != 1 {
		t.Errorf("that the server does not answer is said %d times", times)
	}
	back()
	p.wait(`document.querySelector("#gone").hidden && document.querySelector("#entity h1").innerText === "Ana Ruiz"`)
	if got := p.text(".toast:last-child span"); got != "The server answers again." {
		t.Errorf("it says %q", got)
	}
	p.allow("ERR_EMPTY_RESPONSE", "ERR_CONNECTION")
}

// Whoever only looks, or writes, is told as well, and nothing that is written is lost.
func TestServerGoneWhileWriting(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.click(".observations .add textarea")
	p.write("Likes tea")
	back := s.away()
	p.wait(`document.querySelector("#gone").checkVisibility()`)
	p.click(".observations .add button")
	p.wait(`document.querySelector(".observations .add .problem")?.innerText === "Not saved: The server does not answer."`)
	back()
	p.wait(`document.querySelector("#gone").hidden && !document.querySelector(".problem")`)
	p.wait(`document.querySelector(".observations .add textarea").value === "Likes tea"`)
	p.click(".observations .add button")
	p.wait(`document.querySelectorAll(".observations li").length === 4 && document.querySelector(".observations .add textarea").value === ""`)
	p.allow("ERR_EMPTY_RESPONSE", "ERR_CONNECTION")
}

// A proxy that does not reach the server is no server.
func TestProxyWithoutServer(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	var proxy http.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "Bad Gateway", http.StatusBadGateway) })
	s.handler.Store(&proxy)
	p.click(`#list li[data-name="Lumen"] a`)
	p.wait(`document.querySelector("#gone").checkVisibility()`)
	s.restart(token)
	p.wait(`document.querySelector("#gone").hidden && document.querySelector("#entity h1").innerText === "Lumen"`)
	p.allow("502")
}

// A server that was started anew asks for its own token, and does not know the
// changes of the one before.
func TestServerAnew(t *testing.T) {
	s := newServer(t, nil)
	s.load(t, faro)
	p := s.page(t)
	p.click(`#list li[data-name="Ana Ruiz"] a`)
	p.click(".observations li:nth-child(2) button:last-of-type")
	p.wait(`document.querySelectorAll(".observations li").length === 2 && !document.querySelector("#undo").hidden`)
	back := s.away()
	p.wait(`document.querySelector("#gone").checkVisibility()`)
	s.restart("ANOTHER-" + token)
	back()
	p.wait(`document.querySelector("#dialog").open && document.querySelector("#dialog h2").innerText.startsWith("The server was started anew")`)
	p.write("ANOTHER-" + token)
	p.keys("Enter")
	p.wait(`document.querySelector("#undo").hidden`)
	p.wait(`[...document.querySelectorAll(".toast")].some((toast) => toast.innerText.startsWith("1 change can no longer be undone"))`)
	p.wait(`document.querySelector("#gone").hidden && document.querySelectorAll(".observations li").length === 2`)

	s.restart("A-THIRD-" + token)
	p.click(`#list li[data-name="Lumen"] a`)
	p.wait(`document.querySelector("#dialog").open`)
	p.eval(`location.hash = "#token=A-THIRD-`+token+`"`, nil) // opened in the same tab
	p.wait(`!document.querySelector("#dialog").open && location.hash === "#/" && document.querySelectorAll("#list li").length === 3`)
	p.allow("401", "ERR_EMPTY_RESPONSE", "ERR_CONNECTION")
}

func TestEmpty(t *testing.T) {
	s := newServer(t, nil)
	p := s.page(t)
	p.wait(`document.querySelector("#list .empty h2").innerText === "Nothing is remembered yet"`)
	p.click("#list .empty .primary")
	p.wait(`document.activeElement.id === "new-name"`)
	p.write("東京 Café")
	p.keys("Enter")
	p.wait(`document.querySelector("#entity h1")?.innerText === "東京 Café"`)
	p.click("#undo")
	p.wait(`document.querySelector("#list .empty")`)
	p.keys("g")
	p.wait(`document.querySelector("#graph-note").innerText.startsWith("The memory is empty")`)
}
