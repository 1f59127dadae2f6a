package jsonl

import (
	"io"
	"iter"
)

// MaxRecordSize is the size in bytes of the longest record, and of the longest
// line of records, that is read.
const MaxRecordSize = 64 << 20

// Limits are the greatest lengths of texts, in Unicode code points, and of
// records, in bytes. Names are measured in NFC. Zero stands for no limit, and MaxRecordSize for records.
type Limits struct {
	Name, Type, RelationType, Observation int
	RecordSize                            int
}

// Record is one record of a file: an entity, a relation, or a problem.
type Record struct {
	Line     int // where it begins, from 1
	Entity   *Entity
	Relation *Relation
	Problem  *Problem
	Altered  []string // what is not taken as it stands in the file, by field
}

// Entity is an entity record. Type is empty if none was given; Observations is
// never nil and holds no empty text.
type Entity struct {
	Name, Type   string
	Observations []string
}

// Relation is a relation record. None of its texts is empty.
type Relation struct {
	From, To, Type string
}

// Problem tells a person why there is neither entity nor relation. A skipped
// record is sound but none that can be taken; every other one is an error.
// NoRecord says that there is not even a JSON object or list, as nowhere in files
// of other kinds.
type Problem struct {
	Reason   string
	Skipped  bool
	NoRecord bool
}

// Read yields the records of r in order of their lines. An error is one of
// reading r, and the last that is yielded.
//
// Lines may end with LF, CRLF or CR and be blank, a line may hold several
// records, and a byte order mark may come first, also that of UTF-16. A
// document is {"entities": […], "relations": […]}, or a list of records, over
// any number of lines. Fields may have names
// that other servers give them, such as entity_type, contents or source.
func Read(r io.Reader, limits Limits) iter.Seq2[Record, error] {
	if limits.RecordSize <= 0 {
		limits.RecordSize = MaxRecordSize
	}
	return func(yield func(Record, error) bool) {
		rd := &reader{in: newInput(r), limits: limits, yield: yield}
		rd.all()
	}
}
