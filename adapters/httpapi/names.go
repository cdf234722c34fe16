package httpapi

import (
	"slices"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/optional"
)

// twoNames are the names of an attribute that can be sent under either.
type twoNames struct {
	long  string
	short string // the one by which the domain knows it
}

// either is an attribute that parse reads, sent under one of its names, or under
// both with the same value.
func either[T interface{ Equal(T) bool }](in *input, names twoNames, parse func(string) (T, error)) optional.Of[T] {
	value := parsed(in, names.short, parse)
	if _, ok := in.Fields[names.long]; !ok {
		return value
	}
	other := value
	value = parsed(in, names.long, parse)
	if _, ok := in.Fields[names.short]; !ok {
		in.isSentAs(in.prefix+names.short, in.prefix+names.long)
		return value
	}
	a, hasA := value.Get()
	b, hasB := other.Get()
	if hasA != hasB || hasA && !a.Equal(b) {
		in.refuse(names.short, "must be the same as "+names.long+", or be left out")
	}
	return value
}

// isSentAs notes what the writer called the field of that name.
func (in *input) isSentAs(name, sent string) {
	if in.sent == nil {
		in.sent = map[string]string{}
	}
	in.sent[name] = sent
}

// asSent is the error in the words of the writer: its fields have the names
// under which they were sent, each once.
func (in *input) asSent(err error) error {
	refusal := fault.As(err)
	if refusal == nil || len(refusal.Fields) == 0 || len(in.sent) == 0 {
		return err
	}
	var fields []fault.Field
	for _, f := range refusal.Fields {
		if sent, ok := in.sent[f.Name]; ok {
			f.Name = sent
		}
		if !slices.ContainsFunc(fields, func(g fault.Field) bool { return g.Name == f.Name }) {
			fields = append(fields, f)
		}
	}
	return fault.As(fault.ForFields(refusal.Kind, fields...)).Because(refusal.Cause)
}
