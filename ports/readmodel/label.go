package readmodel

// DealTypes is the table of the types of deals.
var DealTypes = labels("deal type", "name")

// InvoiceTypes is the table of the types of invoices. Nested in an invoice, title is
// called name.
var InvoiceTypes = labels("invoice type", "title")

// labels is the table of records with only a label.
func labels(resource, label string) *Resource {
	return &Resource{
		Name:        resource,
		DefaultSort: label,
		Attributes: []Attribute{
			{Name: "id", Kind: ID, Sort: Ascending},
			{Name: label, Kind: Text, Sort: Ascending},
		},
	}
}
