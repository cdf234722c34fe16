package expression

import (
	"errors"
	"reflect"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"github.com/kontor-crm/kontor/domain/money"
)

var decimalType = cel.ObjectType("decimal",
	traits.AdderType, traits.SubtractorType, traits.MultiplierType, traits.NegatorType, traits.ComparerType)

type decimal struct {
	money.Number
}

func decimalFrom(text string) ref.Val {
	n, err := money.ParseNumber(text)
	if err != nil {
		return types.NewErr("decimal(%q): %v", text, err)
	}
	return decimal{n}
}

func (d decimal) Add(other ref.Val) ref.Val {
	o, ok := other.(decimal)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return decimal{d.Plus(o.Number)}
}

func (d decimal) Subtract(other ref.Val) ref.Val {
	o, ok := other.(decimal)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return decimal{d.Minus(o.Number)}
}

func (d decimal) Multiply(other ref.Val) ref.Val {
	o, ok := other.(decimal)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	product, err := d.Times(o.Number)
	if err != nil {
		return types.NewErr("the product %v", err)
	}
	return decimal{product}
}

func (d decimal) Negate() ref.Val { return decimal{d.Negated()} }

func (d decimal) Compare(other ref.Val) ref.Val {
	o, ok := other.(decimal)
	if !ok {
		return types.MaybeNoSuchOverloadErr(other)
	}
	return types.Int(d.Number.Compare(o.Number))
}

// Equal compares the numbers, however they are written.
func (d decimal) Equal(other ref.Val) ref.Val {
	o, ok := other.(decimal)
	return types.Bool(ok && d.Number.Compare(o.Number) == 0)
}

// ConvertToNative is not needed for any expression.
func (d decimal) ConvertToNative(reflect.Type) (any, error) {
	return nil, errors.New("a decimal cannot be converted")
}

func (d decimal) ConvertToType(t ref.Type) ref.Val {
	if t == types.StringType {
		return types.String(d.String())
	}
	return types.NewErr("a decimal cannot be converted to %s", t.TypeName())
}

func (d decimal) Type() ref.Type { return decimalType }

func (d decimal) Value() any { return d }

func asDecimal(v ref.Val) (decimal, bool) {
	switch v := v.(type) {
	case decimal:
		return v, true
	case types.Int:
		return decimal{money.NumberOf(int64(v))}, true
	}
	return decimal{}, false
}

// sum adds the decimals or the integers of a list.
func sum(list ref.Val, total ref.Val) ref.Val {
	for it := list.(traits.Lister).Iterator(); it.HasNext() == types.True; {
		total = total.(traits.Adder).Add(it.Next())
		if types.IsUnknownOrError(total) {
			return total
		}
	}
	return total
}

// decimalFunctions are what can be done with decimals. Operators work on two decimals: the
// compiler converts the integer beside one.
func decimalFunctions() []cel.EnvOption {
	options := []cel.EnvOption{
		cel.Function("decimal",
			cel.Overload("string_to_decimal", []*cel.Type{cel.StringType}, decimalType,
				cel.UnaryBinding(func(v ref.Val) ref.Val { return decimalFrom(string(v.(types.String))) })),
			cel.Overload("int_to_decimal", []*cel.Type{cel.IntType}, decimalType, cel.UnaryBinding(func(v ref.Val) ref.Val {
				d, ok := asDecimal(v)
				if !ok {
					return types.MaybeNoSuchOverloadErr(v)
				}
				return d
			}))),
		cel.Function("string", cel.Overload("decimal_to_string", []*cel.Type{decimalType}, cel.StringType,
			cel.UnaryBinding(func(v ref.Val) ref.Val { return v.ConvertToType(types.StringType) }))),
		cel.Function("_-_", operands("subtract", decimalType)...),
		cel.Function("_+_", operands("add", decimalType)...),
		cel.Function("_*_", operands("multiply", decimalType)...),
		cel.Function("-_", cel.Overload("negate_decimal", []*cel.Type{decimalType}, decimalType)),
		cel.Function("sum",
			cel.MemberOverload("sum_decimals", []*cel.Type{cel.ListType(decimalType)}, decimalType,
				cel.UnaryBinding(func(v ref.Val) ref.Val { return sum(v, decimal{}) })),
			cel.MemberOverload("sum_ints", []*cel.Type{cel.ListType(cel.IntType)}, cel.IntType,
				cel.UnaryBinding(func(v ref.Val) ref.Val { return sum(v, types.IntZero) }))),
	}
	for _, comparison := range []string{"_<_", "_<=_", "_>_", "_>=_"} {
		options = append(options, cel.Function(comparison, operands("compare"+comparison, cel.BoolType)...))
	}
	return options
}

func operands(name string, result *cel.Type) []cel.FunctionOpt {
	return []cel.FunctionOpt{
		cel.Overload(name+"_decimal", []*cel.Type{decimalType, decimalType}, result),
		cel.Overload(name+"_decimal_int", []*cel.Type{decimalType, cel.IntType}, result),
		cel.Overload(name+"_int_decimal", []*cel.Type{cel.IntType, decimalType}, result),
	}
}
