package httpapi

import (
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/domain"
)

// fieldsOf returns the fields of a body that parse reads.
//
// Chose: the function that reads a body also documents it. Because: an attribute then has its name, schema,
// description and parser in one place, in the order of the OpenAPI document. Costs: where errors have another
// order, a line declares the attribute before the one that reads it.
func fieldsOf[A any](parse func(in *input) A) (fields []apidoc.Field) {
	parse(&input{documented: &fields})
	return fields
}

// declare documents an attribute that is read, and returns its name.
func (in *input) declare(f apidoc.Field) string {
	if in.documented != nil {
		*in.documented = append(*in.documented, f)
	}
	return f.Name
}

// field declares an attribute that has one description in bodies and responses.
func (in *input) field(name string, schema apidoc.Schema, about string) string {
	return in.declare(apidoc.Field{Name: name, Schema: schema, About: about})
}

// requiredReference declares the id of another record.
func (in *input) requiredReference(name, about string) string {
	return in.declare(apidoc.Field{Name: name, Schema: apidoc.ID, Required: true, About: about})
}

// textField reads a text of at most limit characters. inBodies, if given, describes it there.
func (in *input) textField(name string, limit int, about string, inBodies ...string) domain.Optional[string] {
	if in.documented != nil {
		in.declare(apidoc.Field{Name: name, Schema: apidoc.Text(limit), About: about, Description: strings.Join(inBodies, "")})
	}
	return in.text(name)
}

// requiredText is like textField, for a text that a record must have.
func (in *input) requiredText(name string, limit int, about string) domain.Optional[string] {
	if in.documented != nil {
		f := apidoc.RequiredText(name, limit)
		f.About = about
		in.declare(f)
	}
	return in.text(name)
}

// pattern reads a text that matches a regular expression, of which example is one.
func (in *input) pattern(name, expression, example, about string) domain.Optional[string] {
	if in.documented != nil {
		in.field(name, apidoc.Pattern(expression, example), about)
	}
	return in.text(name)
}

func (in *input) email() domain.Optional[string] {
	return in.textField("email", emailText, "", "One email address, without a display name.")
}

func (in *input) ref() domain.Optional[string] { return in.text(in.declare(refField)) }
