package httpapi

import (
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
)

// fieldsOf returns the fields of a body that parse reads.
//
// Chose: the function that reads a body also documents it. Because: an attribute then has its name, schema,
// description and parser in one line, in the order of the OpenAPI document. Costs: where errors have another
// order, an attribute is declared in one line and read in another.
func fieldsOf[A any](parse func(in *input) A) (fields []apidoc.Field) {
	parse(&input{documented: &fields})
	return fields
}

// option is what few fields have.
type option func(f *apidoc.Field)

func required(f *apidoc.Field)   { f.Required = true }
func notNull(f *apidoc.Field)    { f.NotNull = true }
func createOnly(f *apidoc.Field) { f.CreateOnly = true }

// inBody describes a field in bodies only, or in place of about.
func inBody(description string) option {
	return func(f *apidoc.Field) { f.Description = description }
}

// alias is another name that is accepted.
func alias(name string) option {
	return func(f *apidoc.Field) { f.Alias = name }
}

// field declares an attribute and returns its name. about describes it in bodies and responses.
func (in *input) field(name string, schema apidoc.Schema, about string, options ...option) string {
	if in.documented != nil {
		in.document(apidoc.Field{Name: name, Schema: schema, About: about}, options...)
	}
	return name
}

func (in *input) document(f apidoc.Field, options ...option) {
	for _, set := range options {
		set(&f)
	}
	*in.documented = append(*in.documented, f)
}

// textField reads a text of at most limit characters.
func (in *input) textField(name string, limit int, about string, options ...option) domain.Optional[string] {
	if in.documented != nil { // else the schema is not needed, here and below
		in.field(name, apidoc.Text(limit), about, options...)
	}
	return in.text(name)
}

// day reads a date as YYYY-MM-DD, from all forms of dates.
func (in *input) day(name, about string) domain.Optional[string] {
	at, ok := parsedOr(in, in.field(name, apidoc.Date, about), civil.Parse, time.Time{}).Get()
	switch {
	case !ok:
		return domain.Optional[string]{}
	case at.IsZero():
		return domain.Some("")
	}
	return domain.Some(at.Format(time.DateOnly))
}

// requiredText is like textField, for a text that a record must have.
func (in *input) requiredText(name string, limit int, about string, options ...option) domain.Optional[string] {
	if in.documented != nil {
		f := apidoc.RequiredText(name, limit)
		f.About = about
		in.document(f, options...)
	}
	return in.text(name)
}

// pattern reads a text that matches a regular expression, as the example does.
func (in *input) pattern(name, expression, example, about string, options ...option) domain.Optional[string] {
	if in.documented != nil {
		in.field(name, apidoc.Pattern(expression, example), about, options...)
	}
	return in.text(name)
}

// oneOf reads one of the texts.
func (in *input) oneOf(name string, texts []string, about string, options ...option) domain.Optional[string] {
	if in.documented != nil {
		in.field(name, apidoc.OneOf(texts...), about, options...)
	}
	return in.text(name)
}

func (in *input) email() domain.Optional[string] {
	return in.textField("email", emailText, "", inBody("One email address, without a display name."))
}

func (in *input) ref() domain.Optional[string] { return in.text(in.refField()) }

func (in *input) refField() string {
	return in.field("ref", refSchema,
		"A key of your own for the record, such as its id in another program. No other record of the resource may have it.")
}
