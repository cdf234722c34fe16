package data

import (
	"fmt"
	"math/big"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/document"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// A row is the values of a record in the order of its table's columns.
type row = []any

var columns = map[string][]string{
	"clients": {
		"id", "version", "user_id", "type", "name", "name_key", "email", "email_key", "phone", "phone_key",
		"real_address", "real_address_key", "description", "description_key",
		"company_address", "bank_details", "person_details", "created_at", "updated_at",
	},
	"contacts": {
		"id", "version", "client_id", "deal_id", "name", "name_key", "phone", "phone_key",
		"mobile", "mobile_key", "email", "email_key", "rank", "rank_key",
	},
	"deals": {
		"id", "version", "name", "name_key", "client_id", "user_id", "type_id", "status_id", "created_at", "updated_at",
	},
	"offers":    documentColumns,
	"contracts": documentColumns,
	"invoices": {
		"id", "version", "user_id", "number", "number_key", "date", "performer_id", "client_id", "deal_id", "type_id",
		"status", "notice", "notice_key", "vat_use", "vat_percent", "total_count", "text_bytes", "text_bytes_version", "total_price",
		"vat_price", "pay_price", "created_on", "paid_on", "paid_month", "updated_on",
	},
	"invoice_lines": {
		"id", "version", "invoice_id", "name", "name_key", "units", "units_key", "count", "price", "total_price",
	},
	"deal_history": {"id", "deal_id", "status_id", "invoice_id", "user_id", "created_on"},
}

var documentColumns = []string{"id", "version", "deal_id", "number", "number_key", "date", "notice", "notice_key", "created_on"}

func clientRow(s client.State) row {
	return row{
		int64(s.ID), s.Version, int64(s.UserID), int16(s.Type), s.Name, textkey.Of(s.Name), text(s.Email), key(s.Email), text(s.Phone), key(s.Phone),
		text(s.RealAddress), key(s.RealAddress), text(s.Description), key(s.Description),
		text(s.CompanyAddress), text(s.BankDetails), text(s.PersonDetails), s.CreatedAt, s.UpdatedAt,
	}
}

func contactRow(s contact.State) row {
	ofClient, _ := s.Link.Client()
	ofDeal, _ := s.Link.Deal()
	return row{
		int64(s.ID), s.Version, reference(ofClient), reference(ofDeal), s.Name, textkey.Of(s.Name), text(s.Phone), key(s.Phone),
		text(s.Mobile), key(s.Mobile), text(s.Email), key(s.Email), text(s.Rank), key(s.Rank),
	}
}

func dealRow(s deal.State) row {
	return row{
		int64(s.ID), s.Version, s.Name, textkey.Of(s.Name), reference(s.ClientID), int64(s.UserID), reference(s.TypeID), int64(s.StatusID),
		s.CreatedAt, s.UpdatedAt,
	}
}

func documentRow[ID document.Identifier](s document.State[ID]) row {
	return row{
		int64(s.ID), s.Version, int64(s.DealID), s.Number, textkey.Of(s.Number), instant(s.Date), text(s.Notice), key(s.Notice), s.CreatedOn,
	}
}

func invoiceRow(s invoice.State) row {
	return row{
		int64(s.ID), s.Version, int64(s.UserID), s.Number, textkey.Of(s.Number), s.Date, int64(s.PerformerID), int64(s.ClientID), int64(s.DealID), int64(s.TypeID),
		int16(s.Status), text(s.Notice), key(s.Notice), s.Terms.VATUse, decimal(s.Terms.VATPercent), int32(s.TotalCount), int64(s.TextBytes), s.Version,
		decimal(s.TotalPrice), decimal(s.VATPrice), decimal(s.PayPrice),
		s.CreatedOn, instant(s.PaidOn), month(s.PaidOn), s.UpdatedOn,
	}
}

func lineRow(of invoice.ID, l invoice.Line) row {
	return row{
		int64(l.ID), l.Version, int64(of), l.Name, textkey.Of(l.Name), text(l.Units), key(l.Units), decimal(l.Count), decimal(l.Price), decimal(l.Total),
	}
}

// creationEntry is the entry in the history of the n-th deal for its creation.
func (b *Company) creationEntry(n uint64) row {
	o := b.dealSummary(n)
	return row{nil, int64(n + 1), int64(o.status), nil, int64(o.user), b.calendar.at(o.since)}
}

// invoiceEntry is the entry in a deal's history for an invoice.
func (b *Company) invoiceEntry(s invoice.State) row {
	o := b.dealSummary(uint64(s.DealID - 1))
	return row{nil, int64(s.DealID), int64(o.status), int64(s.ID), int64(s.UserID), s.CreatedOn}
}

// text is the stored form of a text: an empty one is null.
func text(s string) any {
	if s == "" {
		return nil
	}
	return s
}

// key is the stored key of a text.
func key(s string) any {
	if s == "" {
		return nil
	}
	return textkey.Of(s)
}

// reference is the stored form of an id: zero is null.
func reference[ID ~int64](id ID) any {
	if id == 0 {
		return nil
	}
	return int64(id)
}

// instant is the stored form of a time: the zero time is null.
func instant(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	return t
}

// month is the number of an instant's month in UTC, the zone of this data, as
// it is stored: that of the zero time is null.
func month(t time.Time) any {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return int32(t.Year()*12 + int(t.Month()) - 1)
}

// decimal is a number as COPY takes it, with all its digits. What were none would
// be null, which the schema rejects.
func decimal(n fmt.Stringer) any {
	whole, fraction, _ := strings.Cut(n.String(), ".")
	digits, known := new(big.Int).SetString(whole+fraction, 10)
	return pgtype.Numeric{Int: digits, Exp: -int32(len(fraction)), Valid: known}
}
