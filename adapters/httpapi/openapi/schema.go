package openapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

var null = object{{"type", "null"}}

// schema returns the members of a schema, its type first.
func schemaOf(s apidoc.Schema) (members object) {
	var parsed map[string]any
	if err := json.Unmarshal([]byte(s), &parsed); err != nil {
		panic(fmt.Sprintf("schema %s: %v", s, err))
	}
	if kind, ok := parsed["type"]; ok {
		members = members.with("type", kind)
	}
	for _, name := range slices.Sorted(maps.Keys(parsed)) {
		if name != "type" {
			members = members.with(name, parsed[name])
		}
	}
	return members
}

// record adds the schema of a record and returns a reference to it. For code generators an
// attribute is required if a response without parameters has it.
func (b *builder) record(name string, attributes []readmodel.Attribute) object {
	if b.schemas.has(name) {
		return reference("schemas", name)
	}
	place := len(b.schemas)
	b.schemas = b.schemas.with(name, nil)
	var required []string
	var properties object
	for _, group := range byName(attributes) {
		var variants []object
		always := false
		for _, a := range group {
			variants = append(variants, b.attribute(a)...)
			always = always || a.With == "" && a.Only == "" && !a.OnRequest
		}
		attribute := group[0].Name
		if always && b.codegen {
			required = append(required, attribute)
		}
		properties = properties.with(attribute, b.described(oneOf(variants), attribute, b.attributesOf(name)[attribute]))
	}
	schema := object{{"type", "object"}}
	if len(required) > 0 {
		schema = schema.with("required", required)
	}
	b.schemas[place].value = schema.with("properties", properties).with("additionalProperties", false)
	return reference("schemas", name)
}

// described adds the words for an attribute, which generators of code would take for the name of a type, and its description.
func (b *builder) described(schema object, name, description string) object {
	if !b.codegen {
		schema = schema.with("title", apidoc.Words(name))
	}
	if description == "" {
		return schema
	}
	return schema.with("description", description)
}

// byName groups the attributes that replace each other, in the order of the first of each.
func byName(attributes []readmodel.Attribute) [][]readmodel.Attribute {
	var groups [][]readmodel.Attribute
	for _, a := range attributes {
		i := slices.IndexFunc(groups, func(group []readmodel.Attribute) bool { return group[0].Name == a.Name })
		if i < 0 {
			groups = append(groups, []readmodel.Attribute{a})
			continue
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}

// attribute returns the schemas of which a value matches one.
func (b *builder) attribute(a readmodel.Attribute) []object {
	var schema object
	switch a.Kind {
	case readmodel.Object:
		schema = b.record(a.As, a.Of)
	case readmodel.List:
		schema = listOf(a.Name, b.record(a.As, a.Of))
	default:
		schema = schemaOf(apidoc.Of(a.Kind))
	}
	if a.Optional {
		return []object{schema, null}
	}
	return []object{schema}
}

// listOf returns an array of records, which in XML are items in an element of the name.
func listOf(name string, record object) object {
	return object{
		{"type", "array"},
		{"items", record.with("xml", object{{"name", "item"}})},
		{"xml", object{{"name", name}, {"wrapped", true}}},
	}
}

// oneOf returns the schema of a value that matches one of them. A plain type or null is a
// list of types, which more tools understand.
func oneOf(variants []object) object {
	if len(variants) == 1 {
		return variants[0]
	}
	first := variants[0]
	if len(variants) == 2 && variants[1][0].value == "null" && first[0].name == "type" {
		schema := append(object{{"type", []any{first[0].value, "null"}}}, first[1:]...)
		for i := range schema {
			if values, ok := schema[i].value.([]any); ok && schema[i].name == "enum" {
				schema[i].value = slices.Concat(values, []any{nil})
			}
		}
		return schema
	}
	return object{{"anyOf", variants}}
}

// changes returns the fields of a record as an update may contain them.
func changes(record []apidoc.Field) (fields []apidoc.Field) {
	for _, f := range record {
		if f.CreateOnly {
			continue
		}
		f.Required, f.NotNull = false, f.Required || f.NotNull
		if slices.ContainsFunc(f.Line, func(f apidoc.Field) bool { return f.Name == "id" }) { // else a list is replaced as a whole
			f.Line = changes(f.Line)
		}
		fields = append(fields, f)
	}
	return fields
}

// body adds the schema of a record in a body. The lines in it get a schema of their own, so
// that client generators make a named type of them.
func (b *builder) body(record, suffix string, fields []apidoc.Field) (name string) {
	name = record + suffix
	if b.schemas.has(name) {
		return name
	}
	var required []string
	var properties object
	for _, f := range fields {
		schema := schemaOf(f.Schema)
		if f.Line != nil {
			schema = reference("schemas", b.body(f.As, suffix, f.Line))
			if f.Schema != apidoc.Object {
				schema = listOf(f.Name, schema)
			}
		}
		switch {
		case f.Required:
			required = append(required, f.Name)
		case !f.NotNull:
			isNumber := strings.HasPrefix(string(f.Schema), `{"type":"integer"`)
			schema = oneOf([]object{schema, null})
			if b.codegen && isNumber { // generators of typed clients have no null in an enumeration of numbers
				schema = slices.DeleteFunc(schema, func(m member) bool { return m.name == "enum" })
			}
		}
		if f.Description == "" {
			f.Description = b.attributesOf(record)[f.Name]
		}
		if f.Alias != "" {
			f.Description += " `" + f.Alias + "` is accepted instead."
		}
		properties = properties.with(f.Name, b.described(schema, f.Name, f.Description))
	}
	schema := object{{"type", "object"}}
	if len(required) > 0 {
		schema = schema.with("required", required)
	}
	b.schemas = b.schemas.with(name, schema.with("properties", properties))
	return name
}
