package pgstore

import (
	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/domain/agreement"
	"github.com/kontor-crm/kontor/domain/catalog"
)

// forNoKeyUpdate locks one row. A writer does not lock the key of a row: those who add records that refer to it
// would have to wait, and one after the other they could keep a writer waiting for ever. A deletion locks the key
// when it deletes the row, or before, where it deletes what goes with it.
const forNoKeyUpdate = "where id = $1\nfor no key update"

// scan reads all records of a resource.
type scan struct {
	table string
	sql   string // selects the records, and lacks a condition
	// read returns the id and a pointer to the state of the current row.
	read func(rows pgx.Rows) (id int64, state any, err error)
}

// scans are the scans of the resources whose changes rules judge, by name.
var scans = map[string]scan{
	"client":       scanOf("clients", selectClient, clientColumns, clientKey),
	"contact":      scanOf("contacts", selectContacts, contactColumns, contactKey),
	"contract":     agreementScan[agreement.ContractID](contractSQL),
	"deal":         scanOf("deals", selectDeal, dealColumns, dealKey),
	"deal-type":    labelScan[catalog.DealTypeID](dealTypeSQL),
	"invoice":      scanOf("invoices", selectInvoice, invoiceColumns, invoiceKey),
	"invoice-type": labelScan[catalog.InvoiceTypeID](invoiceTypeSQL),
	"offer":        agreementScan[agreement.OfferID](offerSQL),
	"performer":    scanOf("performers", selectPerformer, performerColumns, performerKey),
	"status":       scanOf("statuses", selectStatus, statusColumns, statusKey),
	"user":         scanOf("users", selectUser, userColumns, userKey),
}

func scanOf[S any, ID ~int64](table, sql string, columns func(s *S) []any, key func(S) ID) scan {
	return scan{table, sql, func(rows pgx.Rows) (int64, any, error) {
		s := new(S)
		err := rows.Scan(columns(s)...)
		return int64(key(*s)), s, err
	}}
}

func labelScan[ID catalog.LabelID](sql tableSQL) scan {
	return scanOf(sql.table, sql.rows, labelColumns[ID], labelKey[ID])
}

func agreementScan[ID agreement.Identifier](sql tableSQL) scan {
	return scanOf(sql.table, sql.rows, agreementColumns[ID], agreementKey[ID])
}
