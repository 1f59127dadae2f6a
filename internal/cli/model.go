package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"mcp-memory/internal/memory"
	"mcp-memory/internal/model"
	"mcp-memory/internal/onnx"
	"mcp-memory/internal/sqlite"
)

func (p Program) modelCommand(s *settings, out, errw io.Writer) *cobra.Command {
	group := &cobra.Command{
		Use:     "model",
		Short:   "Get the embedding model, or look at what is there",
		Example: `  mcp-memory model status`,
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	group.AddCommand(p.downloadCommand(s, out, errw), p.statusCommand(s, out))
	return group
}

func (p Program) downloadCommand(s *settings, out, errw io.Writer) *cobra.Command {
	o := model.DownloadOptions{Endpoint: os.Getenv("HF_ENDPOINT")}
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "download",
		Short: "Download the embedding model",
		Long: fmt.Sprintf(`Download the embedding model %s, %s, into the model
folder, once.

What is there and right is left alone, and a download that broke off is resumed.
Every file is checked (SHA-256) before it replaces another. The model hub is
%s, or the address in HF_ENDPOINT; proxies are taken from
HTTPS_PROXY. A running server takes the new model when it is started again.`, p.Model.Repository, model.FormatSize(p.Model.DownloadSize()), model.DefaultEndpoint),
		Example: `  mcp-memory model download
  mcp-memory model download --variant int8
  mcp-memory model download --from ~/Downloads/e5`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolve(cmd.Flags()); err != nil {
				return err
			}
			from, err := expandSource(o.From)
			if err != nil {
				return err
			}
			o.From = from
			if err := p.checkDownload(o); err != nil {
				return usageError{err}
			}
			return p.download(cmd.Context(), s.modelDir, o, asJSON, out, errw)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&o.Variant, "variant", p.Model.Variants[0].Name,
		"`precision` of the weights: "+strings.Join(p.Model.VariantNames(), ", ")+" (smaller ones are less exact)")
	flags.StringVar(&o.From, "from", "", "`folder` or address to take the files from instead of the model hub")
	flags.DurationVar(&o.ConnectTimeout, "connect-timeout", model.DefaultConnectTimeout, "`time` to wait for a connection, as 10s or 1m")
	flags.BoolVar(&asJSON, "json", false, "print JSON: the model and its folder")
	flags.SortFlags = false
	completeFlag(cmd, "variant", oneOf(p.Model.VariantNames()...))
	return cmd
}

// checkDownload says what is wrong with the flags of a download.
func (p Program) checkDownload(o model.DownloadOptions) error {
	if _, err := p.Model.Variant(o.Variant); err != nil {
		return fmt.Errorf("--variant: %w", err)
	}
	if o.ConnectTimeout <= 0 {
		return errors.New("--connect-timeout must be more than 0, as 10s or 1m")
	}
	if err := o.CheckAddress(); err != nil {
		if o.From == "" {
			return fmt.Errorf("HF_ENDPOINT: %q is no http(s) address", o.Endpoint)
		}
		return fmt.Errorf("--from: %w", err)
	}
	return nil
}

// expandSource expands ~ in a folder, not in an address.
func expandSource(from string) (string, error) {
	if from == "" || strings.Contains(from, "://") {
		return from, nil
	}
	return expand(from)
}

func (p Program) download(ctx context.Context, dir string, o model.DownloadOptions, asJSON bool, out, errw io.Writer) error {
	report := newProgress(errw)
	o.Progress = report.update
	err := p.Model.Download(ctx, dir, o)
	report.end()
	if err != nil {
		return err
	}
	id, err := p.Model.Identify(ctx, dir)
	if err != nil {
		return err
	}
	if asJSON {
		return writeJSON(out, struct {
			Model string `json:"model"`
			Dir   string `json:"dir"`
		}{id.ID, dir})
	}
	_, err = fmt.Fprintf(out, "%s is ready in %s\n", id.ID, dir)
	return err
}

// modelStatus is all that semantic search needs.
type modelStatus struct {
	model.Status
	Library struct {
		Ready bool   `json:"ready"`
		Error string `json:"error,omitempty"`
	} `json:"library"`
	Vectors vectorStatus `json:"vectors"`
}

// vectorStatus is how far the vectors of the database are. Those of other
// models than the one in the folder are not done.
type vectorStatus struct {
	Passages int    `json:"passages"`
	Done     int    `json:"done"`
	Reason   string `json:"reason,omitempty"` // why there are no numbers
}

func vectors(ctx context.Context, db, modelID string) vectorStatus {
	progress, err := sqlite.VectorProgress(ctx, db, modelID)
	if err != nil {
		return vectorStatus{Reason: oneLine(err)}
	}
	return vectorStatus{Passages: progress.Passages, Done: progress.Done}
}

func (v vectorStatus) String() string {
	switch {
	case v.Reason != "":
		return v.Reason
	case v.Passages == 0:
		return "nothing to embed: the memory is empty"
	}
	return fmt.Sprintf("%s of %s passages (%d %%)", grouped(v.Done), grouped(v.Passages), 100*v.Done/v.Passages)
}

// grouped writes a number with a comma before every three digits.
func grouped(n int) string {
	digits := strconv.Itoa(n)
	for i := len(digits) - 3; i > 0; i -= 3 {
		digits = digits[:i] + "," + digits[i:]
	}
	return digits
}

// status looks at model and library; how far the vectors are is left open.
func (p Program) status(ctx context.Context, of settings) (modelStatus, error) {
	files, err := p.Model.Status(ctx, of.modelDir)
	if err != nil {
		return modelStatus{}, err
	}
	s := modelStatus{Status: files}
	if err := onnx.CheckLibrary(of.library); err != nil {
		s.Library.Error = strings.TrimPrefix(oneLine(err), memory.ErrNoModel.Error()+": ")
	}
	s.Library.Ready = s.Library.Error == ""
	s.Ready = files.Ready && s.Library.Ready
	return s, nil
}

func (p Program) statusCommand(s *settings, out io.Writer) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Say which model there is, and whether semantic search is ready",
		Long: `Say which model there is, and of how many passages, the parts of memories that
are searched each by itself, the database has a vector of it: the others get
theirs while a server runs. The database is only looked at. The exit code is 0
when model and library are ready for semantic search, and 1 when they are not.`,
		Example: `  mcp-memory model status
  mcp-memory model status --json`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := s.resolve(cmd.Flags()); err != nil {
				return err
			}
			status, err := p.status(cmd.Context(), *s)
			if err != nil {
				return err
			}
			status.Vectors = vectors(cmd.Context(), s.db, memory.VectorsOf(status.ID))
			write := writeStatus
			if asJSON {
				write = writeStatusJSON
			}
			if err := write(out, status); err != nil {
				return err
			}
			if !status.Ready {
				return errNotReady
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON")
	return cmd
}

func writeStatusJSON(out io.Writer, s modelStatus) error { return writeJSON(out, s) }

func writeStatus(out io.Writer, s modelStatus) error {
	table := newTable(out)
	table.row("Folder", s.Dir)
	table.row("Model", describe(s.Status))
	for _, f := range s.Files {
		table.row("  "+f.Name, f.State, model.FormatSize(f.Size))
	}
	library := "found"
	if !s.Library.Ready {
		library = s.Library.Error
	}
	table.row("ONNX Runtime", library)
	table.row("Vectors", s.Vectors.String())
	verdict := "ready"
	if !s.Ready {
		verdict = "not ready"
		if !s.State.Usable() {
			verdict += ": run `mcp-memory model download`"
		}
	}
	table.row("Semantic search", verdict)
	return table.flush()
}

// describe says in one line what a folder holds.
func describe(s model.Status) string {
	what := string(s.State)
	if s.ID != "" {
		what += ", " + s.ID
	}
	if s.Reason != "" {
		what += " (" + s.Reason + ")"
	}
	return what
}
