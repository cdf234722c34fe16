package httpapi

import (
	"context"
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Contacts returns the contact resource.
func Contacts(reader readmodel.Reader[readmodel.ContactFilter], commands *command.Contacts) Resource {
	return endpoint[readmodel.ContactFilter]{
		path:   "contact",
		table:  readmodel.Contacts,
		reader: reader,
		format: jsonFormat,
		filter: contactFilter,
		record: "Contact",

		needsFilter: true,
		docs:        &contactDocs,
		body:        append(fieldsOf(contactLink), fieldsOf(contactAttributes)...),
		statuses:    map[apidoc.Verb][]int{apidoc.List: {http.StatusNotFound}},
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			link, a := contactLink(in), contactAttributes(in)
			id, err := commands.Create(ctx, in.request, link, a)
			return int64(id), err
		},
		update: func(ctx context.Context, in *input, id int64) error {
			a := contactAttributes(in)
			return commands.Update(ctx, in.request, contact.ID(id), a)
		},
		remove: func(ctx context.Context, r command.Request, id int64) error {
			return commands.Delete(ctx, r, contact.ID(id))
		},
		put: func(ctx context.Context, in *input) error {
			link, a := contactLink(in), contactAttributes(in)
			return commands.Put(ctx, in.request, link, a)
		},
	})
}

func contactFilter(p *params) readmodel.ContactFilter {
	return readmodel.ContactFilter{
		ClientIDs: idsParam[client.ID](p, "client_id"),
		DealID:    idParam[deal.ID](p, "deal_id"),

		IDs:          idsParam[contact.ID](p, "id"),
		UpdatedSince: updatedSince(p),
		Ref:          refFilter(p),
	}
}

func contactLink(in *input) command.ContactLink {
	return command.ContactLink{
		ClientID: idField[client.ID](in, in.field("client_id", apidoc.ID, "", createOnly,
			inBody("The client of the contact; `client_id` or `deal_id` is required."))).Or(0),
		DealID: idField[deal.ID](in, in.field("deal_id", apidoc.ID, "", createOnly,
			inBody("The deal of the contact; if the deal has a client, the contact is linked to that client."))).Or(0),
	}
}

func contactAttributes(in *input) contact.Attributes {
	return contact.Attributes{
		Name:   in.requiredText("name", shortText, ""),
		Phone:  in.textField("phone", phoneText, "Landline number."),
		Mobile: in.textField("mobile", phoneText, "Mobile number."),
		Email:  in.email(),
		Rank:   in.textField("rank", shortText, "The position in the company."),
		Ref:    in.ref(),
	}
}

var contactDocs = apidoc.Docs{
	Description: "Contacts are the people to talk to. Each is linked to one client, or to a deal that has no client yet.",
	Operations: map[apidoc.Verb]string{
		apidoc.List: "`client_id` or `deal_id` is required. With `deal_id`, the list has the contacts of the deal's client or, if it " +
			"has none, those linked to the deal. " +
			"With both, it has the contacts of the client if the deal is one of its deals, else none. A client or deal that does not " +
			"exist is a 404. " +
			"Without both, it is a 400 with the message `" + query.NoClientOrDeal + "`.",
		apidoc.Create: "`client_id` or `deal_id` is required. With `deal_id` the contact is linked to the client of the deal or, if " +
			"it has none, to the deal.",
		apidoc.Update: "The link cannot be changed.",
	},
	Create: `{"client_id":31,"name":"Greta Lund","phone":"+49 431 555 0112","mobile":"+49 170 555 0113",` +
		`"email":"greta@seeblick.example","rank":"Director"}`,
	Change: `{"mobile":null}`,
}
