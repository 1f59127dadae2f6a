package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"mcp-memory/internal/sqlite"
)

// What is written without the product's code is what the product's code makes.
func TestSchemaIsThatOfTheProduct(t *testing.T) {
	db, err := sqlite.OpenMemory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	product, err := schemaFiles(t.Context(), db)
	if err != nil {
		t.Fatal(err)
	}
	out := t.TempDir()
	if err := writeSchema(t.Context(), out); err != nil {
		t.Fatal(err)
	}
	if len(product) == 0 {
		t.Fatal("no schema files")
	}
	for name, want := range product {
		for _, root := range []string{out, filepath.Join("..", "..")} {
			got, err := os.ReadFile(filepath.Join(root, "sql", "schema", name))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, string(got)); diff != "" {
				t.Errorf("sql/schema/%s in %s, run make generate (-want +got):\n%s", name, root, diff)
			}
		}
	}
}
