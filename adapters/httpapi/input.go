package httpapi

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/civil"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/money"
)

// Maximum lengths of texts, in characters.
const (
	shortText = 255
	longText  = 65_535
	phoneText = 64
	emailText = 254
)

// input parses the attributes of a sent record and collects the invalid ones.
type input struct {
	body.Value
	prefix  string // of the names of fields, such as items[1].
	request command.Request
	shown   *response // that the request will have
	// sent has the sent name of each field whose name in errors differs.
	sent     map[string]string
	isChange bool // of a record that exists, or may exist
	// documented, if set, collects the attributes that are read, instead of a record.
	documented *[]apidoc.Field
}

func (in *input) reject(name, message string) { in.refuse(fault.NotValid, name, message) }

func (in *input) refuse(code fault.Code, name, message string) {
	in.request.Wrong = append(in.request.Wrong, fault.Field{Name: in.prefix + name, Message: message, Code: code})
}

func (in *input) inner(name string, n body.Value) *input {
	return &input{Value: n, prefix: in.prefix + name + "."}
}

func (in *input) include(inner *input) {
	in.request.Wrong = append(in.request.Wrong, inner.request.Wrong...)
	for name, sent := range inner.sent {
		in.recordName(name, sent)
	}
}

func (in *input) has(name string) bool { _, ok := in.Fields[name]; return ok }

// text returns an attribute of text; null is an empty one.
func (in *input) text(name string) domain.Optional[string] {
	n, ok := in.Fields[name]
	switch {
	case !ok:
		return domain.Optional[string]{}
	case n.Kind == body.Null:
		return domain.Some("")
	case n.Kind == body.String, n.Kind == body.Blank:
		return domain.Some(n.Text)
	}
	in.refuse(fault.WrongType, name, "must be text")
	return domain.Optional[string]{}
}

// texts returns a list of texts; null is an empty one, and so is an empty element of XML.
func (in *input) texts(name string) domain.Optional[[]string] {
	n, ok := in.Fields[name]
	switch {
	case !ok:
		return domain.Optional[[]string]{}
	case n.Kind == body.Null, n.Kind == body.Blank:
		return domain.Some[[]string](nil)
	}
	if n.Kind != body.List || slices.ContainsFunc(n.Items, func(v body.Value) bool { return v.Kind != body.String && v.Kind != body.Blank }) {
		in.refuse(fault.WrongType, name, "must be a list of texts")
		return domain.Optional[[]string]{}
	}
	list := make([]string, len(n.Items))
	for i, item := range n.Items {
		list[i] = item.Text
	}
	return domain.Some(list)
}

// listOf returns a list of records, which are called item in messages; null is an empty one, and so is
// an empty element of XML.
func listOf[T any](in *input, f apidoc.Field, item string, parse func(in *input) T) domain.Optional[[]T] {
	if in.documented != nil {
		f.Schema, f.Line = apidoc.Array, fieldsOf(parse)
		in.document(f)
	}
	n, ok := in.Fields[f.Name]
	if !ok {
		return domain.Optional[[]T]{}
	}
	if n.Kind != body.List && n.Kind > body.Blank {
		in.refuse(fault.WrongType, f.Name, "must be a list of "+item+"s")
		return domain.Optional[[]T]{}
	}
	list := make([]T, len(n.Items))
	for i, n := range n.Items {
		at := fmt.Sprintf("%s[%d]", f.Name, i)
		if n.Kind != body.Record {
			in.refuse(fault.WrongType, at, "must be an object with the attributes of a "+item)
			continue
		}
		inner := in.inner(at, n)
		list[i] = parse(inner)
		in.include(inner)
	}
	return domain.Some(list)
}

// objectOf returns a record; null and an empty element of XML are none.
func objectOf[T any](in *input, f apidoc.Field, parse func(in *input) T) domain.Optional[T] {
	if in.documented != nil {
		f.Schema, f.Line = apidoc.Object, fieldsOf(parse)
		in.document(f)
	}
	n, ok := in.Fields[f.Name]
	if !ok || n.IsEmpty() {
		return domain.Optional[T]{}
	}
	if n.Kind != body.Record {
		in.refuse(fault.WrongType, f.Name, "must be an object")
		return domain.Optional[T]{}
	}
	inner := in.inner(f.Name, n)
	value := parse(inner)
	in.include(inner)
	return domain.Some(value)
}

// boolean returns true, false, 1 or 0, as such or as text; null and an empty text are
// false.
func (in *input) boolean(name string) domain.Optional[bool] {
	n, ok := in.Fields[name]
	if !ok {
		return domain.Optional[bool]{}
	}
	if n.Kind <= body.Bool {
		switch strings.TrimSpace(n.Text) {
		case "true", "1":
			return domain.Some(true)
		case "false", "0", "":
			return domain.Some(false)
		}
	}
	in.refuse(fault.WrongType, name, "must be true or false")
	return domain.Optional[bool]{}
}

// whole returns the text of a number, without a fraction of zeros or an exponent: 307.0 is an
// integer in JSON Schema, and 1e3 too.
func whole(text string) string {
	text = strings.TrimSpace(text)
	if !strings.ContainsAny(text, ".eE") || text[0] == '+' {
		return text
	}
	number, err := money.ParseNumber(text)
	if err != nil {
		return text
	}
	return number.String()
}

// integer returns an integer within 32 bits; null and an empty text are absent.
func (in *input) integer(name string) domain.Optional[int32] {
	n, ok := in.Fields[name]
	if !ok || n.IsEmpty() {
		return domain.Optional[int32]{}
	}
	if n.Kind == body.Number || n.Kind == body.String {
		if i, err := strconv.ParseInt(whole(n.Text), 10, 32); err == nil {
			return domain.Some(int32(i))
		}
	}
	in.refuse(fault.WrongType, name, "must be an integer")
	return domain.Optional[int32]{}
}

// idField returns a reference to another record; null and an empty text are zero.
func idField[ID ~int64](in *input, name string) domain.Optional[ID] {
	n, ok := in.Fields[name]
	if !ok {
		return domain.Optional[ID]{}
	}
	return idOf[ID](in, name, n)
}

// embeddedID is like idField, for a reference that may also be sent as a nested record,
// as an expansion includes it; then its id counts.
func embeddedID[ID ~int64](in *input, name string) domain.Optional[ID] {
	n, ok := in.Fields[name]
	if !ok {
		return domain.Optional[ID]{}
	}
	if n.Kind == body.Record {
		n = n.Fields["id"]
	}
	return idOf[ID](in, name, n)
}

func idOf[ID ~int64](in *input, name string, n body.Value) domain.Optional[ID] {
	if n.IsEmpty() {
		return domain.Some(ID(0))
	}
	if n.Kind == body.Number || n.Kind == body.String {
		if id, ok := recordID(whole(n.Text)); ok {
			return domain.Some(ID(id))
		}
	}
	in.refuse(fault.WrongType, name, "must be a positive integer")
	return domain.Optional[ID]{}
}

// parsed returns an attribute that is parsed from a number or a text; null and an empty
// text are absent.
func parsed[T any](in *input, name string, parse func(string) (T, error)) domain.Optional[T] {
	n, ok := in.Fields[name]
	if !ok || n.IsEmpty() {
		return domain.Optional[T]{}
	}
	if n.Kind != body.Number && n.Kind != body.String {
		in.refuse(fault.WrongType, name, "must be a number or text")
		return domain.Optional[T]{}
	}
	value, err := parse(n.Text)
	if err != nil {
		in.refuse(parseCode(err), name, err.Error())
		return domain.Optional[T]{}
	}
	return domain.Some(value)
}

// nullable is like parsed, for an attribute that a writer may empty.
func nullable[T any](in *input, name string, parse func(string) (T, error)) domain.Optional[domain.Optional[T]] {
	if n, ok := in.Fields[name]; ok && n.IsEmpty() {
		return domain.Some(domain.Optional[T]{})
	}
	value := parsed(in, name, parse)
	if !value.IsSet() {
		return domain.Optional[domain.Optional[T]]{}
	}
	return domain.Some(value)
}

// parseCode returns the code of a number or date that cannot be parsed.
func parseCode(err error) fault.Code {
	switch {
	case errors.Is(err, money.ErrNotDecimal), errors.Is(err, civil.ErrNotDate):
		return fault.WrongType
	case errors.Is(err, money.ErrTooFine):
		return fault.TooPrecise
	}
	return fault.OutOfRange
}

// parsedOr is like parsed, for an attribute with a default, which null and an empty text
// set.
func parsedOr[T any](in *input, name string, parse func(string) (T, error), byDefault T) domain.Optional[T] {
	if n, ok := in.Fields[name]; ok && n.IsEmpty() {
		return domain.Some(byDefault)
	}
	return parsed(in, name, parse)
}
