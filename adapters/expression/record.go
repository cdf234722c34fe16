package expression

import (
	"errors"
	"reflect"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"

	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/ports/repository"
)

// kind is a type of records: its attributes in their order. Its name has a space where no
// expression is to name it.
type kind struct {
	name       string
	typ        *cel.Type
	attributes []attribute
}

// attribute is an attribute of a kind. The getter reads it from a record of that kind.
type attribute struct {
	name       string
	typ        *cel.Type
	get        func(r *record) ref.Val
	isOptional bool // null if the record has none
	asks       repository.FactKinds
}

// record is a record as a value: it reads its attributes from a state when they are asked for.
type record struct {
	kind  *kind
	state any // pointer to the state
	in    *evaluation
}

func newKind(name string, attributes ...attribute) *kind {
	return &kind{name: name, typ: cel.ObjectType(name), attributes: attributes}
}

func (k *kind) attribute(name string) (attribute, bool) {
	for _, a := range k.attributes {
		if a.name == name {
			return a, true
		}
	}
	return attribute{}, false
}

func (k *kind) names() []string {
	names := make([]string, len(k.attributes))
	for i, a := range k.attributes {
		names[i] = a.name
	}
	return names
}

var errNoRecord = errors.New("an attribute of null is read: before is null when a record is created, after when it is deleted, " +
	"a fact if there is no such record, and a party if the record has none")

// field is the attribute for CEL.
func (a attribute) field() *types.FieldType {
	return &types.FieldType{
		Type: a.typ,
		GetFrom: func(target any) (any, error) {
			switch v := target.(type) {
			case *record:
				return a.of(v), nil
			case *types.Unknown:
				return v, nil
			}
			return nil, errNoRecord
		},
		IsSet: func(target any) bool {
			r, ok := target.(*record)
			if !ok {
				return false
			}
			v := a.of(r)
			return v != types.NullValue && v != types.String("")
		},
	}
}

// of returns the value of the attribute of a record. See rule.Input for the id.
func (a attribute) of(r *record) ref.Val {
	if r.in.HidesID && a.name == "id" && (r == &r.in.after || r.kind == lineKind || r.kind == paymentItemKind) {
		return types.NullValue
	}
	return a.get(r)
}

// A record is a ref.Val.

// ConvertToNative is not needed for any expression.
func (r *record) ConvertToNative(reflect.Type) (any, error) {
	return nil, errors.New("a record cannot be converted")
}

func (r *record) ConvertToType(ref.Type) ref.Val {
	return types.NewErr("a record cannot be converted")
}

// Equal compares with null only: the compiler rejects other comparisons of records.
func (r *record) Equal(other ref.Val) ref.Val { return types.Bool(other == ref.Val(r)) }

func (r *record) Type() ref.Type { return r.kind.typ }

func (r *record) Value() any { return r }

// The constructors of attributes; S is the state.

func optional(a attribute) attribute {
	a.isOptional = true
	return a
}

func newAttribute(name string, typ *cel.Type, get func(r *record) ref.Val) attribute {
	return attribute{name: name, typ: typ, get: get}
}

func textOf[S any](name string, get func(s *S) string) attribute {
	return newAttribute(name, cel.StringType, func(r *record) ref.Val { return types.String(get(r.state.(*S))) })
}

func boolOf[S any](name string, get func(s *S) bool) attribute {
	return newAttribute(name, cel.BoolType, func(r *record) ref.Val { return types.Bool(get(r.state.(*S))) })
}

func intOf[S any, N ~int | ~int32 | ~int64 | ~uint8](name string, get func(s *S) N) attribute {
	return newAttribute(name, cel.IntType, func(r *record) ref.Val { return types.Int(get(r.state.(*S))) })
}

func idOf[S any, ID ~int64](name string, get func(s *S) ID) attribute {
	return newAttribute(name, idType, func(r *record) ref.Val {
		id := get(r.state.(*S))
		if id == 0 {
			return types.NullValue
		}
		return types.Int(id)
	})
}

func numberOf[S any](name string, get func(s *S) money.Number) attribute {
	return newAttribute(name, decimalType, func(r *record) ref.Val { return decimal{get(r.state.(*S))} })
}

func instantOf[S any](name string, get func(s *S) time.Time) attribute {
	return newAttribute(name, cel.TimestampType, func(r *record) ref.Val {
		t := get(r.state.(*S))
		if t.IsZero() {
			return types.NullValue
		}
		return types.Timestamp{Time: t.In(r.in.zone)}
	})
}

// dateOf is a date as package civil has it, or null.
func dateOf[S any](name string, get func(s *S) time.Time) attribute {
	return newAttribute(name, cel.TimestampType, func(r *record) ref.Val {
		t := get(r.state.(*S))
		if t.IsZero() {
			return types.NullValue
		}
		return types.Timestamp{Time: inZone(t, r.in.zone)}
	})
}

// inZone is the instant at which a clock in the zone shows a civil time. A time that is
// skipped by the change to summer time is the one that many hours after midnight.
func inZone(t time.Time, zone *time.Location) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), 0, zone)
}

// idType is an integer or null.
var idType = cel.NullableType(cel.IntType)
