package httpapi

import (
	"context"
	"net/http"
	"slices"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

func contactRoutes(reader readmodel.Reader[readmodel.ContactFilter], commands *command.Contacts) []route {
	return resource[readmodel.ContactFilter]{
		path:   "contact",
		table:  readmodel.Contacts,
		reader: reader,
		format: jsonFormat,
		filter: contactFilter,
		record: "Contact",
		lesson: &contactLesson,
		body:   contactFields,
		also:   map[verb][]int{listing: {http.StatusNotFound}},
	}.writing(writes{
		create: func(ctx context.Context, in *input) (int64, error) {
			link := command.ContactLink{
				ClientID: idField[client.ID](in, "client_id").Or(0),
				DealID:   idField[deal.ID](in, "deal_id").Or(0),
			}
			a := contactAttributes(in)
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
	})
}

var contactFields = slices.Concat(
	[]field{
		{name: "client_id", schema: idSchema, onCreate: true, about: "The client of the contact; one of client_id and deal_id must be there."},
		{name: "deal_id", schema: idSchema, onCreate: true, about: "The deal of the contact; if that has a client, the client is linked."},
		named("name", shortText),
	},
	textFields(64, "phone", "mobile"),
	[]field{emailField},
	textFields(shortText, "rank"),
)

func contactFilter(p *params) readmodel.ContactFilter {
	return readmodel.ContactFilter{
		ClientID: idParam[client.ID](p, "client_id"),
		DealID:   idParam[deal.ID](p, "deal_id"),
	}
}

func contactAttributes(in *input) contact.Attributes {
	return contact.Attributes{
		Name:   in.text("name"),
		Phone:  in.text("phone"),
		Mobile: in.text("mobile"),
		Email:  in.text("email"),
		Rank:   in.text("rank"),
	}
}

var contactLesson = lesson{
	about: "Contacts are people to talk to. Each is linked to one client, or to a deal that has no client yet.",
	words: map[verb]string{
		listing: "It takes `client_id` or `deal_id`. With `deal_id`, the contacts of the deal's client are shown if it has one, else those linked to the deal. " +
			"With both, those of the client if the deal is one of its deals. A client or deal that does not exist is a 404.",
		creating: "It needs `client_id` or `deal_id`. With `deal_id` it is linked to the client of the deal if there is one, else to the deal.",
		updating: "The link stays as it is.",
	},
	notes: notes{
		"id":      shows("", "45"),
		"name":    shows("", "Greta Lund"),
		"phone":   shows("At a desk.", "+49 431 555 0112"),
		"mobile":  shows("On the way.", "+49 170 555 0113"),
		"email":   shows("", "greta@seeblick.example"),
		"rank":    shows("The position in the company.", "Director"),
		"deal.id": shows(""),
	},
	story: story{
		create: object{
			{"client_id", 31}, {"name", "Greta Lund"}, {"phone", "+49 431 555 0112"}, {"mobile", "+49 170 555 0113"},
			{"email", "greta@seeblick.example"}, {"rank", "Director"},
		},
		change:  object{{"mobile", nil}},
		changed: map[string]string{"mobile": ""},
	},
}
