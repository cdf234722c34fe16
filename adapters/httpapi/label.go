package httpapi

import (
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// DealTypes returns the deal-type resource.
func DealTypes(reader readmodel.Reader[readmodel.NoFilter], commands *command.DealTypes) Resource {
	return labels("deal-type", "DealType", &dealTypeDocs, readmodel.DealTypes, reader, commands, dealTypeAttributes)
}

// InvoiceTypes returns the invoice-type resource.
func InvoiceTypes(reader readmodel.Reader[readmodel.NoFilter], commands *command.InvoiceTypes) Resource {
	return labels("invoice-type", "InvoiceType", &invoiceTypeDocs, readmodel.InvoiceTypes, reader, commands, invoiceTypeAttributes)
}

func labels[ID catalog.LabelID](
	path, record string, docs *apidoc.Docs, table *readmodel.Resource, reader readmodel.Reader[readmodel.NoFilter],
	commands *command.Labels[ID], attributes func(in *input) catalog.LabelAttributes,
) Resource {
	return endpoint[readmodel.NoFilter]{
		path:   path,
		table:  table,
		reader: reader,
		format: jsonFormat,
		public: true,
		filter: unfiltered,
		record: record,
		docs:   docs,
		body:   fieldsOf(attributes),
	}.writing(writesOf(commands, attributes))
}

func dealTypeAttributes(in *input) catalog.LabelAttributes {
	return catalog.LabelAttributes{Name: in.requiredText("name", shortText, "")}
}

// invoiceTypeAttributes reads the label from title, its name in the list, or from name, its
// name in an invoice.
func invoiceTypeAttributes(in *input) catalog.LabelAttributes {
	title, name := in.requiredText("title", shortText, "The label.", alias("name")), in.text("name")
	if !title.IsSet() {
		return catalog.LabelAttributes{Name: name}
	}
	if name.IsSet() && strings.TrimSpace(name.Or("")) != strings.TrimSpace(title.Or("")) {
		in.refuse(fault.Mismatch, "name", "must be the same as title, or be left out")
	}
	return catalog.LabelAttributes{Name: title}
}

var dealTypeDocs = apidoc.Docs{
	Description: "Deal types classify deals, for example as sales and rentals. Only an admin may write them.",
	Operations:  map[apidoc.Verb]string{apidoc.Delete: "A type in use cannot be deleted: 409."},
	Create:      `{"name":"Furnishing"}`,
	Change:      `{"name":"Furnishing of rooms"}`,
}

var invoiceTypeDocs = apidoc.Docs{
	Description: "Invoice types classify invoices, for example as advance invoices and credit notes. Only an admin may write them. " +
		"The label is called `title` here, and `name` inside an invoice.",
	Operations: map[apidoc.Verb]string{apidoc.Delete: "A type in use cannot be deleted: 409."},
	Create:     `{"title":"Invoice"}`,
	Change:     `{"title":"Final invoice"}`,
}
