package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSchemaIsCurrent(t *testing.T) {
	files, err := schemaFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 {
		t.Fatal("no schema files")
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join("..", "..", "sql", "schema", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("sql/schema/%s is out of date, run make generate (-want +got):\n%s", name, diff)
		}
	}
}

func TestWriteSchema(t *testing.T) {
	out := t.TempDir()
	if err := writeSchema(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	files, err := schemaFiles(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(out, "sql", "schema", name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, string(got)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}
