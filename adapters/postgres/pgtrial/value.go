package pgtrial

import (
	"fmt"

	"github.com/kontor-crm/kontor/domain/money"
)

// value is a number that is selected as text, and so loses no digit.
type value string

func decimal[T any](into *T, v value, parse func(string) (T, error)) (err error) {
	if *into, err = parse(string(v)); err != nil {
		return fmt.Errorf("read the number %q: %w", v, err)
	}
	return nil
}

func amount(into *money.Amount, v value) error { return decimal(into, v, money.RestoreAmount) }
