package httpapi

import (
	"context"
	"strings"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func dealTypeRoutes(reader readmodel.Reader[readmodel.NoFilter], commands *command.DealTypes) []route {
	return labelRoutes("deal-type", "DealType", &dealTypeLesson, readmodel.DealTypes, reader, commands, dealTypeAttributes, named("name", shortText))
}

func invoiceTypeRoutes(reader readmodel.Reader[readmodel.NoFilter], commands *command.InvoiceTypes) []route {
	return labelRoutes("invoice-type", "InvoiceType", &invoiceTypeLesson, readmodel.InvoiceTypes, reader, commands, invoiceTypeAttributes, invoiceTypeTitle)
}

var invoiceTypeTitle = field{name: "title", schema: named("title", shortText).schema, required: true, about: "The label. Also: name."}

// labelRoutes are the routes of a reference list whose records are nothing but
// a label.
func labelRoutes[ID catalog.LabelID](path, record string, taught *lesson, table *readmodel.Resource, reader readmodel.Reader[readmodel.NoFilter],
	commands *command.Labels[ID], attributes func(in *input) catalog.LabelAttributes, body ...field,
) []route {
	return resource[readmodel.NoFilter]{
		path:   path,
		table:  table,
		reader: reader,
		format: jsonFormat,
		public: true,
		filter: unfiltered,
		record: record,
		lesson: taught,
		body:   body,
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := attributes(in)
			id, err := commands.Create(ctx, in.request, a)
			return int64(id), err
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := attributes(in)
			return commands.Update(ctx, in.request, ID(id), a)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.Delete(ctx, r, ID(id))
		},
	})
}

func dealTypeAttributes(in *input) catalog.LabelAttributes {
	return catalog.LabelAttributes{Name: in.text("name")}
}

// invoiceTypeAttributes takes the label as title, as the list shows it, or as
// name, as an invoice does.
func invoiceTypeAttributes(in *input) catalog.LabelAttributes {
	title, name := in.text("title"), in.text("name")
	if !title.IsSet() {
		return catalog.LabelAttributes{Name: name}
	}
	if name.IsSet() && strings.TrimSpace(name.Or("")) != strings.TrimSpace(title.Or("")) {
		in.refuse("name", "must be the same as title, or be left out")
	}
	return catalog.LabelAttributes{Name: title}
}

var dealTypeLesson = lesson{
	about: "Deal types are kinds of deals, such as sales and rentals. Only an admin writes them.",
	words: map[verb]string{removing: "One that a deal has cannot be deleted: 409."},
	notes: notes{"id": shows("", "2"), "name": shows("", "Furnishing")},
	story: story{
		create:  object{{"name", "Furnishing"}},
		change:  object{{"name", "Furnishing of rooms"}},
		changed: map[string]string{"name": "Furnishing of rooms"},
	},
}

var invoiceTypeLesson = lesson{
	about: "Invoice types are kinds of invoices, such as invoices in advance and credit notes. Only an admin writes them. " +
		"The label is `title` here, and `name` where an invoice shows its type.",
	words: map[verb]string{removing: "One that an invoice has cannot be deleted: 409."},
	notes: notes{"id": shows("", "3"), "title": shows("The label.", "Invoice")},
	story: story{
		create:  object{{"title", "Invoice"}},
		change:  object{{"title", "Final invoice"}},
		changed: map[string]string{"title": "Final invoice"},
	},
}
