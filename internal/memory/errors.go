package memory

import "errors"

// Errors on which a caller decides. Their texts are written for the user.
var (
	// ErrNoModel says that there is no embedding model to use: its files are
	// missing, or else it is a *ModelError.
	ErrNoModel = errors.New("Embedding model not available") //nolint:staticcheck // documented wording, shown to users as it is

	// ErrBusy says that other processes kept the database locked for too long.
	ErrBusy = errors.New("the memory database is busy: another process has been writing for a long time; try again")

	// ErrFull says that the disk has no room for the change, which was undone.
	ErrFull = errors.New("the disk is full: nothing was changed; free some space and try again")

	// ErrMoved says that the database's path leads to another file by now, or to none.
	ErrMoved = errors.New("the file of the memory was moved, replaced or deleted while it was in use: nothing was changed; put it back, or end all AI clients that use it and start them again")

	// ErrReadOnly says that the database cannot be written.
	ErrReadOnly = errors.New("the memory database is read-only: nothing was changed; check the permissions of its file and folder")

	// ErrDisk says that the disk, or the connection to it, failed.
	ErrDisk = errors.New("the disk of the memory database failed: nothing was changed; check the disk and try again")

	// ErrUnsound says that the database refuses what it never should: rows or
	// indexes of it are damaged, or another program has changed its tables.
	ErrUnsound = errors.New("the memory database is not as it should be; 'mcp-memory doctor' says what is wrong with it")

	// ErrOddValue says that a row holds what another program wrote and nobody can
	// read. It is an ErrUnsound.
	ErrOddValue = oddValueError{}

	// ErrIndexDamaged says that an index is damaged, and nothing of what it is made
	// from.
	ErrIndexDamaged = errors.New("the search index of the memory is damaged, while what is stored is there: 'mcp-memory doctor --fix' makes it anew")

	// ErrCorrupt says that the database file is damaged.
	ErrCorrupt = errors.New("the memory database is damaged; restore a backup copy of the file")
)

type oddValueError struct{}

func (oddValueError) Error() string {
	return "the memory holds a value that another program wrote and nobody can read, such as NULL for a name: 'mcp-memory doctor --fix' mends it"
}

func (oddValueError) Unwrap() error { return ErrUnsound }

// ModelError says why the embedding model cannot be used although its files
// are there. It is an ErrNoModel; Reason is written for the user, Err for the log.
type ModelError struct {
	Reason string
	Err    error // may be nil
}

func (e *ModelError) Error() string {
	if e.Err == nil {
		return e.Text()
	}
	return e.Text() + ": " + e.Err.Error()
}

// Text is the error without what only the log should say.
func (e *ModelError) Text() string { return ErrNoModel.Error() + ": " + e.Reason }

func (e *ModelError) Unwrap() []error {
	if e.Err == nil {
		return []error{ErrNoModel}
	}
	return []error{ErrNoModel, e.Err}
}

// InputError is an argument that breaks a rule. Nothing was changed.
type InputError struct {
	Path   string // JSON path of the argument, such as entities[2].name
	Reason string // such as "must not be empty"
}

func (e *InputError) Error() string { return e.Path + ": " + e.Reason }

// NotFoundError is a name that no entity has.
type NotFoundError struct{ Name string }

func (e *NotFoundError) Error() string { return "Entity not found: " + e.Name }

// ObservationNotFoundError is an observation that an entity does not have.
type ObservationNotFoundError struct{ Content string }

// shownContent is how many characters of an observation an error repeats.
const shownContent = 200

func (e *ObservationNotFoundError) Error() string {
	content := []rune(e.Content)
	if len(content) > shownContent {
		content = append(content[:shownContent-1], '…')
	}
	return "Observation not found: " + string(content)
}
