package document

// FormatName and FormatVersion stand in the head of every document. The version
// changes when a program that knows the one before would read a document wrongly;
// sections and fields that it doesn't know it leaves out.
const (
	FormatName    = "mcp-memory"
	FormatVersion = 1
)

// Entity is an entity with what belongs to it alone. Times are as stored, in UTC
// and as 2006-01-02 15:04:05 unless another program wrote them, which may be
// empty; nil is unknown.
// Nothing but records of this document bounds what is in its texts: what older
// programs stored must come through.
type Entity struct {
	Name         string        `json:"name"`
	Type         string        `json:"entityType"`
	CreatedAt    *string       `json:"createdAt,omitempty"`
	UpdatedAt    *string       `json:"updatedAt,omitempty"`
	Access       *Access       `json:"access,omitempty"` // nil if there never was one
	Observations []Observation `json:"observations"`     // in order of insertion
}

// Time is a time as it is stored, empty where it is unknown.
func Time(t *string) string {
	if t == nil {
		return ""
	}
	return *t
}

// Observation is an observation of an entity.
type Observation struct {
	Content   string  `json:"content"`
	CreatedAt *string `json:"createdAt,omitempty"`
}

// MaxCount bounds counts of use: greater ones are read as this, and negative ones
// as 0.
const MaxCount = 1_000_000_000

// Access tells how often an entity was used, and when last.
type Access struct {
	Count int64   `json:"count"`
	Last  *string `json:"lastAccess,omitempty"`
}

// Relation is an edge between two entities, by name.
type Relation struct {
	From      string  `json:"from"`
	To        string  `json:"to"`
	Type      string  `json:"relationType"`
	CreatedAt *string `json:"createdAt,omitempty"`
}

// CoOccurrence tells how often two entities were used together, and when last.
type CoOccurrence struct {
	A     string  `json:"a"`
	B     string  `json:"b"`
	Count int64   `json:"count"`
	Last  *string `json:"lastTogether,omitempty"`
}

// Vector is what a model made of a text: that of a passage of an entity, or of the
// whole entity. Numbers are float32, little endian; in JSON, base64.
type Vector struct {
	Entity   string `json:"entity"`
	Model    string `json:"model"`
	TextHash string `json:"textHash"`
	Numbers  []byte `json:"vector"`
}

// modelField names the model that makes the vectors of the memory.
const modelField = "embeddingModel"

// The sections of a document, in their order: each refers to those before it.
const (
	entitiesSection       = "entities"
	relationsSection      = "relations"
	coOccurrencesSection  = "coOccurrences"
	passageVectorsSection = "passageVectors"
	entityVectorsSection  = "entityVectors"
)

var sections = []string{entitiesSection, relationsSection, coOccurrencesSection, passageVectorsSection, entityVectorsSection}
