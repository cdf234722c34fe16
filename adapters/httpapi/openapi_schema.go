package httpapi

import (
	"slices"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// The schemas of single values.

var (
	idSchema     = object{{"type", "integer"}, {"format", "int64"}, {"minimum", 1}}
	numberSchema = object{{"type", "integer"}, {"format", "int64"}}
	flagSchema   = object{{"type", "integer"}, {"enum", []int{0, 1}}}
	nullSchema   = object{{"type", "null"}}
)

// textSchema is a text of at most so many characters; 0: of any length.
func textSchema(longest int) object {
	s := object{{"type", "string"}}
	if longest > 0 {
		s = s.with("maxLength", longest)
	}
	return s
}

func patternSchema(pattern, example string) object {
	return object{{"type", "string"}, {"pattern", pattern}, {"examples", []string{example}}}
}

func choice(values ...string) object { return object{{"type", "string"}, {"enum", values}} }

func reference(kind, name string) object {
	return object{{"$ref", "#/components/" + kind + "/" + name}}
}

// kindSchema is how a value of the kind is shown.
func kindSchema(kind readmodel.Kind) object {
	switch kind {
	case readmodel.ID:
		return idSchema
	case readmodel.Integer:
		return numberSchema
	case readmodel.Bool:
		return object{{"type", "boolean"}}
	case readmodel.Money:
		return patternSchema(`^-?[0-9]+\.[0-9]{4}$`, "1250.0000")
	case readmodel.Percent:
		return patternSchema(`^[0-9]+\.[0-9]{2}$`, "20.00")
	case readmodel.Quantity:
		return object{{"type", "number"}, {"format", "double"}} // without it, generators of clients choose 32 bits
	case readmodel.Time:
		return patternSchema(`^[0-9]{4}-[0-9]{2}-[0-9]{2} [0-9]{2}:[0-9]{2}:[0-9]{2}$`, "2024-03-09 14:30:00")
	}
	return textSchema(0)
}

// schemas gathers the records that the document speaks of.
type schemas struct {
	named object
}

// record adds the schema of a record of these attributes and returns the
// reference to it. Attributes are required as far as they are shown to somebody
// who asks for nothing in particular.
func (s *schemas) record(name string, attributes []readmodel.Attribute) object {
	if s.named.has(name) {
		return reference("schemas", name)
	}
	at := len(s.named)
	s.named = s.named.with(name, nil)
	var required []string
	var properties object
	for _, group := range byName(attributes) {
		var variants []object
		always := false
		for _, a := range group {
			variants = append(variants, s.attribute(a)...)
			always = always || a.With == "" && a.Only == "" && !a.Asked
		}
		if always {
			required = append(required, group[0].Name)
		}
		properties = properties.with(group[0].Name, described(oneOf(variants), noted[name][group[0].Name].about))
	}
	schema := object{{"type", "object"}}
	if len(required) > 0 {
		schema = schema.with("required", required)
	}
	s.named[at].value = schema.with("properties", properties).with("additionalProperties", false)
	return reference("schemas", name)
}

// described is the schema with words about it.
func described(schema object, about string) object {
	if about == "" {
		return schema
	}
	return schema.with("description", about)
}

// byName puts the attributes that stand for one another together, in the order
// of the first of each.
func byName(attributes []readmodel.Attribute) [][]readmodel.Attribute {
	var groups [][]readmodel.Attribute
	at := map[string]int{}
	for _, a := range attributes {
		i, ok := at[a.Name]
		if !ok {
			at[a.Name] = len(groups)
			groups = append(groups, []readmodel.Attribute{a})
			continue
		}
		groups[i] = append(groups[i], a)
	}
	return groups
}

// attribute is the schemas of which a value fits one.
func (s *schemas) attribute(a readmodel.Attribute) []object {
	var schema object
	switch a.Kind {
	case readmodel.Object:
		schema = s.record(a.As, a.Of)
	case readmodel.List:
		schema = object{
			{"type", "array"},
			{"items", s.record(a.As, a.Of).with("xml", object{{"name", "item"}})},
			{"xml", object{{"name", a.Name}, {"wrapped", true}}},
		}
	default:
		schema = kindSchema(a.Kind)
	}
	if a.Optional {
		return []object{schema, nullSchema}
	}
	return []object{schema}
}

// oneOf is the schema of a value that fits one of them. Of plain types it is
// the one that more tools understand: a list of types.
func oneOf(variants []object) object {
	if len(variants) == 1 {
		return variants[0]
	}
	first := variants[0]
	if len(variants) == 2 && variants[1][0].value == "null" && first[0].name == "type" {
		return append(object{{"type", []any{first[0].value, "null"}}}, first[1:]...)
	}
	return object{{"anyOf", variants}}
}

// field is an attribute that a write may carry.
type field struct {
	name     string
	schema   object
	required bool // on creation; carried by an update, it must not be empty
	onCreate bool // an update does not look at it
	notNull  bool // it may be left out, but not be empty
	about    string
	line     []field // of a list: what one of its records may carry
}

// Longest texts, in characters.
const (
	shortText = 255
	longText  = 65_535
)

// textFields are texts of the same length that may be empty.
func textFields(longest int, names ...string) (fields []field) {
	for _, name := range names {
		fields = append(fields, field{name: name, schema: textSchema(longest)})
	}
	return fields
}

// named is a text that a record must have.
func named(name string, longest int) field {
	return field{name: name, schema: object{{"type", "string"}, {"minLength", 1}, {"maxLength", longest}}, required: true}
}

// refersTo is the id of another record.
func refersTo(name, about string) field { return field{name: name, schema: idSchema, about: about} }

// must is the field as one that a record must have.
func (f field) must() field {
	f.required = true
	return f
}

var (
	emailField = field{name: "email", schema: textSchema(254), about: "One mail address, without a display name."}
	dateSchema = textSchema(0).with("examples", []string{"2024-03-09", "2024-03-09 14:30:00"})
)

// changes are the fields of a record as an update may carry them.
func changes(record []field) (fields []field) {
	for _, f := range record {
		if f.onCreate {
			continue
		}
		f.required, f.notNull = false, f.required || f.notNull
		f.line = changes(f.line)
		fields = append(fields, f)
	}
	return fields
}

// body adds the schema of a record that is sent, and gives one of its own to the
// lines in it, so that those who generate clients get a type with a name for them.
func (s *schemas) body(record, suffix string, fields []field, known notes) (name string) {
	name = record + suffix
	if s.named.has(name) {
		return name
	}
	fields = slices.Clone(fields)
	for i, f := range fields {
		if f.line == nil {
			continue
		}
		line := s.body(record+"Line", suffix, f.line, invoiceItemLesson.notes)
		fields[i].schema = object{
			{"type", "array"},
			{"items", reference("schemas", line).with("xml", object{{"name", "item"}})},
			{"xml", object{{"name", f.name}, {"wrapped", true}}},
		}
	}
	s.named = s.named.with(name, bodySchema(fields, known))
	return name
}

// bodySchema is the schema of a record that is sent. What it does not say of an
// attribute, the notes do.
func bodySchema(fields []field, known notes) object {
	var required []string
	var properties object
	for _, f := range fields {
		schema := f.schema
		switch {
		case f.required:
			required = append(required, f.name)
		case !f.notNull:
			schema = oneOf([]object{schema, nullSchema})
		}
		about := f.about
		if about == "" {
			about = known[f.name].about
		}
		properties = properties.with(f.name, described(schema, about))
	}
	schema := object{{"type", "object"}}
	if len(required) > 0 {
		schema = schema.with("required", required)
	}
	return schema.with("properties", properties)
}
