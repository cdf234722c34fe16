package pgread

import (
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// NewReceivables returns the report of what was due on a day, as known at an instant.
func NewReceivables(db Querier) readmodel.Report {
	const advice = "ask for a later day or instant (at, known_at)"
	return newReport(db, readmodel.Receivables, advice, func(q readmodel.ReportQuery) reportStatement {
		s := owing(q)
		s.head = append(s.head, literal(q.By))
		s.dimension = dimensions[q.By]
		s.facts += `,
facts as (
    select ` + s.dimension.key + ` as key, r.currency, r.due as total,
        case when r.due < 0 then r.due end as credit,
        case when r.due > 0 and r.age <= 0 then r.due end as not_due,
        case when r.due > 0 and r.age between 1 and 30 then r.due end as overdue_1_30,
        case when r.due > 0 and r.age between 31 and 60 then r.due end as overdue_31_60,
        case when r.due > 0 and r.age between 61 and 90 then r.due end as overdue_61_90,
        case when r.due > 0 and r.age > 90 then r.due end as overdue_over_90
    from owing r
)`
		return s
	})
}

// NewOverdue returns the report of the clients who owed something on a day that was due before.
func NewOverdue(db Querier) readmodel.Report {
	return newReport(db, readmodel.Overdue, "ask for a later day (at)", func(q readmodel.ReportQuery) reportStatement {
		s := owing(readmodel.ReportQuery{At: q.At})
		s.head = []string{s.head[0], literal(q.By)}
		s.dimension = dimensions[q.By]
		s.order = "g.total desc, "
		s.sums = map[string]string{"oldest": "min(f.due_on)"}
		s.facts += `,
facts as (
    select ` + s.dimension.key + ` as key, r.currency, 1 as count, r.due_on, r.due as total
    from owing r
    where r.due > 0 and r.age > 0
)`
		return s
	})
}

const (
	onDay   = "coalesce($1::text::date, current_date)" // the day in the zone of the connection
	knownAt = "$2::text::timestamptz"
	// The sum keeps the planner, which does not know the values, from the index by date: most are dated by the day.
	notByDate = " and a.date + 0 <= " + onDay
)

// owing has the invoices of which something was due: of what is due now, less what payments have settled only afterwards, and what
// they had settled then and no longer. Each kind of these differences is a range of an index, and few invoices are open: the others
// are not read. age is how many days the invoice was overdue.
func owing(q readmodel.ReportQuery) reportStatement {
	differences := []string{"a.reversed_at is null and a.date > " + onDay}
	args, known, instant := []any{optional(q.At)}, "", "null"
	if q.KnownAt != "" {
		args, instant = append(args, string(q.KnownAt)), knownAt
		differences = append(differences, "a.reversed_at is null and a.recorded_at > "+knownAt+notByDate,
			"a.reversed_at > "+knownAt+" and a.recorded_at <= "+knownAt+notByDate)
		known = "\n    where coalesce(r.issued_on, r.created_on) <= " + knownAt
	}
	var changes strings.Builder
	for i, difference := range differences {
		sign := ""
		if i == 2 {
			sign = "-"
		}
		changes.WriteString("\n        union all\n        select a.invoice_id, " + sign + "(a.amount + a.waived)" +
			"\n        from allocations a\n        where " + difference)
	}
	return reportStatement{
		head: []string{onDay, instant}, keys: []string{"key"}, args: args,
		facts: `open as (
    select d.id, sum(d.due) as due
    from (
        select r.id, r.owed_price - r.paid_price - r.waived_price as due
        from invoices r
        where r.owed_price <> r.paid_price + r.waived_price` + changes.String() + `
    ) d
    group by d.id
    having sum(d.due) <> 0
),
owing as (
    select r.id, r.client_id, r.performer_id, ` + currencyOf + ` as currency, r.due_on, o.due, ` + onDay + ` - r.due_on as age
    from open o
    cross join lateral (
        select r.*, coalesce(r.due_date, r.date::date) as due_on
        from invoices r
        where r.id = o.id and r.date::date <= ` + onDay + ` and ` + isOwed + fence + `
    ) r
    left join parties y on y.performer_id = r.performer_id` + known + `
)`,
	}
}
