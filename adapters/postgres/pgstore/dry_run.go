package pgstore

import (
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// overriding is the clause of an insert that ignores the id in its values.
const overriding = "overriding user value"

// placeholder is the id in the values of every insert into a table that numbers its rows. The
// statement ignores it, because of overriding, unless it is part of a dry run.
var placeholder = fmt.Sprintf("(%d + (random() * %d)::bigint)", readmodel.FirstPlaceholder, readmodel.Placeholders)

// sql is the statement as the unit of work sends it.
func (u *unit) sql(s statement) string {
	if !u.meta.DryRun {
		return s.sql
	}
	return strings.ReplaceAll(s.sql, overriding, "")
}
