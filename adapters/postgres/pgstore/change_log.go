package pgstore

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/kontor-crm/kontor/application/derive"
	"github.com/kontor-crm/kontor/ports/repository"
)

// ChangeLog is the projection that stores the log of changes.
type ChangeLog struct{}

// Project queues the entries of derive.ChangeLog as one statement. A dry run has none.
func (ChangeLog) Project(meta repository.Meta, changes repository.Changes, w *Writer) {
	entries := derive.ChangeLog(changes)
	if len(entries) == 0 || meta.DryRun {
		return
	}
	var resources, actions, causes, attributes []string
	var ids []int64
	for _, e := range entries {
		resources, ids = append(resources, e.Resource), append(ids, e.RecordID)
		actions, causes, attributes = append(actions, e.Action), append(causes, e.Cause), append(attributes, attributesJSON(e.Attributes))
	}
	w.Store(`
insert into record_changes (resource, record_id, action, cause, attributes, user_id, request_id, at)
select resource, record_id, action, nullif(cause, ''), attributes::jsonb, $6::bigint, $7::text, $8::timestamptz
from unnest($1::text[], $2::bigint[], $3::text[], $4::text[], $5::text[]) c (resource, record_id, action, cause, attributes)`,
		resources, ids, actions, causes, attributes, reference(meta.UserID), missing(meta.RequestID), meta.At)
}

// loggedAttribute is an attribute in the column attributes, a JSON list.
type loggedAttribute struct {
	Name string `json:"name"`
	Old  string `json:"old,omitempty"`
	New  string `json:"new,omitempty"`
}

func attributesJSON(all []repository.LoggedAttribute) string {
	if len(all) == 0 {
		return "[]"
	}
	stored := make([]loggedAttribute, len(all))
	for i, a := range all {
		stored[i] = loggedAttribute(a)
	}
	text, err := json.Marshal(stored)
	if err != nil {
		panic(fmt.Sprintf("pgstore: encode logged attributes: %v", err)) // they are texts
	}
	return string(text)
}

// changeLog implements repository.ChangeLog. The entries of the unit of work itself are stored later.
type changeLog struct{ u *unit }

func (l changeLog) Forget(_ context.Context, resource string, id int64) error {
	l.u.Store(`
update record_changes c
set attributes = (select coalesce(jsonb_agg(jsonb_build_object('name', a ->> 'name')), '[]') from jsonb_array_elements(c.attributes) a)
where resource = $1 and record_id = $2`, resource, id)
	return nil
}
