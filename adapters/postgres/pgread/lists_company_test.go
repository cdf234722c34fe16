package pgread_test

import (
	"testing"

	"github.com/kontor-crm/kontor/test/workload"
)

// company is a company whose lists are read.
type company struct{ workload.Company }

// newCompany is a company on a database of its own.
func newCompany(t *testing.T) company {
	t.Helper()
	return company{workload.NewCompany(t)}
}
