package httpapi

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func clientRoutes(reader readmodel.Reader[readmodel.ClientFilter], commands *command.Clients) []route {
	return resource[readmodel.ClientFilter]{
		path:   "client",
		table:  readmodel.Clients,
		reader: reader,
		format: jsonFormat,
		filter: clientFilter,
		record: "Client",
		body:   clientFields,
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := clientAttributes(in)
			a.Type = clientType(in)
			id, err := commands.Create(ctx, in.request, a)
			return int64(id), err
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := clientAttributes(in)
			return commands.Update(ctx, in.request, client.ID(id), a)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.Delete(ctx, r, client.ID(id))
		},
	})
}

var clientFields = slices.Concat(
	[]field{
		{name: "user", schema: idSchema, notNull: true, about: "The user whom the client belongs to; without it, whoever creates the client."},
		named("name", shortText),
		{
			name: "type", schema: object{{"type", "integer"}, {"enum", []int{int(client.Company), int(client.Person)}}},
			required: true, onCreate: true, about: "1: a company, 2: a person.",
		},
		emailField,
	},
	textFields(64, "phone"),
	textFields(longText, "real_address", "description"),
	[]field{
		{name: "company_address", schema: textSchema(longText), about: "Of a company."},
		{name: "bank_details", schema: textSchema(longText), about: "Of a company."},
		{name: "person_details", schema: textSchema(longText), about: "Of a person."},
	},
)

func clientFilter(p *params) readmodel.ClientFilter {
	f := readmodel.ClientFilter{
		UserID: idParam[user.ID](p, "user_id"),
		Name:   p.text("name"),
		Search: p.textAbout("search", "The same as name; with both, both must be in it."),
		Email:  p.textAbout("email", "Only those with this whole mail address, whatever its case."),
	}
	if n, ok := p.number("type", int64(client.Company), int64(client.Person)); ok {
		f.Type = optional.Some(client.Type(n))
	}
	return f
}

func clientAttributes(in *input) client.Attributes {
	return client.Attributes{
		UserID:         embeddedID[user.ID](in, "user"),
		Name:           in.text("name"),
		Email:          in.text("email"),
		Phone:          in.text("phone"),
		RealAddress:    in.text("real_address"),
		Description:    in.text("description"),
		CompanyAddress: in.text("company_address"),
		BankDetails:    in.text("bank_details"),
		PersonDetails:  in.text("person_details"),
	}
}

// clientType is read on creation only: an update does not look at it.
func clientType(in *input) optional.Of[client.Type] {
	n, ok := in.integer("type").Get()
	if !ok {
		return optional.Of[client.Type]{}
	}
	t, ok := client.ParseType(int64(n))
	if !ok {
		in.refuse("type", "must be 1 (company) or 2 (person)")
		return optional.Of[client.Type]{}
	}
	return optional.Some(t)
}
