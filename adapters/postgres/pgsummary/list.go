package pgsummary

import "slices"

// A list is one sort of records that lists show.
type list struct {
	name    string // of its table, and in milestones
	created string // the column of its time of creation; "": the list is in the order of the ids alone
	key     string // the column that it is searched by
	changes string // the table of what writers note
	noted   string // what of a row of that table is an image, beside n
	search  string // the table of the texts
	records string // images of all records
}

var clients = list{
	name: "clients", created: "created_at", key: "name_key", changes: "client_changes", search: "client_search",
	noted: "id, created, user_id, type",
	records: `
select 1 as n, id, created_at as created, user_id, type
from clients`,
}

var deals = list{
	name: "deals", created: "created_at", key: "name_key", changes: "deal_changes", search: "deal_search",
	noted: "id, created, client_id, user_id, type_id, status_id",
	records: `
select 1 as n, id, created_at as created, client_id, user_id, type_id, status_id
from deals`,
}

var offers = list{
	name: "offers", created: "created_on", key: "number_key", changes: "offer_changes", search: "offer_search",
	noted: "id, created, client_id",
	records: `
select 1 as n, o.id, o.created_on as created, d.client_id
from offers o
join deals d on d.id = o.deal_id`,
}

var contracts = list{
	name: "contracts", created: "created_on", key: "number_key", changes: "contract_changes", search: "contract_search",
	noted: "id, created, client_id",
	records: `
select 1 as n, c.id, c.created_on as created, d.client_id
from contracts c
join deals d on d.id = c.deal_id`,
}

var invoices = list{
	name: "invoices", created: "created_on", key: "number_key", changes: "invoice_changes", search: "invoice_search",
	noted: "id, created, client_id, user_id, type_id, status, month, paid_month, cardinality(line_ids) as lines",
	records: `
select 1 as n, id, created_on as created, client_id, user_id, type_id, status, month, paid_month, total_count as lines
from invoices`,
}

// lines are what invoices consist of. Writers note them with their invoices.
var lines = list{
	name: "invoice_items", changes: "invoice_changes",
	noted: "unnest(line_ids) as id, " + noTime + " as created",
}

// lists are those whose records writers note each by itself, and that can be
// searched.
var lists = []list{clients, deals, offers, contracts, invoices}

// cutLists are those that milestones cut into pieces.
var cutLists = append(slices.Clone(lists), lines)

// A source is SQL for images of a list's records; n says how often each counts.
type source func(l list) string

// records are the records as they are.
func records(l list) string { return l.records }

// batch is what was noted in the batch $1.
func batch(l list) string { return l.images("n", "=") }

// open is what was noted from the batch $1 on.
func open(l list) string { return l.images("n", ">=") }

// unnoted takes away what was noted from the batch $1 on.
func unnoted(l list) string { return l.images("-n as n", ">=") }

// folded are the records as they were before what was noted from the batch $1
// on.
func folded(l list) string { return l.records + "\nunion all" + unnoted(l) }

func (l list) images(n, compared string) string {
	return `
select ` + n + `, ` + l.noted + `
from ` + l.changes + `
where batch ` + compared + ` $1`
}
