package derive

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/kontor-crm/kontor/domain/invoice"
	"github.com/kontor-crm/kontor/ports/repository"
)

// invoiceChanges returns the changes of invoices. Lists count lines by the invoice's
// user, type, status and months: as long as these stay, only the lines that come or go
// matter, and the others need not be loaded.
func invoiceChanges(
	changes []repository.Change[invoice.State], keyed func(int64, time.Time, string) ListEntry,
) []repository.Change[InvoiceEntry] {
	moves := lineMoves(changes)
	list := listChanges(net(changes, func(s invoice.State) invoice.ID { return s.ID }), func(s *invoice.State, at when) InvoiceEntry {
		return InvoiceEntry{
			ListEntry: keyed(int64(s.ID), s.CreatedOn, s.Number), ClientID: s.ClientID, UserID: s.UserID, TypeID: s.TypeID, Status: s.Status,
			Month: s.Date.Year()*12 + int(s.Date.Month()) - 1, PaidOn: s.PaidOn, LineIDs: moves[s.ID].ids(at),
		}
	})
	for _, c := range list {
		if c.Before != nil && c.After != nil && c.Before.counted() != c.After.counted() {
			c.Before.AllLines, c.After.AllLines = true, true
		}
	}
	return list
}

// counted returns the entry without the values that do not matter for counting its lines.
func (e InvoiceEntry) counted() InvoiceEntry {
	e.TextKey, e.LineIDs = "", ""
	return e
}

// lineMove is the lines of an invoice that a unit of work has removed and added.
type lineMove map[when]map[invoice.LineID]bool

// lineMoves returns the lines of each invoice that went or came; a line that came and
// then went did neither.
func lineMoves(changes []repository.Change[invoice.State]) map[invoice.ID]lineMove {
	moves := map[invoice.ID]lineMove{}
	for _, c := range changes {
		id, was, is := linesOf(c)
		m := moves[id]
		if m == nil {
			m = lineMove{before: {}, after: {}}
			moves[id] = m
		}
		for line := range was {
			switch {
			case is[line]:
			case m[after][line]:
				delete(m[after], line)
			default:
				m[before][line] = true
			}
		}
		for line := range is {
			if !was[line] {
				m[after][line] = true
			}
		}
	}
	return moves
}

// linesOf returns the id of the invoice, and its loaded lines before and after the
// change.
func linesOf(c repository.Change[invoice.State]) (id invoice.ID, was, is map[invoice.LineID]bool) {
	if c.Before != nil {
		id, was = c.Before.ID, idsOf(c.Before.Lines)
	}
	if c.After != nil {
		id, is = c.After.ID, idsOf(c.After.Lines)
	}
	return id, was, is
}

func idsOf(lines []invoice.Line) map[invoice.LineID]bool {
	ids := make(map[invoice.LineID]bool, len(lines))
	for _, l := range lines {
		ids[l.ID] = true
	}
	return ids
}

// ids returns the ids, ascending and comma-separated.
func (m lineMove) ids(at when) string {
	ids := make([]string, 0, len(m[at]))
	for _, id := range slices.Sorted(maps.Keys(m[at])) {
		ids = append(ids, strconv.FormatInt(int64(id), 10))
	}
	return strings.Join(ids, ",")
}
