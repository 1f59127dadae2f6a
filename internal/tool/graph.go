package tool

import "mcp-memory/internal/memory"

// entityOutput is an entity as all replies show it.
type entityOutput struct {
	Name         string   `json:"name" jsonschema_description:"Unique name"`
	EntityType   string   `json:"entityType" jsonschema_description:"Kind of thing"`
	Observations []string `json:"observations" jsonschema_description:"Facts, oldest first"`
}

func entityOf(e memory.Entity) entityOutput {
	return entityOutput{Name: e.Name, EntityType: e.Type, Observations: nonNil(e.Observations)}
}

func entitiesOf(entities []memory.Entity) []entityOutput {
	list := make([]entityOutput, len(entities))
	for i, e := range entities {
		list[i] = entityOf(e)
	}
	return list
}

// relationOutput is a relation as all replies show it.
type relationOutput struct {
	From         string `json:"from" jsonschema_description:"Entity it starts at"`
	To           string `json:"to" jsonschema_description:"Entity it points to"`
	RelationType string `json:"relationType" jsonschema_description:"What the relation says"`
}

func relationOf(r memory.Relation) relationOutput {
	return relationOutput{From: r.From, To: r.To, RelationType: r.Type}
}

func relationsOf(relations []memory.Relation) []relationOutput {
	list := make([]relationOutput, len(relations))
	for i, r := range relations {
		list[i] = relationOf(r)
	}
	return list
}

// nonNil makes sure that a list shows as [] when it is empty.
func nonNil[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
