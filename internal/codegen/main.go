// Command codegen writes what is generated from the program itself: the schema
// that sqlc reads, the schemas of the tools, and the references of the tools and
// of the command line.
package main

import (
	"context"
	"flag"
	"log"
)

func main() {
	log.SetFlags(0)
	out := flag.String("out", ".", "root of the repository to write below")
	flag.Parse()
	if err := generate(context.Background(), *out); err != nil {
		log.Fatal("codegen: ", err)
	}
}

func generate(ctx context.Context, out string) error {
	if err := writeSchema(ctx, out); err != nil {
		return err
	}
	if err := writeTools(out); err != nil {
		return err
	}
	if err := writeToolReference(out); err != nil {
		return err
	}
	return writeReference(out)
}
