package arguments

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"
	"sync"
)

// shape is what a struct type takes, read from its tags once.
type shape []field

type field struct {
	index    int
	keys     []string // the announced one first
	required bool
	rules    rules
}

// rules are what a value must keep to.
type rules struct {
	nonEmpty bool
	name     bool
	min, max *int64
	fallback string
}

var shapes sync.Map // of reflect.Type to shape

func shapeOf(t reflect.Type) shape {
	if s, ok := shapes.Load(t); ok {
		return s.(shape)
	}
	var s shape
	for i := range t.NumField() {
		s = append(s, readField(i, t.Field(i)))
	}
	shapes.Store(t, s)
	return s
}

func readField(index int, f reflect.StructField) field {
	key, options, _ := strings.Cut(f.Tag.Get("json"), ",")
	keys := []string{key}
	if alias, ok := f.Tag.Lookup("alias"); ok {
		keys = append(keys, strings.Split(alias, ",")...)
	}
	r := rules{
		name: f.Tag.Get("form") == "name",
		min:  bound(f.Tag, "min"),
		max:  bound(f.Tag, "max"),
	}
	for keyword := range strings.SplitSeq(f.Tag.Get("jsonschema"), ",") {
		switch name, value, _ := strings.Cut(keyword, "="); name {
		case "default":
			r.fallback = value
		case "minLength":
			r.nonEmpty = value != "0"
		}
	}
	return field{index: index, keys: keys, required: options != "omitempty", rules: r}
}

// bound reads a number from a tag that the program itself has written.
func bound(tag reflect.StructTag, key string) *int64 {
	text, ok := tag.Lookup(key)
	if !ok {
		return nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("arguments: tag %s:%q: %v", key, text, err))
	}
	return &n
}
