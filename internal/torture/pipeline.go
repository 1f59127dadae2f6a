package torture

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// pipelined is how many requests are sent in one go.
const pipelined = 600

// pipeline sends one server hundreds of requests without waiting. Each must be
// answered once under its id, to the letter, and a read must see the writes
// that were sent before it.
func (r *run) pipeline(ctx context.Context, c clock) error {
	db, err := r.newDatabase()
	if err != nil {
		return err
	}
	v, err := r.serve(ctx, setup{db: db})
	if err != nil {
		return err
	}
	answered := 0
	for round := 0; c.goesOn(round); round++ {
		if err := v.flood(ctx, fmt.Sprintf("pipe %d", round)); err != nil {
			return fmt.Errorf("%w%s", err, v.said())
		}
		answered += pipelined
	}
	r.row(fmt.Sprintf("requests sent %d at a time without waiting", pipelined), "%d, each answered once under its id", answered)
	r.row("forms of ids", "%d, echoed to the letter", len(idForms))
	r.row("reads that missed a write sent before them", "0")
	if err := v.stop(); err != nil {
		return err
	}
	return verify(ctx, db)
}

// idForms are ids by number, in the forms that JSON has for them. None is equal
// to another one.
var idForms = []func(n int) string{
	strconv.Itoa,
	func(n int) string { return "-" + strconv.Itoa(n+1) },
	func(n int) string { return "9007199254" + fmt.Sprintf("%06d", 740993+n) }, // beyond the integers of a double
	func(n int) string { return "123456789012345678901234567890" + fmt.Sprintf("%05d", n) },
	func(n int) string { return strconv.Itoa(n) + ".5" },
	func(n int) string { return strconv.Itoa(n) + "e3" },
	func(n int) string { return strconv.Itoa(n) + "E+2" },
	func(n int) string { return strconv.Quote(strconv.Itoa(n)) },
	func(n int) string { return `"` + strings.Repeat(" ", n) + `"` },
	func(n int) string { return `"\u00e9\/\n` + strconv.Itoa(n) + `"` },
	func(n int) string { return `"é 🚲 ` + strconv.Itoa(n) + `"` },
	func(n int) string { return `"` + strings.Repeat("long ", 200) + strconv.Itoa(n) + `"` },
}

// flood sends writes to one entity, and reads of it in between.
func (v *server) flood(ctx context.Context, name string) error {
	type read struct {
		reply  <-chan answer
		before int // observations sent before it
	}
	var (
		reads []read
		sent  []string
		other = []<-chan answer{}
	)
	other = append(other, v.sendAs(idForms[0](0), "create_entities", map[string]any{"entities": []newEntity{{Name: name, Observations: []string{}}}}))
	for n := 1; n < pipelined; n++ {
		id := idForms[n%len(idForms)](n)
		switch n % 4 {
		case 0, 1:
			sent = append(sent, fmt.Sprintf("%s says %d", name, n))
			other = append(other, v.sendAs(id, "add_observations", map[string]any{"name": name, "observations": sent[len(sent)-1:]}))
		case 2:
			reads = append(reads, read{v.sendAs(id, "open_nodes", map[string]any{"names": []string{name}}), len(sent)})
		default:
			other = append(other, v.request(id, "", "ping", map[string]any{}))
		}
	}
	for _, reply := range other {
		if _, err := await(ctx, reply); err != nil {
			return err
		}
	}
	for _, one := range reads {
		raw, err := await(ctx, one.reply)
		if err != nil {
			return err
		}
		var f found
		if err := json.Unmarshal(raw, &f); err != nil {
			return err
		}
		if len(f.Entities) != 1 {
			return fmt.Errorf("a read that was sent after the entity was created finds %d entities", len(f.Entities))
		}
		got := f.Entities[0].Observations
		if len(got) < one.before || !slices.Equal(got, sent[:len(got)]) {
			return fmt.Errorf("a read that was sent after %d observations sees %d: %.300q", one.before, len(got), got)
		}
	}
	return nil
}
