package pgstore

import (
	"fmt"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// overriding is the clause of an insert that ignores the id in its values.
const overriding = "overriding user value"

// placeholder is the number of a row of a change table, where the database does not number it:
// in a dry run, and on a worker of Citus. It only has to differ from others of the batch.
var placeholder = fmt.Sprintf("(%d + (random() * %d)::bigint)", readmodel.FirstPlaceholder, readmodel.Placeholders)

// sql is the statement as the unit of work sends it.
func (u *unit) sql(text string) string {
	if !u.meta.DryRun {
		return text
	}
	return strings.ReplaceAll(text, overriding, "")
}
