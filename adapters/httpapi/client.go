package httpapi

import (
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Clients returns the client resource.
func Clients(reader readmodel.Reader[readmodel.ClientFilter], commands *command.Clients) Resource {
	r := endpoint[readmodel.ClientFilter]{
		path:    "client",
		table:   readmodel.Clients,
		reader:  reader,
		format:  jsonFormat,
		filter:  clientFilter,
		record:  "Client",
		columns: "name,type,email,phone,user.username",
		hidden:  "id,user.id",
		docs:    &clientDocs,
		body:    fieldsOf(clientAttributes),
		party:   partyFields(partyState),
	}
	erasing := r
	erasing.body = nil
	return append(r.writing(keyedWritesOf(commands, clientAttributes)),
		erasing.action(http.MethodPost, "/:id/erase", apidoc.Update, &erasure, func(c *call) (*response, error) {
			in, a, err := erasing.written(c)
			if err != nil {
				return nil, err
			}
			return a, commands.Erase(c, in.request, client.ID(c.id))
		}))
}

var erasure = apidoc.Action{
	ID: "eraseClient", Summary: "Erase the personal data of one client",
	Does: "Makes the name `erased`, empties all other texts but `ref`, deletes the party and the contacts of the client, and takes " +
		"the values from its list of changes. Deals and invoices stay, and so do issued documents, which the law asks for. It cannot be " +
		"undone, and only an admin may do it. No business rule judges it.",
	Body: &apidoc.Body{
		Suffix: "Erasure", Partial: true, Description: "Nothing: the body may be empty.", Summary: "An empty body", Example: `{}`,
	},
}

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

func clientAttributes(in *input) (a client.Attributes) {
	a.UserID = embeddedID[user.ID](in, in.field("user", apidoc.ID, "The responsible user: the id, or the user record with `expand=user`.",
		notNull, inBody("The id of the responsible user; default: the user who creates the client.")))
	a.Name = in.requiredText("name", shortText, "")
	kind := in.field("type", clientTypes, "1: a company, 2: a person.", required, createOnly)
	a.Email = in.email()
	a.Phone = in.textField("phone", phoneText, "")
	a.RealAddress = in.textField("real_address", longText, "The address for visitors and mail.")
	a.Description = in.textField("description", longText, "")
	a.CompanyAddress = in.textField("company_address", longText, "The registered address of a company.", inBody("Only for a company."))
	a.BankDetails = in.textField("bank_details", longText, "The bank account of a company.", inBody("Only for a company."))
	a.PersonDetails = in.textField("person_details", longText, "Further details of a person.", inBody("Only for a person."))
	a.Ref = in.ref()
	a.Type = clientType(in, kind) // last in errors
	return a
}

const clientTypes apidoc.Schema = `{"type":"integer","enum":[1,2],"x-enum-varnames":["ClientCompany","ClientPerson"]}`

func clientType(in *input, name string) domain.Optional[client.Type] {
	n, ok := in.integer(name).Get()
	if !ok {
		return domain.Optional[client.Type]{}
	}
	t, ok := client.ParseType(int64(n))
	if !ok {
		in.reject(name, "must be 1 (company) or 2 (person)")
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
		"erased_on":       "When the personal data of the client were erased; null: they were not.",
		"user_id":         "The id of the responsible user, present when `user` is expanded.",
		"count_deals":     "The number of the client's deals.",
		"count_offers":    "The number of offers in its deals.",
		"count_contracts": "The number of contracts in its deals.",
		"count_invoices":  "The number of invoices in its deals.",
	},
	Create: `{"name":"Hotel Seeblick","type":1,"email":"front@seeblick.example","phone":"+49 431 555 0111",` +
		`"real_address":"Strandweg 3, 24159 Kiel","description":"Closed in January.","company_address":"Strandweg 3, 24159 Kiel"}`,
	Change: `{"description":"Closed in January and February."}`,
}
