package httpapi

import (
	"context"
	"maps"
	"net/http"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/body"
	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

var refSchema = apidoc.Text(text.Ref)

// refParameter names the record of a PUT without an id.
var refParameter = apidoc.Parameter{
	Name: "ref", Schema: refSchema, Required: true, Description: "The `ref` of the record to change or to create.",
}

func refFilter(p *params) string {
	p.declare("ref", func() (apidoc.Schema, string) {
		return refSchema, "Only the record with exactly this `ref`."
	})
	return p.limited("ref", text.Ref)
}

// putByRef returns the route that changes or creates the record with a ref.
func (r endpoint[F]) putByRef(w writes) route {
	name := r.table.Name
	r.parameters = []apidoc.Parameter{refParameter}
	return r.action(http.MethodPut, "", apidoc.Update, &apidoc.Action{
		ID: "put" + r.record, Summary: "Update or create one " + name + " by its ref",
		Does: "Changes the " + name + " with this `ref` as a PUT of its id does, or creates it as a POST does if there is none; then the " +
			"status is 201. Repeating the request creates no second one. `ref` may be left out of the body.",
		Problems: []int{
			http.StatusConflict, http.StatusPreconditionFailed,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
		},
		Body: &apidoc.Body{
			Suffix: "New", Summary: "A new " + name, Example: r.docs.Create,
			Description: "The attributes of a new record; for a record that exists, those to change are enough.",
		},
		IsCreated: true,
	}, r.put(w))
}

// put changes the record with the ref in the query, or creates it.
func (r endpoint[F]) put(w writes) handler {
	return func(c *call) (*response, error) {
		p := c.params()
		ref := p.limited("ref", text.Ref)
		if ref == "" && len(p.wrong) == 0 {
			p.reject("ref", "is required: PUT /rest/"+r.path+"?ref=…, or PUT /rest/"+r.path+"/<id>")
		}
		if err := p.err(); err != nil {
			return nil, err
		}
		in, a, err := r.written(c)
		if err != nil {
			return nil, err
		}
		in.isChange = true
		in.setRef(ref)
		return a, w.put(c, in)
	}
}

// setRef gives the sent record the ref. It must not have another one.
func (in *input) setRef(ref string) {
	if sent, ok := in.text("ref").Get(); ok && strings.TrimSpace(sent) != ref {
		in.refuse(fault.Mismatch, "ref", "must be the one in the query, or be left out")
	}
	in.Fields = maps.Clone(in.Fields)
	if in.Fields == nil {
		in.Fields = map[string]body.Value{}
	}
	in.Fields["ref"] = body.Value{Kind: body.String, Text: ref}
}

// keyedUseCases are those of a resource whose records may have a ref.
type keyedUseCases[ID ~int64, A any] interface {
	useCases[ID, A]
	Put(ctx context.Context, r command.Request, a A) error
}

// keyedWritesOf is like writesOf, with the put.
func keyedWritesOf[ID ~int64, A any](u keyedUseCases[ID, A], attributes func(in *input) A) writes {
	w := writesOf(u, attributes)
	w.put = func(ctx context.Context, in *input) error {
		a := attributes(in)
		return in.asSent(u.Put(ctx, in.request, a))
	}
	return w
}
