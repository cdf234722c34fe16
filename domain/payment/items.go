package payment

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/money"
)

// MaxItems is the maximum number of items of a payment.
const MaxItems = 1000

// ItemID identifies an item of a payment. Zero is an item that is not stored yet.
type ItemID int64

// Item is what a payment settles of an invoice, of which it has at most one item. Amount is money; what is waived settles too.
type Item struct {
	ID        ItemID
	Version   int64 // of the stored item; zero while there is no id
	InvoiceID invoice.ID
	Amount    money.Amount
	Waived    money.Amount
	Reason    Reason // why something is waived; empty if nothing is
}

// Reason is why something is waived.
type Reason string

// Reasons are all reasons: a discount for early payment, a small difference, the fee of a bank, a loss.
var Reasons = []string{"discount", "difference", "fee", "loss"}

// ItemAttributes are the writable attributes of an item. Absent means unchanged. An item is known by its id or by its invoice. For a
// new one the invoice is required, and an amount, or what is waived.
type ItemAttributes struct {
	ID        domain.Optional[ItemID]
	InvoiceID domain.Optional[invoice.ID]
	Amount    domain.Optional[money.Amount]
	Waived    domain.Optional[money.Amount]
	Reason    domain.Optional[Reason]
}

// Spread returns the items of a payment of the amount that is for these invoices: on each as much as is due, in their order, until
// it is spent.
func Spread(amount money.Amount, invoices []invoice.State) []ItemAttributes {
	var items []ItemAttributes
	for _, inv := range invoices {
		part := inv.Due()
		if part.IsZero() || part.IsNegative() != amount.IsNegative() {
			continue
		}
		if part.Exceeds(amount) {
			part = amount
		}
		if !part.IsZero() {
			amount = amount.Minus(part)
			items = append(items, ItemAttributes{InvoiceID: domain.Some(inv.ID), Amount: domain.Some(part)})
		}
	}
	return items
}

// ItemOf returns the item for the invoice; nil if there is none.
func (s State) ItemOf(id invoice.ID) *Item {
	if i := slices.IndexFunc(s.Items, func(i Item) bool { return i.InvoiceID == id }); i >= 0 {
		return &s.Items[i]
	}
	return nil
}

// replaceItems returns the items that are sent in place of old.
func replaceItems(c *fault.Collector, old []Item, sent domain.Optional[[]ItemAttributes]) []Item {
	all, ok := sent.Get()
	if !ok {
		return old
	}
	if len(all) > MaxItems {
		c.Coded(fault.OutOfRange, "items", "must not be more than %d", MaxItems)
		return old
	}
	items := make([]Item, 0, len(all))
	first := map[invoice.ID]int{}
	for i, a := range all {
		prefix := fmt.Sprintf("items[%d].", i)
		item, ok := a.apply(c, prefix, old)
		if !ok {
			continue
		}
		if j, twice := first[item.InvoiceID]; twice {
			c.Add(prefix+"invoice_id", "names the invoice that items[%d] names", j)
			continue
		}
		first[item.InvoiceID] = i
		items = append(items, item)
	}
	return items
}

// apply returns the item that is sent; false: it is not known which one is meant.
func (a ItemAttributes) apply(c *fault.Collector, prefix string, old []Item) (item Item, ok bool) {
	id, invoiceID := a.ID.Or(0), a.InvoiceID.Or(0)
	at := slices.IndexFunc(old, func(i Item) bool { return i.ID == id || id == 0 && i.InvoiceID == invoiceID })
	switch {
	case at < 0 && id != 0:
		c.Coded(fault.NoRecord, prefix+"id", "is not an item of this payment")
		return item, false
	case at < 0 && invoiceID == 0:
		c.Coded(fault.Required, prefix+"invoice_id", "is required")
		return item, false
	case at < 0:
		item.InvoiceID = invoiceID
	case invoiceID != 0 && invoiceID != old[at].InvoiceID:
		c.Coded(fault.Mismatch, prefix+"invoice_id", "must be %d, the invoice of the item", old[at].InvoiceID)
		return item, false
	case id == 0: // it says all of the item
		item.ID, item.Version, item.InvoiceID = old[at].ID, old[at].Version, invoiceID
	default:
		item = old[at]
	}
	item.Amount, item.Waived = a.Amount.Or(item.Amount), a.Waived.Or(item.Waived)
	item.Reason = a.Reason.Or(item.Reason)
	if item.Waived.IsZero() && !a.Reason.IsSet() {
		item.Reason = ""
	}
	item.check(c, prefix)
	return item, true
}

func (i Item) check(c *fault.Collector, prefix string) {
	switch {
	case i.Amount.IsZero() && i.Waived.IsZero():
		c.Coded(fault.Required, prefix+"amount", "is required and must not be 0, unless something is waived")
	case !i.Waived.IsZero() && i.Reason == "":
		c.Coded(fault.Required, prefix+"reason", "is required if something is waived")
	case i.Reason != "" && !slices.Contains(Reasons, string(i.Reason)):
		c.Add(prefix+"reason", "must be one of %s", strings.Join(Reasons, ", "))
	case i.Reason != "" && i.Waived.IsZero():
		c.Coded(fault.Mismatch, prefix+"reason", "must be empty if nothing is waived")
	}
}

func spent(items []Item) (sum money.Amount) {
	for _, i := range items {
		sum = sum.Plus(i.Amount)
	}
	return sum
}

// SameItem reports whether two items are equal.
func SameItem(a, b Item) bool {
	return a.ID == b.ID && a.Version == b.Version && a.InvoiceID == b.InvoiceID && a.Amount.Equal(b.Amount) && a.Waived.Equal(b.Waived) &&
		a.Reason == b.Reason
}

func sameItems(a, b []Item) bool {
	return len(a) == len(b) && !slices.ContainsFunc(a, func(i Item) bool {
		return !slices.ContainsFunc(b, func(j Item) bool { return SameItem(i, j) })
	})
}
