package cli

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mcp-memory/internal/sqlite"
)

func TestWriteDiagnosis(t *testing.T) {
	d := diagnosis{OK: true, Fixed: []string{"2 relations are stored twice"}, Backup: "/m/memory.db.bak-7-20260101T000000Z"}
	d.ok("database", "/m/memory.db, %s", "12 kB")
	d.warn("permissions", "mcp-memory doctor --fix", "not only you can read or write: memory.db (0644)")
	d.add(check{Name: "data", State: stateFail, What: "3 observations\nof entities that are gone", Do: "mcp-memory doctor --fix", Examples: []string{"observation 1\tof entity 9"}})
	var b strings.Builder
	if err := writeDiagnosis(&b, d); err != nil {
		t.Fatal(err)
	}
	want := `fixed: 2 relations are stored twice
the database as it was: /m/memory.db.bak-7-20260101T000000Z

STATE  CHECK        WHAT IS, AND WHAT TO DO
ok     database     /m/memory.db, 12 kB
warn   permissions  not only you can read or write: memory.db (0644)
                    → mcp-memory doctor --fix
fail   data         3 observations of entities that are gone
                    - observation 1 of entity 9
                    → mcp-memory doctor --fix

1 thing is wrong, 1 is worth a look.
`
	if b.String() != want {
		t.Errorf("written:\n%s\nwant:\n%s", b.String(), want)
	}
	if d.OK {
		t.Error("a failed check left the diagnosis as OK")
	}
}

func TestVerdict(t *testing.T) {
	for want, states := range map[string][]checkState{
		"All is well.": {stateOK},
		"Nothing is wrong; 1 thing is worth a look.":   {stateOK, stateWarn},
		"Nothing is wrong; 2 things are worth a look.": {stateWarn, stateWarn},
		"1 thing is wrong.":                            {stateFail, stateOK},
		"2 things are wrong.":                          {stateFail, stateFail},
		"2 things are wrong, 2 are worth a look.":      {stateFail, stateWarn, stateFail, stateWarn},
	} {
		var d diagnosis
		for _, s := range states {
			d.add(check{State: s})
		}
		if got := d.verdict(); got != want {
			t.Errorf("verdict on %v is %q, want %q", states, got, want)
		}
	}
}

// Every check that a database goes through has words, and belongs to a group.
func TestVocabularyIsComplete(t *testing.T) {
	groups := map[string]bool{groupPages: true, groupSchema: true, groupData: true, groupNames: true, groupIndex: true, groupVectors: true}
	for _, check := range sqlite.Checks() {
		if w := wordsOf(check); !groups[w.group] || w.one == "" || w.more == "" {
			t.Errorf("check %s is told as %+v", check, w)
		}
	}
	if len(vocabulary) != len(sqlite.Checks()) {
		t.Errorf("words for %d checks, of which there are %d", len(vocabulary), len(sqlite.Checks()))
	}
}

func TestEmbedded(t *testing.T) {
	const mine, other = "mine", "other"
	for want, test := range map[string]struct {
		o     sqlite.Overview
		model string
		ready bool
	}{
		"ok nothing to embed: the memory is empty":                                               {sqlite.Overview{}, mine, true},
		"ok all 1,200 passages":                                                                  {sqlite.Overview{Passages: 1200, Models: []sqlite.ModelCount{{Model: "mine/neutral1", Count: 1200}}}, mine, true},
		"ok 5 of 7 passages: a server computes the others while it runs":                         {sqlite.Overview{Passages: 7, Models: []sqlite.ModelCount{{Model: "mine/neutral1", Count: 5}}}, mine, true},
		"ok 5 of 8 passages: a server computes the others once model and ONNX Runtime are there": {sqlite.Overview{Passages: 8, Models: []sqlite.ModelCount{{Model: "other/neutral1", Count: 5}}}, "", false},
		"warn 3 passages have vectors of another model than that in the folder: other/neutral1 (3); 1 has none yet": {
			sqlite.Overview{Passages: 9, Models: []sqlite.ModelCount{{Model: "mine/neutral1", Count: 5}, {Model: "other/neutral1", Count: 3}}}, mine, true,
		},
		"warn 1 passage has a vector of another model than that in the folder: other/neutral0 (1); 0 have none yet": {
			sqlite.Overview{Passages: 1, Models: []sqlite.ModelCount{{Model: "other/neutral0", Count: 1}}}, other, true,
		},
		"warn 2 entities have their documented vectors of another model than that in the folder: other/text1 (2)": {
			sqlite.Overview{Passages: 1, Models: []sqlite.ModelCount{{Model: "mine/neutral1", Count: 1}}, Whole: []sqlite.ModelCount{{Model: "mine/text1", Count: 7}, {Model: "other/text1", Count: 2}}}, mine, true,
		},
	} {
		var d doctor
		var status modelStatus
		status.ID, status.Ready = test.model, test.ready
		d.embedded(test.o, status)
		if got := string(d.Checks[0].State) + " " + d.Checks[0].What; got != want {
			t.Errorf("told %q, want %q", got, want)
		}
	}
}

// What others may do with the files shows, and can be put right; a folder in
// which everybody may only delete what is theirs is none of it.
func TestPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("there are no such permissions here")
	}
	for _, test := range []struct {
		folder, file, copied os.FileMode
		want                 []string
	}{
		{0o700, 0o600, 0o600, []string{"ok only you can read the files"}},
		{0o755, 0o600, 0o400, []string{"ok only you can read the files"}},
		{os.ModeSticky | 0o777, 0o600, 0o600, []string{"ok only you can read the files"}},
		{0o700, 0o640, 0o644, []string{"warn not only you can read or write: memory.db (0640), memory.db.bak-7-x (0644)"}},
		{0o770, 0o600, 0o600, []string{"warn not only you can write in the folder FOLDER (0770)"}},
	} {
		folder := t.TempDir()
		db := filepath.Join(folder, "memory.db")
		for path, mode := range map[string]os.FileMode{db: test.file, db + ".bak-7-x": test.copied, folder: test.folder} {
			if path != folder {
				if err := os.WriteFile(path, nil, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.Chmod(path, mode); err != nil {
				t.Fatal(err)
			}
		}
		look := func() (said []string, fixes []modeFix) {
			d := doctor{settings: settings{db: db}}
			d.permissions(filesOf(db))
			for _, c := range d.Checks {
				said = append(said, string(c.State)+" "+strings.ReplaceAll(c.What, folder, "FOLDER"))
			}
			return said, d.modes
		}
		said, fixes := look()
		if strings.Join(said, "\n") != strings.Join(test.want, "\n") {
			t.Errorf("folder %v, file %v: told %q, want %q", test.folder, test.file, said, test.want)
		}
		for _, f := range fixes {
			if err := f.apply(); err != nil {
				t.Error(err)
			}
		}
		if said, fixes := look(); len(fixes) > 0 || said[0] != "ok only you can read the files" {
			t.Errorf("folder %v, file %v: put right, still told %q", test.folder, test.file, said)
		}
	}
}

func TestRestoreNamesTheLastCopy(t *testing.T) {
	db := filepath.Join(t.TempDir(), "memory.db")
	for _, name := range []string{"", ".bak-7-20260102T000000Z", ".bak-unversioned-20250102T000000Z", ".bak-part"} {
		if err := os.WriteFile(db+name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := doctor{settings: settings{db: db}}
	if got := d.restore(); !strings.Contains(got, ", such as "+db+".bak-7-20260102T000000Z; ") {
		t.Errorf("told %q", got)
	}
}
