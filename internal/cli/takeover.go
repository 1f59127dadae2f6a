package cli

import (
	"context"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"mcp-memory/internal/clients"
)

// takenOver is what is taken over of other memory servers.
type takenOver struct {
	names []string // their entries
	files []string // memories to import
}

func (t takenOver) has(name string) bool { return slices.Contains(t.names, name) }

// others looks for other memory servers in a configuration, and asks whether
// they are to be taken over. The database of the Python server is used as it
// is, unless another one was asked for.
func (o *installOptions) others(cmd *cobra.Command, s *settings, config *clients.Config) (takenOver, error) {
	var t takenOver
	if o.noTakeOver {
		return t, nil
	}
	for _, server := range config.Servers() {
		kind := server.Kind(programPath())
		if kind != clients.Official && kind != clients.Python {
			continue
		}
		memory, reason := server.Memory(o.system, kind)
		use := o.describe(cmd, s, server, kind, memory, reason)
		if !o.takeOver {
			const choice = "--take-over or --no-take-over"
			if o.yes {
				return t, usageError{fmt.Errorf("another memory server is configured, and nothing was changed: add %s", choice)}
			}
			yes, err := o.ask("Take over its memory and its place?", choice)
			if err != nil {
				return t, err
			}
			if !yes {
				continue
			}
		}
		t.names = append(t.names, server.Name)
		switch {
		case kind == clients.Official && memory != "":
			t.files = append(t.files, memory)
		case use:
			if err := cmd.Flags().Set(dbSetting.flag, memory); err != nil {
				return t, fmt.Errorf("using %s: %w", memory, err)
			}
			s.db = memory
		}
	}
	return t, nil
}

// describe tells what taking over a server does, and whether its database would
// become ours.
func (o *installOptions) describe(cmd *cobra.Command, s *settings, server clients.Server, kind clients.Kind, memory, reason string) bool {
	who := map[clients.Kind]string{clients.Official: "the official memory server", clients.Python: "the Python memory server"}[kind]
	fmt.Fprintf(o.errw, "%q in this file is %s.\n", server.Name, who)
	switch {
	case memory == "":
		fmt.Fprintf(o.errw, "There is nothing to take over but its place: %s.\n", reason)
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

// load imports the memories that are taken over.
func (t takenOver) load(cmd *cobra.Command, s *settings, out, errw io.Writer) error {
	if len(t.files) == 0 {
		return nil
	}
	return s.use(cmd, errw, func(ctx context.Context, m *opened) error {
		for _, file := range t.files {
			answer, _, err := m.importFile(ctx, file)
			if err != nil {
				return fmt.Errorf("taking over %s: %w; the configuration was not changed", file, err)
			}
			answer.write(out, errw, file)
		}
		return nil
	})
}
