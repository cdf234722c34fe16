package pgread

import (
	sq "github.com/Masterminds/squirrel"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/optional"
)

// equals narrows to the rows whose column has the value, if there is one.
func equals[T ~int64 | ~uint8](and sq.And, column string, value optional.Of[T]) sq.And {
	v, ok := value.Get()
	if !ok {
		return and
	}
	return append(and, sq.Expr(column+" = ?", int64(v)))
}

// contains narrows to the rows whose key holds the text, if there is one.
func contains(and sq.And, column, text string) sq.And {
	if text == "" {
		return and
	}
	return append(and, sq.Expr(column+" like ?", textkey.Containing(text)))
}

// matches narrows to the rows whose key is that of the text, if there is one.
func matches(and sq.And, column, text string) sq.And {
	if text == "" {
		return and
	}
	return append(and, sq.Expr(column+" = ?", textkey.Of(text)))
}

// everything is the filter of a list that cannot be narrowed.
func everything[F any](F) sq.And { return sq.And{} }
