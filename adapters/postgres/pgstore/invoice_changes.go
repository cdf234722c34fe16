package pgstore

import (
	"github.com/kontor-crm/kontor/adapters/postgres/listdef"
	"github.com/kontor-crm/kontor/application/derive"
)

var listedInvoices = newListed(listdef.Invoices, func(e derive.InvoiceEntry) []field {
	return []field{
		{"client_id", e.ClientID}, {"user_id", e.UserID}, {"type_id", e.TypeID}, {"status", int16(e.Status)},
		{"month", e.Month}, {"paid_month", instant(e.PaidOn)}, {"line_count", e.Lines},
	}
})
