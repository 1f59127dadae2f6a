// Command derive computes the constants of package neutral from the model and
// sentences that are translations of each other.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"

	"mcp-memory/internal/onnx"
)

func main() {
	log.SetFlags(0)
	model := flag.String("model", "", "folder that holds model.onnx and tokenizer.json")
	out := flag.String("out", "internal/neutral/e5small.txt", "file to write")
	flag.Parse()
	if err := derive(context.Background(), *model, *out); err != nil {
		log.Fatal("derive: ", err)
	}
}

func derive(ctx context.Context, modelDir, out string) error {
	languages, err := translations()
	if err != nil {
		return err
	}
	engine := onnx.New(onnx.Options{ModelDir: modelDir, Threads: 1})
	defer engine.Close()
	queries, passages, err := means(ctx, engine, languages)
	if err != nil {
		return err
	}
	if err := os.WriteFile(out, constants(queries, passages), 0o644); err != nil {
		return fmt.Errorf("write the constants: %w", err)
	}
	return nil
}
