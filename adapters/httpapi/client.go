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
		lesson: &clientLesson,
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
			name: "type", schema: object{{"type", "integer"}, {"enum", []int{int(client.Company), int(client.Person)}}, {"x-enum-varnames", []string{"ClientCompany", "ClientPerson"}}},
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

var clientLesson = lesson{
	about: "Clients are the other side of a deal: companies and persons. Each type has attributes of its own beside those that both have.",
	words: map[verb]string{
		listing:  "Attributes that only one type has are shown, but cannot be named in `fields` or `sort` of a list.",
		creating: "It belongs to whoever makes it, unless `user` says otherwise, which takes an admin.",
		updating: "`type` stays as it is, and attributes of the other type are ignored. A manager may take a client over, but not give one away (403).",
		removing: "Its contacts go with it. One that has deals cannot be deleted: 409.",
	},
	notes: notes{
		"id":              shows("", "31"),
		"user":            shows("The user to whom the client belongs: the id, or with `expand=user` the user.", "4"),
		"user_id":         shows("The id of the user, shown beside `user` where that is expanded.", "4"),
		"name":            shows("", "Hotel Seeblick"),
		"type":            shows("1: a company, 2: a person.", "1"),
		"email":           shows("", "front@seeblick.example"),
		"phone":           shows("", "+49 431 555 0111"),
		"real_address":    shows("Where the client is to be found.", "Strandweg 3, 24159 Kiel"),
		"description":     shows("", "Closed in January."),
		"company_address": shows("The registered address of a company.", "Strandweg 3, 24159 Kiel"),
		"bank_details":    shows("The account of a company."),
		"person_details":  shows("What else there is to say of a person."),
		"created_at":      shows("", "2024-02-05 10:15:00"),
		"updated_at":      shows("", "2024-02-05 10:15:00"),
		"count_deals":     shows("How many deals the client has.", "1"),
		"count_offers":    shows("How many offers there are in its deals.", "1"),
		"count_contracts": shows("How many contracts there are in its deals.", "1"),
		"count_invoices":  shows("How many invoices there are in its deals.", "1"),
	},
	story: story{
		create: object{
			{"name", "Hotel Seeblick"}, {"type", 1}, {"email", "front@seeblick.example"}, {"phone", "+49 431 555 0111"},
			{"real_address", "Strandweg 3, 24159 Kiel"}, {"description", "Closed in January."}, {"company_address", "Strandweg 3, 24159 Kiel"},
		},
		change:  object{{"description", "Closed in January and February."}},
		changed: map[string]string{"description": "Closed in January and February.", "updated_at": "2024-03-01 11:20:00"},
	},
}
