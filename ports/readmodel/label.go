package readmodel

// DealTypes has the attributes of deal types.
var DealTypes = labels("deal type", "name")

// InvoiceTypes has the attributes of invoice types. Inside an invoice, title is
// called name.
var InvoiceTypes = labels("invoice type", "title")

func labels(resource, label string) *Resource {
	return &Resource{
		Name:        resource,
		DefaultSort: label,
		PerPage:     20, PagedOnRequest: true,
		Attributes: []Attribute{
			{Name: "id", Kind: ID, Sort: Ascending},
			{Name: label, Kind: Text, Sort: Ascending},
		},
	}
}
