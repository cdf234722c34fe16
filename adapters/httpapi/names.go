package httpapi

import (
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
)

type twoNames struct {
	long  string
	short string // its name in errors of the domain
}

// long declares an attribute by its long name.
func (in *input) long(names twoNames, schema apidoc.Schema, description string) twoNames {
	in.field(names.long, schema, "", inBody(description), alias(names.short))
	return names
}

// either returns an attribute that is sent under one of its names, or under both with
// equal values.
func either[T interface{ Equal(T) bool }](in *input, names twoNames, parse func(string) (T, error)) domain.Optional[T] {
	value := parsed(in, names.short, parse)
	if _, ok := in.Fields[names.long]; !ok {
		return value
	}
	other := value
	value = parsed(in, names.long, parse)
	if _, ok := in.Fields[names.short]; !ok {
		in.recordName(in.prefix+names.short, in.prefix+names.long)
		return value
	}
	a, hasA := value.Get()
	b, hasB := other.Get()
	if hasA != hasB || hasA && !a.Equal(b) {
		in.refuse(fault.Mismatch, names.short, "must be the same as "+names.long+", or be left out")
	}
	return value
}

func (in *input) recordName(name, sent string) {
	if in.sent == nil {
		in.sent = map[string]string{}
	}
	in.sent[name] = sent
}

// asSent returns the error with the sent names of its fields, without repetition.
func (in *input) asSent(err error) error {
	rejection := fault.As(err)
	if rejection == nil || len(rejection.Fields) == 0 || len(in.sent) == 0 {
		return err
	}
	var fields []fault.Field
	for _, f := range rejection.Fields {
		if sent, ok := in.sent[f.Name]; ok {
			f.Name = sent
		}
		if !slices.ContainsFunc(fields, func(g fault.Field) bool { return g.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	return fault.As(fault.ForFields(rejection.Kind, fields...)).WithCause(rejection.Cause)
}
