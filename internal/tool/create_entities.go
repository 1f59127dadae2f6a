package tool

import (
	"context"

	"mcp-memory/internal/memory"
)

type createEntitiesInput struct {
	Entities []newEntity `json:"entities" jsonschema_description:"Entities to create, or to merge into those of the same name"`
}

type newEntity struct {
	Name         string   `json:"name" alias:"entityName,entity_name" form:"name" max:"512" jsonschema:"minLength=1" jsonschema_description:"Unique name, up to 512 characters"`
	EntityType   *string  `json:"entityType,omitempty" alias:"entity_type,type" max:"256" jsonschema:"default=Generic" jsonschema_description:"Kind of thing, such as person or project. Leave it out to keep the type of an existing entity"`
	Observations []string `json:"observations,omitempty" alias:"contents,content,facts" max:"1000000" jsonschema:"minLength=1" jsonschema_description:"Facts about the entity, one each; those it has already are skipped"`
}

type createEntitiesOutput struct {
	Entities []entityOutput `json:"entities" jsonschema_description:"Each entity as it is now, in the order given"`
}

func createEntities(create func(context.Context, []memory.NewEntity) ([]memory.Entity, error)) Tool {
	return typed(Tool{
		Name:  "create_entities",
		Title: "Create or extend entities",
		Description: "Remember things: create entities (people, projects, decisions, preferences…) with observations about them. " +
			"An entity of the same name is extended: new observations are added, nothing is lost. All or nothing.",
		Idempotent: true,
		Everyday:   true,
	}, func(ctx context.Context, in createEntitiesInput) (createEntitiesOutput, error) {
		items := make([]memory.NewEntity, len(in.Entities))
		for i, e := range in.Entities {
			items[i] = memory.NewEntity{Name: e.Name, Type: e.EntityType, Observations: e.Observations}
		}
		entities, err := create(ctx, items)
		return createEntitiesOutput{Entities: entitiesOf(entities)}, err
	})
}
