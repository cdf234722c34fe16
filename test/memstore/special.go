package memstore

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/domain/catalog"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/contact"
	"github.com/kontor-crm/kontor/domain/deal"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/domain/token"
	"github.com/kontor-crm/kontor/domain/user"
)

// The methods of some repositories beyond those that all of them have.

type users struct {
	*repo[user.ID, *user.User, user.State]
}

func (r *users) LockByName(ctx context.Context, username string) (*user.User, error) {
	return r.lockFirst(ctx, func(s user.State) bool { return textkey.Of(s.Username) == textkey.Of(username) })
}

type tokens struct {
	*repo[token.ID, *token.Token, token.State]
}

func (r *tokens) LockByPublicID(ctx context.Context, publicID string) (*token.Token, error) {
	return r.lockFirst(ctx, func(s token.State) bool { return s.PublicID == publicID })
}

func (r *tokens) LockUsable(ctx context.Context, owner user.ID, at time.Time) (usable []*token.Token, err error) {
	for _, id := range r.table.ids() {
		if s := r.table.rows[id]; s.UserID != owner || !token.Restore(s).Usable(at) {
			continue
		}
		t, err := r.Lock(ctx, id)
		if err != nil {
			return nil, err
		}
		usable = append(usable, t)
	}
	return usable, nil
}

type statuses struct {
	*repo[catalog.StatusID, *catalog.Status, catalog.StatusState]
}

func isDefault(s catalog.StatusState) bool { return s.Default }

// LockDefault may come after the lock of any other status: that one is about to
// follow the default, so no writer that has locked the default waits for it.
func (r *statuses) LockDefault(context.Context) (*catalog.Status, error) {
	s, ok := r.table.find(isDefault)
	if !ok {
		return nil, nil
	}
	return r.lock(s), nil
}

type contacts struct {
	*repo[contact.ID, *contact.Contact, contact.State]
}

func (r *contacts) RemoveOf(ctx context.Context, link contact.Link) error {
	return r.eachOf(ctx, link, func(c *contact.Contact) error { return r.Remove(ctx, c) })
}

func (r *contacts) HandOver(ctx context.Context, from deal.ID, to client.ID) error {
	return r.eachOf(ctx, contact.ToDeal(from), func(c *contact.Contact) error {
		c.HandTo(to)
		return r.Save(ctx, c)
	})
}

// eachOf locks the contacts with the link by ascending id.
func (r *contacts) eachOf(ctx context.Context, link contact.Link, do func(c *contact.Contact) error) error {
	for _, id := range r.table.ids() {
		if r.table.rows[id].Link != link {
			continue
		}
		c, err := r.Lock(ctx, id)
		if err != nil {
			return err
		}
		if err := do(c); err != nil {
			return err
		}
	}
	return nil
}

// ContactsOf is the ids of the contacts with the link, in ascending order.
func (s *Store) ContactsOf(link contact.Link) (ids []contact.ID) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range s.data.contacts.ids() {
		if s.data.contacts.rows[id].Link == link {
			ids = append(ids, id)
		}
	}
	return ids
}

type deals struct {
	*repo[deal.ID, *deal.Deal, deal.State]
}

func (r *deals) HasInvoices(_ context.Context, id deal.ID) (bool, error) {
	_, ok := r.unit.invoices.find(func(s invoice.State) bool { return s.DealID == id })
	return ok, nil
}

func (r *deals) Remove(ctx context.Context, d *deal.Deal) error {
	r.unit.forgetDeal(d.State().ID)
	return r.repo.Remove(ctx, d)
}

type invoices struct {
	*repo[invoice.ID, *invoice.Invoice, invoice.State]
}

// LockHeader locks the invoice without its lines.
func (r *invoices) LockHeader(ctx context.Context, id invoice.ID) (*invoice.Invoice, error) {
	if _, err := r.Lock(ctx, id); err != nil {
		return nil, err
	}
	s := r.table.rows[id]
	s.Lines = nil
	return r.lock(s), nil
}

func (r *invoices) LockByLine(ctx context.Context, id invoice.LineID) (*invoice.Invoice, error) {
	inv, err := r.lockFirst(ctx, func(s invoice.State) bool {
		_, ok := lineByID(s.Lines, id)
		return ok
	})
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.NotFound, "there is no such line")
	}
	if err != nil {
		return nil, err
	}
	s := inv.State()
	l, _ := lineByID(s.Lines, id)
	s.Lines = []invoice.Line{l}
	return r.lock(s), nil
}

func (r *invoices) Add(_ context.Context, inv *invoice.Invoice) (invoice.ID, error) {
	s := inv.State()
	r.number(s.Lines, nil)
	return r.add(s)
}

// Save stores the invoice with the lines that are not loaded as they are.
func (r *invoices) Save(_ context.Context, inv *invoice.Invoice) ([]invoice.LineID, error) {
	s := inv.State()
	stored, loaded := r.table.rows[s.ID].Lines, r.locked[s.ID].Lines
	added := r.number(s.Lines, stored)
	if err := r.save(s); err != nil {
		return nil, err
	}
	row := r.table.rows[s.ID]
	row.Lines = slices.DeleteFunc(slices.Clone(stored), func(l invoice.Line) bool {
		_, ok := lineByID(loaded, l.ID)
		return ok
	})
	row.Lines = append(row.Lines, s.Lines...)
	slices.SortFunc(row.Lines, func(a, b invoice.Line) int { return cmp.Compare(a.ID, b.ID) })
	r.table.rows[s.ID] = row
	return added, nil
}

func (r *invoices) Remove(ctx context.Context, inv *invoice.Invoice) error {
	r.unit.forgetInvoice(inv.State().ID)
	return r.repo.Remove(ctx, inv)
}

// number gives new lines their ids, which it returns, and lines that differ
// from the stored ones their next version.
func (r *invoices) number(lines, stored []invoice.Line) (added []invoice.LineID) {
	for i := range lines {
		l := &lines[i]
		if l.ID == 0 {
			l.ID, l.Version = invoice.LineID(r.unit.next("line")), 1
			added = append(added, l.ID)
			continue
		}
		if before, ok := lineByID(stored, l.ID); ok && !invoice.SameLine(before, *l) {
			l.Version = before.Version + 1
		}
	}
	return added
}

func lineByID(lines []invoice.Line, id invoice.LineID) (l invoice.Line, ok bool) {
	for _, l := range lines {
		if l.ID == id {
			return l, true
		}
	}
	return l, false
}
