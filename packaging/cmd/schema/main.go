// Command schema validates a JSON file against a JSON schema, as in
//
//	schema SCHEMA FILE
package main

import (
	"errors"
	"fmt"
	"os"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

func main() {
	if err := validate(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "schema:", err)
		os.Exit(1)
	}
}

func validate(args []string) error {
	if len(args) != 2 {
		return errors.New("name a schema and a file")
	}
	schema, err := jsonschema.NewCompiler().Compile(args[0])
	if err != nil {
		return err
	}
	f, err := os.Open(args[1])
	if err != nil {
		return err
	}
	defer f.Close()
	document, err := jsonschema.UnmarshalJSON(f)
	if err != nil {
		return fmt.Errorf("read %s: %w", args[1], err)
	}
	if err := schema.Validate(document); err != nil {
		return fmt.Errorf("%s: %w", args[1], err)
	}
	return nil
}
