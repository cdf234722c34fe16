package readmodel_test

import (
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func TestTheTablesAgreeWithThemselves(t *testing.T) {
	for _, table := range []*readmodel.Resource{
		readmodel.Accounts, readmodel.Tokens, readmodel.Users, readmodel.Statuses, readmodel.DealTypes, readmodel.InvoiceTypes,
		readmodel.Performers, readmodel.Clients, readmodel.Contacts, readmodel.Deals, readmodel.DealHistory,
		readmodel.Offers, readmodel.Contracts,
		readmodel.Invoices, readmodel.InvoiceItems,
	} {
		t.Run(table.Name, func(t *testing.T) {
			if _, err := table.SortBy(""); err != nil {
				t.Errorf("its default order: %v", err)
			}
			plain := shapeOf(t, table, "")
			for _, name := range table.Expansions {
				isWhole := slices.ContainsFunc(table.Attributes, func(a readmodel.Attribute) bool { return a.Name == name && a.With == "" && a.Kind == readmodel.Object })
				if shapeOf(t, table, name) == plain && !isWhole {
					t.Errorf("expand=%s shows nothing more", name)
				}
			}
			for _, name := range table.DefaultExpansion {
				if !slices.Contains(table.Expansions, name) {
					t.Errorf("it expands %s by default, and not if asked", name)
				}
			}
			for _, a := range table.Attributes {
				for _, name := range []string{a.With, a.Until} {
					if name != "" && !slices.Contains(table.Expansions, name) {
						t.Errorf("%s waits for the expansion %s, which there is not", a.Name, name)
					}
				}
				hasID := slices.ContainsFunc(a.Of, func(p readmodel.Attribute) bool { return p.Name == "id" })
				if (a.Kind == readmodel.Object || a.Kind == readmodel.List) && !hasID {
					t.Errorf("%s has no part id", a.Name)
				}
				isType := table.Discriminator != "" && slices.ContainsFunc(table.Attributes, func(b readmodel.Attribute) bool { return b.Name == table.Discriminator })
				if a.Only != "" && !isType {
					t.Errorf("%s is for one type only, and records have none", a.Name)
				}
			}
		})
	}
}

func shapeOf(t *testing.T, table *readmodel.Resource, expand string) string {
	t.Helper()
	s, err := table.Select(readmodel.Asking{Expand: optional.Some(expand)})
	if err != nil {
		t.Fatal(err)
	}
	return shape(s)
}
