package expression

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"regexp/syntax"

	"github.com/google/cel-go/common/types"
)

// The limits of a regular expression: its time is its steps times the length of the text.
const (
	maxPattern = 256
	maxSteps   = 500
)

// pattern is a regular expression as a value, which the compiler has made of a text.
type pattern struct {
	types.String
	compiled *regexp.Regexp
	steps    int
}

func newPattern(text string) (pattern, error) {
	if len(text) > maxPattern {
		return pattern{}, fmt.Errorf("a regular expression must have at most %d characters", maxPattern)
	}
	parsed, err := syntax.Parse(text, syntax.Perl)
	if err != nil {
		return pattern{}, err
	}
	program, err := syntax.Compile(parsed.Simplify())
	if err != nil {
		return pattern{}, err
	}
	if len(program.Inst) > maxSteps {
		return pattern{}, errors.New("the regular expression is too complex: it repeats too much")
	}
	compiled, err := regexp.Compile(text)
	return pattern{types.String(text), compiled, len(program.Inst)}, err
}

// ConvertToNative is not needed for any expression.
func (pattern) ConvertToNative(reflect.Type) (any, error) {
	return nil, errors.New("a regular expression cannot be converted")
}
