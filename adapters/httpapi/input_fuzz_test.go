package httpapi

import (
	"math/big"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/money"
	"github.com/kontor-crm/kontor/test/fuzzseed"
)

// contract 2.30, 2.34
func FuzzInputAttribute(f *testing.F) {
	var cases [][]any
	for kind := range int64(body.Record + 1) {
		for _, text := range []string{"", " ", "0", "1", "-1", "+1", "01", "1.0", "-2.00", "1.5", "1e3", "1e-3", "1E+2", "1e0003", "0e0000", "0e1000", "0e10000", "0e10001", "+1.0", "0.0", "1e99", "1e999999999", "999999999999999.0", "1000000000000000.0", "true", "false", " true ", "TRUE", "2147483647", "2147483648", "-2147483649", "9223372036854775807", "9223372036854775808", "0x1", "1_0", "ä", "\xff", "1." + strings.Repeat("0", 62), "1." + strings.Repeat("0", 63)} {
			cases = append(cases, []any{kind, text})
		}
	}
	fuzzseed.Add(f, cases...)
	f.Fuzz(func(t *testing.T, kind int64, text string) {
		n := body.Value{Kind: body.Kind(uint64(kind) % uint64(body.Record+1))}
		if n.Kind == body.String || n.Kind == body.Number || n.Kind == body.Bool {
			n.Text = text
		}
		if n.Kind == body.String && strings.TrimSpace(text) == "" {
			n.Kind = []body.Kind{body.String, body.Blank}[len(text)%2]
		}
		trimmed, isPlain := strings.TrimSpace(n.Text), n.Kind == body.String || n.Kind == body.Number
		isEmpty := n.Kind == body.Null || n.Kind == body.Blank || n.Kind == body.String && trimmed == ""

		value, isRejected := read(n, func(in *input) domain.Optional[bool] { return in.boolean("a") })
		isTrue := n.Kind <= body.Bool && slices.Contains([]string{"true", "1"}, trimmed)
		isFalse := n.Kind <= body.Bool && slices.Contains([]string{"false", "0", ""}, trimmed)
		if isRejected != (!isTrue && !isFalse) || isTrue != value.Or(false) {
			t.Errorf("%+v as true or false: %v, rejected: %v", n, value, isRejected)
		}

		whole, isRejected := read(n, func(in *input) domain.Optional[int32] { return in.integer("a") })
		want, isWhole := wholeNumber(trimmed)
		isWhole = isWhole && isPlain && want.IsInt64() && int64(int32(want.Int64())) == want.Int64()
		if isRejected != (!isWhole && !isEmpty) || isWhole && int64(whole.Or(-1)) != want.Int64() || isEmpty && whole.IsSet() {
			t.Errorf("%+v as a whole number: %v, rejected: %v", n, whole, isRejected)
		}

		id, isRejected := read(n, func(in *input) domain.Optional[int64] { return idField[int64](in, "a") })
		want, isID := wholeNumber(trimmed)
		isID = isID && isPlain && want.Sign() > 0 && want.IsInt64() && trimmed[0] != '+'
		if isRejected != (!isID && !isEmpty) || isID && id.Or(-1) != want.Int64() || isEmpty && id.Or(-1) != 0 {
			t.Errorf("%+v as an id: %v, rejected: %v", n, id, isRejected)
		}

		kept, isRejected := read(n, func(in *input) domain.Optional[string] { return in.text("a") })
		if isRejected != (n.Kind > body.String) || kept.Or("") != map[bool]string{true: n.Text}[n.Kind <= body.String] {
			t.Errorf("%+v as a text: %v, rejected: %v", n, kept, isRejected)
		}
	})
}

// read parses the attribute a, and reports whether it was rejected under its name.
func read[T any](n body.Value, how func(*input) domain.Optional[T]) (value domain.Optional[T], isRejected bool) {
	in := &input{Value: body.Value{Kind: body.Record, Fields: map[string]body.Value{"a": n}}, prefix: "items[1]."}
	value = how(in)
	wrong := in.request.Wrong
	return value, len(wrong) == 1 && wrong[0].Name == "items[1].a" && !value.IsSet()
}

var digitsOnly = regexp.MustCompile(`^[+-]?[0-9]+$`)

// wholeNumber is the integer that the text stands for. What is a decimal is for
// money.ParseNumber to say, which has a fuzz target of its own.
func wholeNumber(text string) (*big.Int, bool) {
	if digitsOnly.MatchString(text) {
		return new(big.Int).SetString(text, 10)
	}
	number, err := money.ParseNumber(text)
	if err != nil || strings.HasPrefix(text, "+") {
		return new(big.Int), false
	}
	return new(big.Int).SetString(number.String(), 10)
}
