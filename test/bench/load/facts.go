package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// facts are what the requests need to know about a database.
type facts struct {
	clients         int64
	users           []int64 // the three with most clients, in this order
	largestClient   int64   // with most invoices
	year, month     int64   // with most invoices of the status
	status          int64
	someClients     []int64 // spread over the table, at most one for each connection
	invoicedClients []int64 // the same, but so many that no client gets many of the new invoices
	unpaidInvoices  []int64
	performer       int64
	invoiceType     int64
	rareWords       []string // parts of a few names
	commonWords     []string // parts of many names
}

// changedRecords is how many clients and invoices are changed: one for each connection.
const changedRecords = 64

// invoicedClients is how many clients get new invoices.
const invoicedClients = 10_000

// spreadClients is a format of the statement for a number of clients.
const spreadClients = "select id from clients where id %% greatest((select count(*) from clients) / %[1]d, 1) = 0 order by id limit %[1]d"

// readFacts uses tables and columns only that all versions of the schema have.
func readFacts(ctx context.Context, conn *pgx.Conn) (f facts, err error) {
	var yearMonthStatus []int64
	for _, query := range []struct {
		to        *[]int64
		minimum   int
		statement string
	}{
		{&f.users, 3, "select user_id from clients group by user_id order by count(*) desc, user_id limit 3"},
		{&f.someClients, 1, fmt.Sprintf(spreadClients, changedRecords)},
		{&f.invoicedClients, 1, fmt.Sprintf(spreadClients, invoicedClients)},
		{&f.unpaidInvoices, 1, fmt.Sprintf("select id from invoices where status = 1 order by created_on desc, id desc limit %d", changedRecords)},
		{&yearMonthStatus, 3, `
select unnest(array[b.year, b.month, b.status])
from (
    select extract(year from date)::bigint as year, extract(month from date)::bigint as month, status::bigint as status
    from invoices
    group by 1, 2, 3
    order by count(*) desc, 1, 2, 3
    limit 1
) b`},
	} {
		rows, err := conn.Query(ctx, query.statement)
		if err != nil {
			return f, err
		}
		if *query.to, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return f, fmt.Errorf("%s: %w", query.statement, err)
		}
		if len(*query.to) < query.minimum {
			return f, fmt.Errorf("the database is not one of make bench-data: %s: %d rows", query.statement, len(*query.to))
		}
	}
	f.year, f.month, f.status = yearMonthStatus[0], yearMonthStatus[1], yearMonthStatus[2]
	err = conn.QueryRow(ctx, `
select
    (select count(*) from clients),
    (select client_id from invoices group by client_id order by count(*) desc, client_id limit 1),
    (select min(id) from performers),
    (select min(id) from invoice_types)`).Scan(&f.clients, &f.largestClient, &f.performer, &f.invoiceType)
	if err != nil {
		return f, err
	}
	rows, err := conn.Query(ctx, "select name_key from clients where type = 1 and id % greatest($1::bigint / 30000, 1) = 0 order by md5(id::text)", f.clients)
	if err != nil {
		return f, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	f.rareWords, f.commonWords = rareWords(names), commonWords(names)
	return f, err
}

// isPlain reports whether a text of a name key can be searched for unescaped.
func isPlain(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789 ") == ""
}

// rareWords are nearly whole names, cut in several ways, each once.
func rareWords(names []string) []string {
	seen := map[string]bool{}
	var words []string
	const shortest, cuts = 10, 4
	for cut := range cuts {
		for _, name := range names {
			if len(name) < shortest+cuts || !isPlain(name[cut:]) {
				continue
			}
			if word := strings.TrimSpace(name[cut:]); !seen[word] {
				seen[word] = true
				words = append(words, word)
			}
		}
	}
	return words
}

// commonWords are parts of three to five letters that at least one name of 200 has, the most frequent ones first.
func commonWords(names []string) []string {
	counts := map[string]int{}
	for _, name := range names {
		inName := map[string]bool{}
		for length := 3; length <= 5; length++ {
			for at := 0; at+length <= len(name); at++ {
				if part := name[at : at+length]; isPlain(part) && !strings.Contains(part, " ") {
					inName[part] = true
				}
			}
		}
		for part := range inName {
			counts[part]++
		}
	}
	var words []string
	for part, n := range counts {
		if n*200 >= len(names) {
			words = append(words, part)
		}
	}
	slices.SortFunc(words, func(a, b string) int {
		if counts[a] != counts[b] {
			return counts[b] - counts[a]
		}
		return strings.Compare(a, b)
	})
	return words
}
