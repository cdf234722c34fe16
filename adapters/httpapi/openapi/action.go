package openapi

import (
	"cmp"
	"net/http"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
)

// actionOf documents what an operation does: what its verb does, unless it has an action of its own.
func actionOf(o apidoc.Operation) apidoc.Action {
	a := actions[o.Verb](o)
	own := o.Action
	if own == nil {
		return a
	}
	a.ID, a.Summary, a.Does = own.ID, own.Summary, own.Does
	a.Succeeded = cmp.Or(own.Succeeded, a.Succeeded)
	a.Body = cmp.Or(own.Body, a.Body)
	a.IsCreated, a.IsFile, a.IsReport = own.IsCreated, own.IsFile, own.IsReport
	if own.Parameters != nil {
		a.Parameters = own.Parameters
	}
	if own.Headers != nil {
		a.Headers = own.Headers
	}
	if own.Problems != nil {
		a.Problems = own.Problems
	}
	return a
}

// actions are the five of every resource.
var actions = map[apidoc.Verb]func(o apidoc.Operation) apidoc.Action{
	apidoc.List: list, apidoc.Read: read, apidoc.Create: create, apidoc.Update: update, apidoc.Delete: remove,
}

func list(o apidoc.Operation) apidoc.Action {
	a := apidoc.Action{
		ID: "list" + apidoc.Plural(o.Record), Summary: "List " + apidoc.Plural(o.Table.Name), Does: generalList(o),
		Succeeded:  apidoc.Plural(apidoc.Capital(o.Table.Name)) + " in items.",
		Parameters: []string{"page", "cursor", "all"},
	}
	if !o.Table.PagedOnRequest {
		for _, h := range pageHeaders {
			a.Headers = append(a.Headers, h.name)
		}
		a.Headers = append(a.Headers, "Link")
	}
	return a
}

func read(o apidoc.Operation) apidoc.Action {
	return apidoc.Action{
		ID: "read" + o.Record, Summary: "Read one " + o.Table.Name,
		Does: "Returns one " + o.Table.Name + ". `ETag` identifies its version: with `If-None-Match`, the response contains the record only " +
			"if it has changed.",
		Succeeded:  record(o),
		Parameters: []string{"If-None-Match"},
		Headers:    []string{"ETag"},
		Problems:   []int{http.StatusNotFound},
	}
}

func create(o apidoc.Operation) apidoc.Action {
	return apidoc.Action{
		ID: "create" + o.Record, Summary: "Create one " + o.Table.Name,
		Does: "Creates one " + o.Table.Name + " and returns it, as a GET does. `Location` is its URL. " +
			"With an `Idempotency-Key` the request can be repeated and still creates only one.",
		Succeeded:  record(o),
		Parameters: []string{"Idempotency-Key", "Prefer", "dry_run"},
		Headers:    []string{"Location", "ETag", "Idempotent-Replayed", "Preference-Applied", "Kontor-Warning"},
		Problems: []int{
			http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
		},
		Body: &apidoc.Body{
			Suffix: "New", Required: true, Summary: "A new " + o.Table.Name, Example: o.Docs.Create,
			Description: "The attributes of the new record; an empty body is a record without attributes.",
		},
	}
}

func update(o apidoc.Operation) apidoc.Action {
	id, as := "update", ""
	if o.Method == http.MethodPatch {
		id, as = "patch", ", as PUT does"
	}
	return apidoc.Action{
		ID: id + o.Record, Summary: "Update one " + o.Table.Name + as,
		Does: "Changes the attributes in the body, leaves the others as they are, and returns the changed " + o.Table.Name + ". " +
			"PUT and PATCH do the same. With `If-Match`, nothing changes if the record has been changed since it was read.",
		Succeeded:  record(o),
		Parameters: []string{"If-Match", "If-None-Match", "Prefer", "dry_run"},
		Headers:    []string{"ETag", "Preference-Applied", "Kontor-Warning"},
		Problems: []int{
			http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed,
			http.StatusRequestEntityTooLarge, http.StatusUnsupportedMediaType, http.StatusUnprocessableEntity,
		},
		Body: &apidoc.Body{
			Suffix: "Changes", Partial: true, Summary: "One change", Example: o.Docs.Change, Description: "The attributes to change.",
		},
	}
}

func remove(o apidoc.Operation) apidoc.Action {
	return apidoc.Action{
		ID: "delete" + o.Record, Summary: "Delete one " + o.Table.Name,
		Does:       "Deletes one " + o.Table.Name + " and returns its id. A deletion cannot be undone.",
		Succeeded:  "The id of the deleted record.",
		Parameters: []string{"If-Match", "If-None-Match", "Prefer", "dry_run"},
		Headers:    []string{"Preference-Applied", "Kontor-Warning"},
		Problems:   []int{http.StatusNotFound, http.StatusConflict, http.StatusPreconditionFailed},
	}
}

func record(o apidoc.Operation) string { return "The " + o.Table.Name + "." }

// sendsFile reports whether the response is a file.
func sendsFile(o apidoc.Operation, a apidoc.Action) bool {
	return a.IsFile && o.Method == http.MethodGet
}
