package pgsummary

import "slices"

// A list is one sort of records that lists show.
type list struct {
	name    string // of its table, and in page_index
	created string // the column of its time of creation; "": the list is in the order of the ids alone
	key     string // the column that it is searched by
	changes string // the table of what writers note
	noted   string // what of a row of that table is an image, beside delta
	search  string // the table of the texts
	records string // images of all records
}

var clients = list{
	name: "clients", created: "created_at", key: "name_key", changes: "client_changes", search: "client_search",
	noted: "id, created_at, user_id, type",
	records: `
select 1 as delta, id, created_at, user_id, type
from clients`,
}

var deals = list{
	name: "deals", created: "created_at", key: "name_key", changes: "deal_changes", search: "deal_search",
	noted: "id, created_at, client_id, user_id, type_id, status_id",
	records: `
select 1 as delta, id, created_at, client_id, user_id, type_id, status_id
from deals`,
}

var offers = list{
	name: "offers", created: "created_on", key: "number_key", changes: "offer_changes", search: "offer_search",
	noted: "id, created_at, client_id",
	records: `
select 1 as delta, o.id, o.created_on as created_at, d.client_id
from offers o
join deals d on d.id = o.deal_id`,
}

var contracts = list{
	name: "contracts", created: "created_on", key: "number_key", changes: "contract_changes", search: "contract_search",
	noted: "id, created_at, client_id",
	records: `
select 1 as delta, c.id, c.created_on as created_at, d.client_id
from contracts c
join deals d on d.id = c.deal_id`,
}

var invoices = list{
	name: "invoices", created: "created_on", key: "number_key", changes: "invoice_changes", search: "invoice_search",
	noted: "id, created_at, client_id, user_id, type_id, status, month, paid_month, cardinality(line_ids) as line_count",
	records: `
select 1 as delta, id, created_on as created_at, client_id, user_id, type_id, status, month, paid_month, total_count as line_count
from invoices`,
}

// lines are what invoices consist of. Writers note them with their invoices.
var lines = list{
	name: "invoice_lines", changes: "invoice_changes",
	noted: "unnest(line_ids) as id, " + noTime + " as created_at",
}

// lists are those whose records writers note each by itself, and that can be
// searched.
var lists = []list{clients, deals, offers, contracts, invoices}

// cutLists are those that milestones cut into pieces.
var cutLists = append(slices.Clone(lists), lines)

// A source is SQL for images of a list's records; delta says how often each counts.
type source func(l list) string

// records are the records as they are.
func records(l list) string { return l.records }

// batch is what was noted in the batch $1.
func batch(l list) string { return l.images("delta", "=") }

// open is what was noted from the batch $1 on.
func open(l list) string { return l.images("delta", ">=") }

// unnoted takes away what was noted from the batch $1 on.
func unnoted(l list) string { return l.images("-delta as delta", ">=") }

// folded are the records as they were before what was noted from the batch $1
// on.
func folded(l list) string { return l.records + "\nunion all" + unnoted(l) }

func (l list) images(delta, compared string) string {
	return `
select ` + delta + `, ` + l.noted + `
from ` + l.changes + `
where batch_id ` + compared + ` $1`
}
