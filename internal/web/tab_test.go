//go:build browser

package web_test

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// tab is a page of its own: nothing is shared with others.
type tab struct {
	*testing.T
	c       *chromium
	session string
	loaded  chan struct{} // has something when the page was loaded

	mu       sync.Mutex
	requests []string // addresses
	dialogs  []string // kinds of the browser's own that opened; they are accepted
	wrong    []string // errors, refused by policy and else
}

// object is a JSON object.
type object = map[string]any

// newTab opens a tab. When the test ends, all that went wrong in it fails the test,
// and so do requests to anywhere but to origin.
func newTab(t *testing.T, c *chromium, origin string) *tab {
	t.Helper()
	tb := &tab{T: t, c: c, loaded: make(chan struct{}, 9)}
	var (
		made   struct{ BrowserContextID, TargetID, SessionID string }
		into   = func(raw json.RawMessage, err error) { tb.must(err); tb.must(json.Unmarshal(raw, &made)) }
		enable = func(session string) {
			for _, domain := range []string{"Network", "Runtime", "Log", "Audits"} {
				_, _ = c.send(session, domain+".enable", nil) // a worker has not all of them
			}
		}
	)
	into(c.call("", "Target.createBrowserContext", nil))
	into(c.call("", "Target.createTarget", object{"url": "about:blank", "browserContextId": made.BrowserContextID, "width": 1280, "height": 800}))
	into(c.call("", "Target.attachToTarget", object{"targetId": made.TargetID, "flatten": true}))
	tb.session = made.SessionID
	c.mu.Lock()
	c.heard[tb.session] = func(e event) {
		if e.Method == "Target.attachedToTarget" { // a worker
			var worker struct{ SessionID string }
			if json.Unmarshal(e.Params, &worker) == nil {
				c.mu.Lock()
				c.heard[worker.SessionID] = tb.hear
				c.mu.Unlock()
				enable(worker.SessionID)
				_, _ = c.send(worker.SessionID, "Runtime.runIfWaitingForDebugger", nil)
			}
			return
		}
		tb.hear(e)
	}
	c.mu.Unlock()
	enable(tb.session)
	tb.do("Page.enable", nil)
	tb.do("Target.setAutoAttach", object{"autoAttach": true, "waitForDebuggerOnStart": true, "flatten": true})
	t.Cleanup(func() {
		// A page that is being loaded may never end.
		if ended, err := c.send("", "Target.disposeBrowserContext", object{"browserContextId": made.BrowserContextID}); err == nil {
			select {
			case <-ended:
			case <-time.After(10 * time.Second):
			}
		}
		tb.mu.Lock()
		defer tb.mu.Unlock()
		for _, url := range tb.requests {
			if !strings.HasPrefix(url, origin+"/") && url != "about:blank" && !strings.HasPrefix(url, "data:") {
				t.Errorf("a request to %s", url)
			}
			if strings.Contains(url, "?") {
				t.Errorf("a request with a query: %s", url)
			}
		}
		if len(tb.requests) == 0 {
			t.Error("no requests were seen")
		}
		for _, text := range tb.wrong {
			t.Errorf("the page: %s", text)
		}
	})
	return tb
}

// hear notes requests and what goes wrong.
func (t *tab) hear(e event) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch e.Method {
	case "Network.requestWillBeSent":
		var sent struct{ Request struct{ URL string } }
		_ = json.Unmarshal(e.Params, &sent)
		t.requests = append(t.requests, sent.Request.URL)
	case "Page.loadEventFired":
		t.loaded <- struct{}{}
	case "Page.javascriptDialogOpening":
		var opened struct{ Type string }
		_ = json.Unmarshal(e.Params, &opened)
		t.dialogs = append(t.dialogs, opened.Type)
		_, _ = t.c.send(t.session, "Page.handleJavaScriptDialog", object{"accept": true})
	case "Runtime.exceptionThrown":
		t.wrong = append(t.wrong, e.Method+" "+string(e.Params))
	case "Audits.issueAdded": // of style as well, which is not for here
		if strings.Contains(string(e.Params), "ContentSecurityPolicy") {
			t.wrong = append(t.wrong, e.Method+" "+string(e.Params))
		}
	case "Log.entryAdded":
		var logged struct {
			Entry struct{ Source, Level, Text, URL string }
		}
		_ = json.Unmarshal(e.Params, &logged)
		if logged.Entry.Level == "error" {
			t.wrong = append(t.wrong, fmt.Sprintf("%s: %s (%s)", logged.Entry.Source, logged.Entry.Text, logged.Entry.URL))
		}
	case "Runtime.consoleAPICalled":
		var called struct{ Type string }
		_ = json.Unmarshal(e.Params, &called)
		if called.Type == "error" || called.Type == "warning" {
			t.wrong = append(t.wrong, "console: "+string(e.Params))
		}
	}
}

// allow forgets what went wrong if the test means it to: texts with any of these.
func (t *tab) allow(texts ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	var left []string
	for _, wrong := range t.wrong {
		meant := false
		for _, text := range texts {
			meant = meant || strings.Contains(wrong, text)
		}
		if !meant {
			left = append(left, wrong)
		}
	}
	t.wrong = left
}

func (t *tab) must(err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (t *tab) do(method string, params any) json.RawMessage {
	t.Helper()
	raw, err := t.c.call(t.session, method, params)
	t.must(err)
	return raw
}

// eval evaluates JavaScript, a promise's value where it is one, into what is given.
func (t *tab) eval(script string, into any) {
	t.Helper()
	var out struct {
		Result struct {
			Value       json.RawMessage
			Description string
		}
		ExceptionDetails *struct {
			Text      string
			Exception struct{ Description string }
		}
	}
	raw := t.do("Runtime.evaluate", object{"expression": script, "awaitPromise": true, "returnByValue": true})
	t.must(json.Unmarshal(raw, &out))
	if out.ExceptionDetails != nil {
		t.Fatalf("%s: %s %s", script, out.ExceptionDetails.Text, out.ExceptionDetails.Exception.Description)
	}
	if into != nil && len(out.Result.Value) > 0 {
		t.must(json.Unmarshal(out.Result.Value, into))
	}
}

// reload loads the page anew, and returns the kinds of dialogs by which it asked first.
func (t *tab) reload() (dialogs []string) {
	t.Helper()
	for len(t.loaded) > 0 {
		<-t.loaded
	}
	t.do("Page.reload", nil)
	<-t.loaded
	t.wait(`document.querySelector("#list li")`)
	t.mu.Lock()
	defer t.mu.Unlock()
	dialogs, t.dialogs = t.dialogs, nil
	return dialogs
}

// wait waits until JavaScript is true, 30 seconds at most.
func (t *tab) wait(condition string) {
	t.Helper()
	t.waitFor(30, condition)
}

// settled waits until the layout of the graph has settled: a large one takes the
// processor for long.
func (t *tab) settled() {
	t.Helper()
	t.waitFor(180, `document.body.dataset.layout === "settled"`)
}

func (t *tab) waitFor(seconds int, condition string) {
	t.Helper()
	var came bool
	t.eval(`new Promise((resolve) => {
		const until = performance.now() + 1000 * `+strconv.Itoa(seconds)+`;
		const look = () => {
			let met = false;
			try { met = Boolean(`+condition+`); } catch {}
			if (met || performance.now() > until) resolve(met); else setTimeout(look, 15);
		};
		look();
	})`, &came)
	if !came {
		var text string
		t.eval(`location.hash + "\n" + document.body.innerText`, &text)
		t.Fatalf("never came true: %s\nThe page says:\n%.800s", condition, text)
	}
}

// named checks that all that can be used has a name for who does not see it.
func (t *tab) named() {
	t.Helper()
	type value struct{ Value any }
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name value
			Properties []struct {
				Name  string
				Value value
			}
		}
	}
	t.must(json.Unmarshal(t.do("Accessibility.getFullAXTree", nil), &tree))
	focusable := 0
	for _, node := range tree.Nodes {
		for _, property := range node.Properties {
			if property.Name != "focusable" || node.Ignored || node.Role.Value == "RootWebArea" {
				continue
			}
			focusable++
			if name, _ := node.Name.Value.(string); strings.TrimSpace(name) == "" {
				t.Errorf("a %v has no name", node.Role.Value)
			}
		}
	}
	if focusable < 10 {
		t.Errorf("only %d elements can be used", focusable)
	}
}

// text is the text of the first element of a selector.
func (t *tab) text(selector string) (text string) {
	t.Helper()
	t.eval(`(document.querySelector(`+quoted(selector)+`)?.innerText ?? "").trim()`, &text)
	return text
}

func quoted(text string) string {
	b, _ := json.Marshal(text)
	return string(b)
}

// open goes to an address.
func (t *tab) open(url string) {
	t.Helper()
	t.do("Page.navigate", object{"url": url})
}

// click clicks where an element is.
func (t *tab) click(selector string) {
	t.Helper()
	at := t.at(selector)
	t.press(at, 1)
}

// doubleClick clicks twice where an element is, whatever is there at the second time,
// which is after what is given.
func (t *tab) doubleClick(selector string, between func()) {
	t.Helper()
	at := t.at(selector)
	t.press(at, 1)
	between()
	t.press(at, 2)
}

type point struct{ X, Y float64 }

// at is the middle of an element.
func (t *tab) at(selector string) (at point) {
	t.Helper()
	t.wait(`document.querySelector(` + quoted(selector) + `)?.checkVisibility()`)
	t.eval(`(() => {
		const element = document.querySelector(`+quoted(selector)+`);
		element.scrollIntoView({ block: 'center' });
		const r = element.getBoundingClientRect();
		return { x: r.x + r.width / 2, y: r.y + r.height / 2 };
	})()`, &at)
	return at
}

// press clicks at a place: count is 2 for the second of a double click.
func (t *tab) press(at point, count int) {
	t.Helper()
	t.mouse("mouseMoved", at.X, at.Y, 0)
	t.mouse("mousePressed", at.X, at.Y, count)
	t.mouse("mouseReleased", at.X, at.Y, count)
}

func (t *tab) mouse(kind string, x, y float64, count int) {
	t.Helper()
	params := object{"type": kind, "x": x, "y": y}
	if kind != "mouseMoved" {
		params["button"], params["clickCount"] = "left", count
	}
	if kind == "mousePressed" {
		params["buttons"] = 1
	}
	t.do("Input.dispatchMouseEvent", params)
}

// keys presses keys, one after the other: names as of KeyboardEvent.key, or single
// characters.
func (t *tab) keys(names ...string) {
	t.Helper()
	codes := map[string]int{"Enter": 13, "Escape": 27, "Tab": 9, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37, "ArrowRight": 39, " ": 32}
	for _, name := range names {
		params := object{"type": "keyDown", "key": name, "windowsVirtualKeyCode": codes[name]}
		if name == "Enter" {
			params["text"] = "\r"
		} else if len([]rune(name)) == 1 {
			params["text"] = name
		}
		t.do("Input.dispatchKeyEvent", params)
		t.do("Input.dispatchKeyEvent", object{"type": "keyUp", "key": name, "windowsVirtualKeyCode": codes[name]})
	}
}

// write types a text, key by key.
func (t *tab) write(text string) {
	t.Helper()
	t.keys(strings.Split(text, "")...)
}

// picture writes what is seen as a PNG.
func (t *tab) picture(path string) {
	t.Helper()
	var shot struct{ Data string }
	t.must(json.Unmarshal(t.do("Page.captureScreenshot", object{"format": "png"}), &shot))
	content, err := base64.StdEncoding.DecodeString(shot.Data)
	t.must(err)
	t.must(os.WriteFile(path, content, 0o644))
}

// screen sets the size of the window; narrow ones are a phone's.
func (t *tab) screen(width, height int) {
	t.Helper()
	t.do("Emulation.setDeviceMetricsOverride", object{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
}

// prefers sets the theme of the system.
func (t *tab) prefers(scheme string) {
	t.Helper()
	t.do("Emulation.setEmulatedMedia", object{"features": []object{{"name": "prefers-color-scheme", "value": scheme}}})
}
