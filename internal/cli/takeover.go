package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/clients"
)

// takenOver is what is taken over of other memory servers.
type takenOver struct {
	entries []clients.Entry
	files   []string // memories to import
	base    string   // the database that is used since it was that of one of them; "" for none
	lack    []string // what could not be imported of them
	left    int      // how many records that is
}

func (t *takenOver) has(e clients.Entry) bool { return slices.Contains(t.entries, e) }

// otherMemories lists the other memory servers in a configuration: those for all folders,
// and those that count more in some.
func otherMemories(config *clients.Config) (others []clients.Server) {
	for _, server := range slices.Concat(config.Servers(), config.Local()) {
		if kind := server.Kind(programPath()); kind == clients.Official || kind == clients.Python {
			others = append(others, server)
		}
	}
	return others
}

// others looks for other memory servers in a configuration, and asks whether
// they are to be taken over. The database of the Python server is used as it
// is, unless another one was asked for.
func (o *installOptions) others(cmd *cobra.Command, s *settings, config *clients.Config) (*takenOver, error) {
	t := &takenOver{}
	if o.noTakeOver {
		return t, nil
	}
	for _, server := range otherMemories(config) {
		kind := server.Kind(programPath())
		source := t.source(server, kind, o.system)
		use := o.describe(cmd, s, server, kind, source)
		if source.Elsewhere && !o.replace {
			o.sayHow(s, config, source)
		}
		take, err := o.decide(cmd.Context(), server, config, source)
		if err != nil {
			return t, err
		}
		if !take {
			continue
		}
		t.entries = append(t.entries, server.Entry())
		switch {
		case o.replace:
		case kind == clients.Official && source.Path != "":
			if !slices.Contains(t.files, source.Path) {
				t.files = append(t.files, source.Path)
			}
		case kind == clients.Python && source.Path == s.db:
			t.base = s.db
		case use:
			t.base = source.Path
			if err := cmd.Flags().Set(dbSetting.flag, source.Path); err != nil {
				return t, fmt.Errorf("using %s: %w", source.Path, err)
			}
			s.db = source.Path
		}
	}
	return t, nil
}

// source is where a server keeps its memory. Of several databases only one can be used
// as it is.
func (t *takenOver) source(server clients.Server, kind clients.Kind, system clients.System) clients.Source {
	source := server.Memory(system, kind)
	if kind != clients.Python || t.base == "" || source.Path == "" || source.Path == t.base {
		return source
	}
	return clients.Source{
		Reason: fmt.Sprintf("its database is %s, and %s is used already", source.Path, t.base), Elsewhere: true,
		Remedy: shellLine([]string{"mcp-memory", "--db", source.Path, "export"}) + " > memory.jsonl",
	}
}

// decide whether a server is taken over. What may lie elsewhere is never lost
// sight of without an explicit word.
func (o *installOptions) decide(
	ctx context.Context, server clients.Server, config *clients.Config, source clients.Source,
) (bool, error) {
	const choice = "--take-over, --replace or --no-take-over"
	kept := fmt.Errorf("the memory of %q could not be taken over: its entry in %s stays as it is, and nothing was changed", server.Entry(), config.Path)
	question := "Take over its memory and its place?"
	if server.Folder != "" {
		question = "Take over its memory, and have that folder use this one as all others do?"
	}
	switch {
	case o.replace, o.takeOver && !source.Elsewhere:
		return true, nil
	case o.takeOver && (o.yes || o.in == nil):
		return false, kept
	case o.yes:
		return false, usageError{errors.New("another memory server is configured, and nothing was changed: add " + choice)}
	case source.Elsewhere:
		question = "Take its place without its memory?"
	}
	yes, err := o.ask(ctx, question, choice)
	if err == nil && !yes && o.takeOver {
		err = kept
	}
	return yes, err
}

// describe tells what taking over a server does, and whether its database would
// become ours.
func (o *installOptions) describe(cmd *cobra.Command, s *settings, server clients.Server, kind clients.Kind, source clients.Source) bool {
	who := map[clients.Kind]string{clients.Official: "the official memory server", clients.Python: "the Python memory server"}[kind]
	if server.Folder == "" {
		fmt.Fprintf(o.errw, "%q in this file is %s.\n", server.Name, who)
	} else {
		fmt.Fprintf(o.errw, "%q in this file, for %s alone, is %s.\n", server.Name, server.Folder, who)
	}
	switch memory := source.Path; {
	case o.replace && memory != "":
		fmt.Fprintf(o.errw, "Only its place is taken: its memory, %s, is left alone.\n", memory)
	case o.replace:
		fmt.Fprintf(o.errw, "Only its place is taken, not its memory: %s.\n", source.Reason)
	case source.Elsewhere:
		fmt.Fprintf(o.errw, "Its memory can't be taken over: %s.\n", source.Reason)
	case memory == "":
		fmt.Fprintf(o.errw, "There is nothing to take over but its place: %s.\n", source.Reason)
	case kind == clients.Official:
		fmt.Fprintf(o.errw, "Its memory would be imported from %s, which stays as it is.\n", memory)
	case memory == s.db:
		fmt.Fprintf(o.errw, "Its database, %s, is the one used here: at the first start it is brought up to date, and a copy kept.\n", memory)
	case cmd.Flags().Changed(dbSetting.flag):
		fmt.Fprintf(o.errw, "Its database, %s, is left alone, since --%s names another one.\n", memory, dbSetting.flag)
	default:
		fmt.Fprintf(o.errw, "Its database, %s, would be used instead of %s.\n", memory, s.db)
		return true
	}
	return false
}

// sayHow tells how to take over by hand what can't be read from here.
func (o *installOptions) sayHow(s *settings, config *clients.Config, source clients.Source) {
	command := func(words ...string) string {
		return shellLine(append(append([]string{"mcp-memory"}, s.arguments()...), words...))
	}
	file := "FILE"
	fmt.Fprintln(o.errw, "To take it over by hand:")
	if source.Remedy != "" {
		file = "memory.jsonl"
		fmt.Fprintf(o.errw, "  get its file:     %s\n", source.Remedy)
	}
	fmt.Fprintf(o.errw, "  if there is one:  %s\n", command("import", file))
	again := []string{"install", config.Client.ID}
	if o.name != "memory" {
		again = append(again, "--name", o.name)
	}
	switch {
	case o.project:
		again = append(again, "--project")
	case o.file != "":
		again = append(again, "--file", config.Path)
	}
	fmt.Fprintf(o.errw, "  take its place:   %s\n", command(append(again, "--replace")...))
}

// load imports the memories that are taken over. A file of which nothing can be
// imported is an error; of others, what is lacking is kept in mind.
func (t *takenOver) load(cmd *cobra.Command, s *settings, out, errw io.Writer) error {
	if len(t.files) == 0 {
		return nil
	}
	return s.use(cmd, makeMemory, errw, func(ctx context.Context, m *opened) error {
		for _, file := range t.files {
			answer, _, err := m.importFile(ctx, file)
			if err != nil {
				return fmt.Errorf("taking over %s: %w; the configuration was not changed", file, err)
			}
			answer.write(out, errw, file)
			bad := answer.Errors + answer.Skipped
			switch {
			case bad > 0 && answer.Entities+answer.Relations == 0:
				return fmt.Errorf("nothing of %s could be imported: is it the memory of the official server? The configuration was not changed", file)
			case bad > 0:
				t.left += bad
				t.lack = append(t.lack, fmt.Sprintf("%s of %s could not be imported; all others were. The file stays as it is: mend what is left out, and run `%s`",
					plural(bad, "record", "records"), file, shellLine(append(append([]string{"mcp-memory"}, s.arguments()...), "import", file))))
			case answer.NotIndexed != "":
				t.lack = append(t.lack, fmt.Sprintf("all of %s is imported, but %s", file, answer.NotIndexed))
			}
		}
		return nil
	})
}

// incomplete says what was not taken over, though the entry was replaced.
func (t *takenOver) incomplete(done *placed) error {
	if len(t.lack) == 0 {
		return nil
	}
	return fmt.Errorf("%s. The entry was replaced all the same; the configuration as it was: %s", strings.Join(t.lack, ". "), done.Backup)
}
