package pgread_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/test/workload"
)

// company is a company whose lists are read.
type company struct{ workload.Company }

// newCompany is a company on a database of its own.
func newCompany(t *testing.T) company {
	t.Helper()
	return company{workload.NewCompany(t)}
}

// splitPageIndex rebuilds the page index of every list, in segments so short that a short list has
// many of them. The counts stay exact: changes that are not folded are left out.
func (c company) splitPageIndex() {
	c.T.Helper()
	statements := []string{"select from read_model_state for update"}
	for _, of := range []struct{ list, created, changes string }{
		{"clients", "created_at", "client_changes"},
		{"deals", "created_at", "deal_changes"},
		{"offers", "created_on", "offer_changes"},
		{"contracts", "created_on", "contract_changes"},
		{"invoices", "created_on", "invoice_changes"},
		{"invoice_lines", "timestamptz '-infinity'", `(
    select t.batch_id, t.delta, timestamptz '-infinity' as created_at, l.id
    from invoice_changes t, unnest(t.line_ids) l (id)
)`},
	} {
		statements = append(statements, "delete from page_index where list = '"+of.list+"'",
			strings.NewReplacer("$list", of.list, "$created", of.created, "$changes", of.changes).Replace(insertSegments))
	}
	c.Execute(statements...)
}

const insertSegments = `
with r as (
    select $created as created_at, id, (row_number() over (order by $created, id) + 86) / 97 as segment
    from $list
    union all
    select '-infinity', 0, 0 -- the start of the first segment
), start as (
    select distinct on (segment) created_at, id, count(*) over (partition by segment) - (segment = 0)::integer as record_count
    from r
    order by segment, created_at, id
), segment as (
    select
        created_at, id, record_count,
        lead(created_at, 1, 'infinity') over (order by created_at, id) as next_created_at,
        lead(id, 1, 0::bigint) over (order by created_at, id) as next_id
    from start
)
insert into page_index (list, created_at, id, record_count)
select
    '$list', p.created_at, p.id, p.record_count - (
        select coalesce(sum(t.delta), 0)
        from $changes t, read_model_state m
        where t.batch_id >= m.oldest_open_batch
            and (t.created_at, t.id) >= (p.created_at, p.id) and (t.created_at, t.id) < (p.next_created_at, p.next_id)
    )
from segment p`
