package load

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
)

// facts are what requests need to know of a database.
type facts struct {
	clients   int64
	users     []int64 // those with most clients first
	payer     int64   // the client with most invoices
	busiest   []int64 // year, month and status of most invoices
	someone   []int64 // clients from all over the table
	unpaid    []int64 // invoices
	performer int64
	kind      int64 // of invoices
	rare      []string
	common    []string
}

// owners is how many clients and invoices are changed at once: one for each connection.
const owners = 64

func findFacts(ctx context.Context, conn *pgx.Conn) (f facts, err error) {
	for _, one := range []struct {
		to  *int64
		sql string
	}{
		{&f.clients, "select count(*) from clients"},
		{&f.payer, "select client_id from invoices group by client_id order by count(*) desc, client_id limit 1"},
		{&f.performer, "select min(id) from performers"},
		{&f.kind, "select min(id) from invoice_types"},
	} {
		if err := conn.QueryRow(ctx, one.sql).Scan(one.to); err != nil {
			return f, fmt.Errorf("%s: %w", one.sql, err)
		}
	}
	for _, many := range []struct {
		to   *[]int64
		sql  string
		args []any
	}{
		{&f.users, "select user_id from clients group by user_id order by count(*) desc, user_id limit 3", nil},
		{&f.busiest, `
select unnest(array[b.year, b.month, b.status])
from (
    select extract(year from date)::bigint as year, extract(month from date)::bigint as month, status::bigint as status
    from invoices
    group by 1, 2, 3
    order by count(*) desc, 1, 2, 3
    limit 1
) b`, nil},
	} {
		rows, err := conn.Query(ctx, many.sql, many.args...)
		if err != nil {
			return f, err
		}
		if *many.to, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return f, fmt.Errorf("%s: %w", many.sql, err)
		}
	}
	if err := f.findRecords(ctx, conn, owners); err != nil {
		return f, err
	}
	rows, err := conn.Query(ctx, "select name_key from clients where type = 1 and id % greatest($1::bigint / 30000, 1) = 0 order by md5(id::text)", f.clients)
	if err != nil {
		return f, err
	}
	names, err := pgx.CollectRows(rows, pgx.RowTo[string])
	f.rare, f.common = rareWords(names), commonWords(names)
	return f, err
}

// findRecords finds so many clients and invoices to change.
func (f *facts) findRecords(ctx context.Context, conn *pgx.Conn, n int64) error {
	for _, one := range []struct {
		to   *[]int64
		sql  string
		args []any
	}{
		{&f.someone, "select id from clients where id % greatest($1::bigint / $2::bigint, 1) = 0 order by id limit $2", []any{f.clients, n}},
		{&f.unpaid, "select id from invoices where status = 1 order by created_on desc, id desc limit $1", []any{n}},
	} {
		rows, err := conn.Query(ctx, one.sql, one.args...)
		if err != nil {
			return err
		}
		if *one.to, err = pgx.CollectRows(rows, pgx.RowTo[int64]); err != nil {
			return fmt.Errorf("%s: %w", one.sql, err)
		}
	}
	return nil
}

// isPlain tells whether a text is found by itself whatever folds it, and needs no care in an address.
func isPlain(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789 ") == ""
}

// rareWords are texts that stand in a handful of names: nearly whole names, cut in several ways, each
// once.
func rareWords(names []string) []string {
	seen := map[string]bool{}
	var words []string
	const shortest, cuts = 10, 4
	for cut := range cuts {
		for _, name := range names {
			if len(name) < shortest+cuts || !isPlain(name[cut:]) {
				continue
			}
			word := strings.TrimSpace(name[cut:])
			if !seen[word] {
				seen[word] = true
				words = append(words, word)
			}
		}
	}
	return words
}

// maxCommon is how many common words are looked for: each has to be seen once by the floor.
const maxCommon = 600

// commonWords are texts of three to five letters that stand in many of the names: in one of 200 at
// least, the most frequent ones first.
func commonWords(names []string) []string {
	counts := map[string]int{}
	for _, name := range names {
		inThis := map[string]bool{}
		for length := 3; length <= 5; length++ {
			for at := 0; at+length <= len(name); at++ {
				if part := name[at : at+length]; isPlain(part) && !strings.Contains(part, " ") {
					inThis[part] = true
				}
			}
		}
		for part := range inThis {
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
	return words[:min(len(words), maxCommon)]
}
