// Command try starts a server that speaks MCP on standard input and output, as a
// client does, and stores and finds something there. It tells each step, and
// fails at the first that goes wrong.
//
//	try [-semantic] [-tools NAMES] -- COMMAND ARGUMENT...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"time"
)

// patience is what a server has for everything. Emulated processors are slow.
const patience = 5 * time.Minute

func main() {
	semantic := flag.Bool("semantic", false, "search by meaning, too, which needs the model and ONNX Runtime")
	tools := flag.String("tools", "", "the `names` of all tools that the server must have, with commas")
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	if err := try(ctx, os.Stdout, *semantic, *tools, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "try:", err)
		os.Exit(1)
	}
}

func try(ctx context.Context, out io.Writer, semantic bool, tools string, command []string) error {
	if len(command) == 0 {
		return errors.New("name the command that starts the server, after --")
	}
	fmt.Fprintf(out, "  start       %q\n", command)
	cmd := exec.CommandContext(ctx, command[0], command[1:]...)
	cmd.Stderr = os.Stderr
	s, err := start(cmd)
	if err != nil {
		return err
	}
	if err := s.use(out, semantic, tools); err != nil {
		_ = cmd.Process.Kill()
		return fmt.Errorf("%w (end of the server: %v)", err, cmd.Wait())
	}
	if err := s.end(); err != nil {
		return fmt.Errorf("end of the server: %w", err)
	}
	fmt.Fprintln(out, "  end         exit code 0")
	return nil
}
