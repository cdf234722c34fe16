package readmodel

// DealTypes is the table of the types of deals.
var DealTypes = labels("deal type", "name")

// InvoiceTypes is the table of the types of invoices. What is title here is
// called name inside an invoice.
var InvoiceTypes = labels("invoice type", "title")

// labels is the table of records that are nothing but a label.
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
