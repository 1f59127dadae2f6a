package cli

import (
	"context"
	"fmt"
	"strings"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/sqlite"
)

// search looks at what search by meaning needs.
func (d *doctor) search(ctx context.Context, o sqlite.Overview) error {
	status, err := d.program.status(ctx, d.settings)
	if err != nil {
		return err
	}
	const files, library = "model", "ONNX Runtime"
	switch {
	case !status.State.Usable():
		d.warn(files, shellLine(append([]string{"mcp-memory", "model", "download"}, d.modelArguments()...)),
			"%s in %s: no search by meaning", describe(status.Status), status.Dir)
	case status.Reason != "":
		d.warn(files, "nothing, if that is what you want", "%s", describe(status.Status))
	default:
		d.ok(files, "%s", describe(status.Status))
	}
	if status.Library.Ready {
		d.ok(library, "found")
	} else {
		d.warn(library, "see what is said; all but search by meaning works without it", "%s", status.Library.Error)
	}
	if o.Current() {
		d.embedded(o, status)
	}
	return nil
}

// embedded compares the model of the vectors with the one in the folder.
func (d *doctor) embedded(o sqlite.Overview, status modelStatus) {
	const name = "vectors"
	mine := memory.VectorsOf(status.ID)
	done, foreign, others := ofOthers(o.Models, mine)
	_, wholes, makers := ofOthers(o.Whole, memory.WholeVectorsOf(status.ID))
	pending := o.Passages - done - foreign
	later := "a server computes those anew while it runs"
	if !status.Ready {
		later = "a server computes those anew once model and ONNX Runtime are there"
	}
	if wholes > 0 {
		d.warn(name, "nothing: "+later, "%s of another model than that in the folder: %s",
			plural(wholes, "entity has its documented vector", "entities have their documented vectors"), strings.Join(makers, ", "))
	}
	switch {
	case foreign > 0:
		d.warn(name, "nothing: "+later, "%s of another model than that in the folder: %s; %s none yet",
			plural(foreign, "passage has a vector", "passages have vectors"), strings.Join(others, ", "), plural(pending, "has", "have"))
	case pending > 0:
		d.ok(name, "%s of %s passages: %s", grouped(done), grouped(o.Passages), strings.Replace(later, "those anew", "the others", 1))
	case o.Passages == 0:
		d.ok(name, "nothing to embed: the memory is empty")
	default:
		d.ok(name, "all %s passages", grouped(o.Passages))
	}
}

// ofOthers counts the vectors of a model, and those of others, which it lists. No model
// stands for all.
func ofOthers(models []sqlite.ModelCount, mine string) (done, foreign int, others []string) {
	for _, m := range models {
		if m.Model == mine || mine == "" {
			done += m.Count
			continue
		}
		foreign += m.Count
		others = append(others, fmt.Sprintf("%s (%s)", m.Model, grouped(m.Count)))
	}
	return done, foreign, others
}
