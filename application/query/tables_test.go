package query_test

import (
	"slices"
	"testing"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func TestTablesAreConsistent(t *testing.T) {
	for _, table := range []*readmodel.Resource{
		readmodel.Accounts, readmodel.Tokens, readmodel.Users, readmodel.Statuses, readmodel.DealTypes, readmodel.InvoiceTypes,
		readmodel.Performers, readmodel.Clients, readmodel.Contacts, readmodel.Deals, readmodel.DealHistory,
		readmodel.Offers, readmodel.Contracts, readmodel.Payments,
		readmodel.Invoices, readmodel.InvoiceItems, readmodel.InvoiceExplanations, readmodel.Rules, readmodel.RuleViolations, readmodel.RuleTrials,
	} {
		t.Run(table.Name, func(t *testing.T) {
			if _, err := query.SortBy(table, ""); err != nil {
				t.Errorf("default sort: %v", err)
			}
			plain := outlineOf(t, table, "")
			for _, name := range table.Expansions {
				isAlwaysObject := slices.ContainsFunc(table.Attributes, func(a readmodel.Attribute) bool { return a.Name == name && a.With == "" && a.Kind == readmodel.Object })
				if outlineOf(t, table, name) == plain && !isAlwaysObject {
					t.Errorf("expand=%s adds nothing", name)
				}
			}
			for _, name := range table.DefaultExpansion {
				if !slices.Contains(table.Expansions, name) {
					t.Errorf("the default expansion %s is not one of the expansions", name)
				}
			}
			for _, a := range table.Attributes {
				for _, name := range []string{a.With, a.Until} {
					if name != "" && !slices.Contains(table.Expansions, name) {
						t.Errorf("%s: unknown expansion %s", a.Name, name)
					}
				}
				if a.IsNested() && (len(a.Of) == 0 || a.Of[0].Optional && !a.IsWhole) {
					t.Errorf("%s does not begin with a part that is never null", a.Name)
				}
				isType := table.Discriminator != "" && slices.ContainsFunc(table.Attributes, func(b readmodel.Attribute) bool { return b.Name == table.Discriminator })
				if a.Only != "" && !isType {
					t.Errorf("%s is for one type only, but there is no discriminator", a.Name)
				}
			}
		})
	}
}

func outlineOf(t *testing.T, table *readmodel.Resource, expand string) string {
	t.Helper()
	s, err := query.Select(table, query.Parameters{Expand: domain.Some(expand)})
	if err != nil {
		t.Fatal(err)
	}
	return outline(s)
}
