package httpapi

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/application/access"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
	"github.com/kontor-crm/kontor/ports"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// Tokens returns the resource of the access tokens, for administrators.
func Tokens(reader readmodel.Reader[readmodel.TokenFilter], commands *command.Tokens) Resource {
	r := endpoint[readmodel.TokenFilter]{
		path:   "token",
		table:  readmodel.Tokens,
		reader: reader,
		format: jsonFormat,
		area:   access.Administration,
		filter: func(p *params) readmodel.TokenFilter {
			name := p.textDescribed("username", "Only tokens of the user with this name, ignoring case.")
			return readmodel.TokenFilter{Username: name}
		},
		record: "Token",
		docs:   &tokenDocs,
	}
	issued := r
	issued.table, issued.record, issued.body = readmodel.IssuedTokens, "IssuedToken", fieldsOf(tokenAttributes)
	return Resource{
		r.route(http.MethodGet, "", apidoc.List, r.list),
		r.route(http.MethodGet, "/:id", apidoc.Read, r.read(reader)),
		issued.route(http.MethodPost, "", apidoc.Create, func(c *call) (*response, error) { return issued.issueToken(c, commands) }),
		r.action(http.MethodDelete, "/:id", apidoc.Delete, &revocation, r.remove(writes{
			remove: func(ctx context.Context, request command.Request, id int64) error {
				return commands.Delete(ctx, request, token.ID(id))
			},
		})),
	}
}

// issueToken responds with the token itself, which the response that is stored under an idempotency key lacks.
func (r endpoint[F]) issueToken(c *call, commands *command.Tokens) (*response, error) {
	return r.create(writes{create: func(ctx context.Context, in *input) (int64, error) {
		sent := tokenAttributes(in)
		var err error
		a := command.TokenAttributes{UserID: sent.user.Or(0), Label: sent.label.Or(""), Life: sent.life.Or(token.DefaultTTL)}
		if scopes := sent.scopes.Or(nil); len(scopes) > 0 {
			if a.Scopes, err = token.ParseScopes(scopes, scopeNames(c.api.home.routes)); err != nil {
				in.reject("scopes", "are wrong: "+fault.As(err).Message)
			}
		}
		var secret string
		respond := in.request.Response
		encode := respond.Encode
		respond.Encode = func(id int64, record *readmodel.Rows) ([]byte, error) {
			stored, err := encode(id, record)
			if err == nil && secret != "" {
				in.shown.rows = withToken(record, respond.Selection, secret)
				encoded := c.encode(in.shown, new(bytes.Buffer))
				in.shown.sent = &encoded
			}
			return stored, err
		}
		id, err := commands.Create(ctx, in.request, a, func(s ports.Secret) { secret = s.Token })
		return int64(id), err
	}})(c)
}

// withToken returns the record with the token in its cell.
func withToken(record *readmodel.Rows, s *readmodel.Selection, secret string) *readmodel.Rows {
	i := slices.Index(s.Paths, "token")
	rows := readmodel.NewRows(len(s.Paths))
	rows.Total = record.Total
	for cell := range s.Paths {
		text, _ := record.Cell(0, cell)
		if cell == i {
			text = []byte(secret)
		}
		rows.Append(text)
	}
	return rows
}

type sentToken struct {
	user   domain.Optional[user.ID]
	label  domain.Optional[string]
	scopes domain.Optional[[]string]
	life   domain.Optional[time.Duration]
}

func tokenAttributes(in *input) (a sentToken) {
	const whose = "The id of the user of the token; default: the user who issues it."
	a.user = embeddedID[user.ID](in, in.field("user", apidoc.ID, "", inBody(whose)))
	if a.label = in.requiredText("label", shortText, ""); strings.TrimSpace(a.label.Or("")) == "" {
		in.refuse(fault.Required, "label", "is required")
	}
	a.scopes = in.texts(in.field("scopes", apidoc.TextsIn(apidoc.Text(shortText)), ""))
	const howLong = "How long it is valid, such as `30d`, `12h` or `never`; default `90d`."
	a.life = parsed(in, in.field("life", apidoc.Text(shortText), "", inBody(howLong)),
		func(text string) (time.Duration, error) {
			life, err := token.ParseLife(text)
			if err == nil && life <= 0 && text != token.Forever {
				err = errors.New("must be more than 0, or never")
			}
			return life, err
		})
	return a
}

var tokenDocs = apidoc.Docs{
	Description: "Access tokens of all users, without their secrets. Only an admin may read and write them. What a token is for " +
		"does not change: issue another one, and revoke the first.",
	Operations: map[apidoc.Verb]string{
		apidoc.Create: "`token` of the response is the token itself. It is shown only now: the service stores a hash of it, and a " +
			"repetition with the same `Idempotency-Key` has null in its place. A request whose own token has scopes can only issue " +
			"tokens with these scopes, or fewer.",
	},
	Attributes: apidoc.Attributes{
		"token":        "The token, to be sent as `Authorization: Bearer`; null in a dry run and a repetition.",
		"public_id":    "The part of the token between the first two underscores.",
		"username":     "The user of the token.",
		"created_at":   "When it was issued.",
		"expires_at":   "When it expires; null: never.",
		"revoked_at":   "When it was revoked; null: it was not.",
		"last_used_at": "When it was last used, to the minute; null: never.",
		"label":        "What the token is for.",
		"scopes":       "What the token may read or write, as in invoice:read; null: whatever its user may.",
	},
	Create: `{"user":4,"label":"web shop","scopes":["invoice:read","client:write"],"life":"30d"}`,
}

var revocation = apidoc.Action{
	ID: "revokeToken", Summary: "Revoke one token",
	Does: "Revokes the token with the id in the path, and returns that id. Every instance rejects the token within two seconds. It " +
		"stays in the list for 90 days.",
	Succeeded: "The id of the revoked token.",
}
