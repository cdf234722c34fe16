package pgread

import "github.com/kontor-crm/kontor/ports/readmodel"

const (
	untilDay = "coalesce($2::text::date, greatest($1::text::date, current_date))"
	fromDay  = "coalesce($1::text::date, date_trunc('year', " + untilDay + "::timestamp)::date)"
	shorter  = "ask for a shorter period (from, to)"
)

func period(q readmodel.ReportQuery) reportStatement {
	return reportStatement{head: []string{fromDay, untilDay, literal(q.Basis)}, args: []any{optional(q.From), optional(q.To)}}
}

// NewRevenue returns the report of what was invoiced or received in a period.
func NewRevenue(db Querier) readmodel.Report {
	return newReport(db, readmodel.Revenue, shorter, func(q readmodel.ReportQuery) reportStatement {
		s := period(q)
		s.head = append(s.head, literal(q.By))
		s.keys, s.dimension = []string{"key"}, dimensions[q.By]
		if q.Basis == readmodel.Received {
			s.facts = received + `,
facts as (
    select r.id, ` + s.dimension.key + ` as key, ` + currencyOf + ` as currency, max(f.count) as count, sum(f.amount) as gross,
        sum(f.amount) - sum(v.later - v.before) as net, sum(v.later - v.before) as vat, sum(f.waived) as waived
    from received f
    join invoices r on r.id = f.invoice_id
    left join parties y on y.performer_id = r.performer_id
    cross join lateral (
        select ` + shareOf("f.upto", "r.vat_price") + ` as later, ` + shareOf("f.upto - f.amount", "r.vat_price") + ` as before
    ) v
    where f.day >= ` + fromDay + `
    group by 1, 2, 3
)`
			return s
		}
		s.facts = `facts as (
    select ` + s.dimension.key + ` as key, ` + currencyOf + ` as currency, 1 as count, r.total_price as net, r.vat_price as vat,
        r.pay_price as gross, r.waived_price as waived
    from invoices r
    left join parties y on y.performer_id = r.performer_id
    cross join lateral (select r.date as day) f
    where ` + isInPeriod + `
)`
		return s
	})
}

var isInPeriod = "r.date >= " + fromDay + " and r.date < " + untilDay + " + 1 and " + isOwed

// received has what payments settle of the invoices that the period is about, until its end: on each day, and up to then. An invoice
// counts if there was money, and not only items that are set off.
const received = `received as (
    select p.*, sum(p.amount) over (partition by p.invoice_id order by p.day) as upto
    from (
        select a.invoice_id, a.date as day, sum(a.amount) as amount, sum(a.waived) as waived,
            max(case when a.amount <> 0 and p.id is null then 1 else 0 end) as count
        from (
            select distinct a.invoice_id
            from allocations a
            where a.reversed_at is null and a.date between ` + fromDay + ` and ` + untilDay + `
        ) i
        join allocations a on a.invoice_id = i.invoice_id and a.reversed_at is null and a.date <= ` + untilDay + `
        left join payments p on p.id = a.payment_id and p.amount = 0
        group by a.invoice_id, a.date
    ) p
)`

// shareOf is the part of what was paid of an invoice r that is for a part of its amount, to the cent.
//
// Chose: what is paid until a day is divided, and a period has the difference between its end and its beginning. Because: the months
// then add up to the year, and the payments of an invoice to its VAT. Costs: the payments before the period are read too.
func shareOf(paid, part string) string {
	return "coalesce(round((" + paid + ") * " + part + " / nullif(r.pay_price, 0), 2), 0)"
}

// NewVAT returns the report of the VAT on what was invoiced or received in a period.
func NewVAT(db Querier) readmodel.Report {
	return newReport(db, readmodel.VAT, shorter, func(q readmodel.ReportQuery) reportStatement {
		s := period(q)
		s.keys, s.order = []string{"vat_category", "vat_percent"}, "g.vat_percent desc, g.vat_category, "
		rates := "(select l.*, row_number() over (order by l.vat_percent desc, l.vat_category) as place from " + vatOfInvoice.from + ") l"
		if q.Basis == readmodel.Received {
			s.facts = received + `,
paid as (
    select f.invoice_id, coalesce(sum(f.amount) filter (where f.day < ` + fromDay + `), 0) as before, sum(f.amount) as upto
    from received f
    group by f.invoice_id
),
shares as (
    select r.id, l.place, l.vat_category, l.vat_percent, ` + currencyOf + ` as currency, c.sign, c.amount,
        ` + shareOf("c.amount", "r.vat_price") + ` as all_vat,
        ` + shareOf("c.amount", "l.total_price") + ` as taxable, ` + shareOf("c.amount", "l.vat_price") + ` as vat
    from paid p
    join invoices r on r.id = p.invoice_id
    left join parties y on y.performer_id = r.performer_id
    cross join lateral ` + rates + `
    cross join lateral (values (-1, p.before), (1, p.upto)) c (sign, amount)
),
facts as (
    select s.vat_category, s.vat_percent, s.currency,
        s.sign * (s.taxable + case when s.place = 1 then s.amount - s.all_vat - sum(s.taxable) over w else 0 end) as taxable,
        s.sign * (s.vat + case when s.place = 1 then s.all_vat - sum(s.vat) over w else 0 end) as vat
    from shares s
    window w as (partition by s.id, s.sign)
)`
			return s
		}
		s.facts = `facts as (
    select l.vat_category, l.vat_percent, ` + currencyOf + ` as currency, l.total_price as taxable, l.vat_price as vat
    from invoices r
    left join parties y on y.performer_id = r.performer_id
    cross join lateral ` + rates + `
    where ` + isInPeriod + `
)`
		return s
	})
}
