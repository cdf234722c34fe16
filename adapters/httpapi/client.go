package httpapi

import (
	"context"
	"slices"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Clients returns the client resource.
func Clients(reader readmodel.Reader[readmodel.ClientFilter], commands *command.Clients) Resource {
	return endpoint[readmodel.ClientFilter]{
		path:    "client",
		table:   readmodel.Clients,
		reader:  reader,
		format:  jsonFormat,
		filter:  clientFilter,
		record:  "Client",
		columns: "id,name,type,email,phone,user.username",
		docs:    &clientDocs,
		body:    clientFields,
		party:   partyFields,
	}.writing(keyed(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			a := newClientAttributes(in)
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
	}, commands.Put, newClientAttributes))
}

var clientFields = slices.Concat(
	[]apidoc.Field{
		{Name: "user", Schema: apidoc.ID, NotNull: true,
			Description: "The id of the responsible user; default: the user who creates the client."},
		apidoc.RequiredText("name", shortText), {
			Name: "type", Schema: `{"type":"integer","enum":[1,2],"x-enum-varnames":["ClientCompany","ClientPerson"]}`,
			Required: true, CreateOnly: true, Description: "1: a company, 2: a person.",
		},
		apidoc.Email,
	},
	apidoc.Texts(64, "phone"),
	apidoc.Texts(longText, "real_address", "description"),
	[]apidoc.Field{
		{Name: "company_address", Schema: apidoc.Text(longText), Description: "Only for a company."},
		{Name: "bank_details", Schema: apidoc.Text(longText), Description: "Only for a company."},
		{Name: "person_details", Schema: apidoc.Text(longText), Description: "Only for a person."},
		refField,
	},
)

func clientFilter(p *params) readmodel.ClientFilter {
	f := readmodel.ClientFilter{
		UserIDs: idsParam[user.ID](p, "user_id"),
		Name:    p.text("name"),
		Search: p.textDescribed("search",
			"Only clients with this text in their name, ignoring case and diacritics. With `name`, both must match."),
		Email: p.textDescribed("email", "Only clients with exactly this email address, ignoring case."),

		IDs:          idsParam[client.ID](p, "id"),
		UpdatedSince: updatedSince(p),
		Ref:          refFilter(p),
	}
	if n, ok := p.number("type", int64(client.Company), int64(client.Person)); ok {
		f.Type = domain.Some(client.Type(n))
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
		Ref:            in.text("ref"),
	}
}

func newClientAttributes(in *input) client.Attributes {
	a := clientAttributes(in)
	a.Type = clientType(in)
	return a
}

// clientType is read on creation only: an update ignores it.
func clientType(in *input) domain.Optional[client.Type] {
	n, ok := in.integer("type").Get()
	if !ok {
		return domain.Optional[client.Type]{}
	}
	t, ok := client.ParseType(int64(n))
	if !ok {
		in.reject("type", "must be 1 (company) or 2 (person)")
		return domain.Optional[client.Type]{}
	}
	return domain.Some(t)
}

var clientDocs = apidoc.Docs{
	Description: "Clients are customers: companies and persons. Each of the two types has attributes of its own in addition to the " +
		"common ones.",
	Operations: map[apidoc.Verb]string{
		apidoc.List:   "Attributes of one type only are part of the response, but `fields` and `sort` of a list cannot name them.",
		apidoc.Create: "The client belongs to the user who creates it, unless `user` names another, which only an admin may do.",
		apidoc.Update: "`type` and the attributes of the other type are ignored. A manager may take over a client, but not assign one " +
			"to somebody else (403).",
		apidoc.Delete: "Its contacts are deleted with it. A client with deals cannot be deleted: 409.",
	},
	Attributes: apidoc.Attributes{
		"user":            "The responsible user: the id, or the user record with `expand=user`.",
		"user_id":         "The id of the responsible user, present when `user` is expanded.",
		"type":            "1: a company, 2: a person.",
		"real_address":    "The address for visitors and mail.",
		"company_address": "The registered address of a company.",
		"bank_details":    "The bank account of a company.",
		"person_details":  "Further details of a person.",
		"count_deals":     "The number of the client's deals.",
		"count_offers":    "The number of offers in its deals.",
		"count_contracts": "The number of contracts in its deals.",
		"count_invoices":  "The number of invoices in its deals.",
		"ref":             refField.Description,
	},
	Create: `{"name":"Hotel Seeblick","type":1,"email":"front@seeblick.example","phone":"+49 431 555 0111",` +
		`"real_address":"Strandweg 3, 24159 Kiel","description":"Closed in January.","company_address":"Strandweg 3, 24159 Kiel"}`,
	Change: `{"description":"Closed in January and February."}`,
}
