//go:build full

package main_test

import (
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/kontor-crm/kontor/adapters/postgres/pgsummary"
	"github.com/kontor-crm/kontor/adapters/textkey"
	"github.com/kontor-crm/kontor/test/bench/data"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/rest"
	"github.com/kontor-crm/kontor/test/testserver"
)

func noProgress(string) {}

// clients is the size of the database of sample.
const clients = 320

var samples = pgtest.NewEmptyFixture(func(t testing.TB, url string) (none struct{}) {
	t.Helper()
	if err := data.Fill(t.Context(), url, data.Options{Clients: clients, Seed: 5}, 3, noProgress); err != nil {
		t.Fatal(err)
	}
	return none
})

// sample is the URL of a copy of a filled database.
func sample(t *testing.T) string {
	t.Helper()
	url, _ := samples.URL(t)
	return url
}

func TestFillStoresConsistentRecords(t *testing.T) {
	pool := pgtest.Pool(t, sample(t))
	for what, sql := range map[string]string{
		"invoices whose totals are not those of their lines": `
select count(*)
from invoices v
where (total_count, total_price, text_bytes, text_bytes_version) is distinct from
    (select (count(i.id)::integer, coalesce(sum(i.total_price), 0),
        coalesce(sum(octet_length(i.name) + coalesce(octet_length(i.units), 0)), 0), v.version) from invoice_lines i where i.invoice_id = v.id)`,
		"paid invoices without a payment, and others with one": `
select count(*)
from invoices v
left join (select invoice_id, sum(amount) as amount from allocations group by invoice_id) a on a.invoice_id = v.id
where coalesce(a.amount, 0) <> case when status in (2, 3) then owed_price else 0 end or coalesce(a.amount, 0) <> automatic_price`,
		"invoices whose VAT is not that of their total": `
select count(*)
from invoices
where vat_price <> case when vat_use then round(total_price * vat_percent / 100, 4) else 0 end`,
		"invoices in other terms than their performer's": `
select count(*)
from invoices v
join performers p on p.id = v.performer_id
where (v.vat_use, v.vat_percent) <> (p.vat_use, p.vat_percent)`,
		"deals without the entry of their creation as the first": `
select count(*)
from deals d
where not exists (
    select from deal_history h
    where h.id = (select min(id) from deal_history where deal_id = d.id)
    and h.invoice_id is null and h.status_id = d.status_id and h.created_on = d.created_at)`,
		"invoices without the one entry of theirs": `
select count(*)
from invoices v
where 1 <> (
    select count(*)
    from deal_history h
    where (h.invoice_id, h.deal_id, h.user_id, h.created_on) = (v.id, v.deal_id, v.user_id, v.created_on))`,
		"contacts of deals that have a client": `
select count(*)
from contacts c
join deals d on d.id = c.deal_id
where d.client_id is not null`,
	} {
		if got := number(t, pool, sql); got != 0 {
			t.Errorf("%d %s", got, what)
		}
	}
	if number(t, pool, "select count(*) from contacts where deal_id is not null") == 0 {
		t.Error("no contact of a deal")
	}
}

func number(t *testing.T, pool *pgxpool.Pool, sql string) (n int) {
	t.Helper()
	if err := pool.QueryRow(t.Context(), sql).Scan(&n); err != nil {
		t.Fatalf("%v in%s", err, sql)
	}
	return n
}

func TestTextKeysMatchTheirTexts(t *testing.T) {
	pool := pgtest.Pool(t, sample(t))
	keys := query[[2]string](t, pool, `
select array[table_name::text, left(column_name, -4)]
from information_schema.columns
where table_schema = current_schema and column_name like '%\_key' and column_name <> 'text_key'
order by 1`)
	if len(keys) < 20 {
		t.Fatalf("only %d columns with keys", len(keys))
	}
	for _, at := range keys {
		table, name := at[0], at[1]
		texts := query[[2]*string](t, pool, fmt.Sprintf("select array[%[1]s, %[1]s_key] from %[2]s order by id", name, table))
		for i, text := range texts {
			if (text[0] == nil) != (text[1] == nil) || text[0] != nil && textkey.Of(*text[0]) != *text[1] {
				t.Fatalf("row %d of %s has a %s without its key", i+1, table, name)
			}
		}
	}
}

func query[T any](t *testing.T, pool *pgxpool.Pool, sql string) []T {
	t.Helper()
	rows, err := pool.Query(t.Context(), sql)
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	list, err := pgx.CollectRows(rows, pgx.RowTo[T])
	if err != nil {
		t.Fatalf("%v in %s", err, sql)
	}
	return list
}

// If this fails after a migration, fill the column or table that it adds, or name it here.
func TestFillFillsEveryColumn(t *testing.T) {
	pool := pgtest.Pool(t, sample(t))
	empty := []string{
		"tokens", "idempotency_keys", "parties", "pictures", "performer_files", "settings", "schema_migrations", "rules", "rule_set", "rule_counts", "rule_violations",
		"record_changes", "series", "issued_documents", "clients.erased_on", "invoices.issued_on", "invoices.credits", "invoice_lines.credits",
		"invoices.discount_percent_early", "invoices.discount_until",
		// All lines have the rate of the terms, without adjustments, in no currency.
		"invoices.adjustments", "invoices.currency", "invoices.exchange_rate", "invoices.rate_sums", "invoices.vat",
		"invoice_lines.adjustments", "invoice_lines.base_count", "invoice_lines.vat_category", "invoice_lines.vat_percent",
		"invoice_lines.description", "invoice_lines.note", "invoice_lines.item_number", "invoice_lines.buyer_item_number", "invoice_lines.gtin",
		"invoice_lines.period_from", "invoice_lines.period_to",
		"payments.method", "payments.reference", "payments.notice", "payments.ref", "allocations.reason", "allocations.reversed_at",
		"deal_history.cause", "performers.company_details",
		"performers.stamp_file", "performers.leader_sig_file", "performers.booker_sig_file", "performers.logo",
	}
	for _, column := range query[[2]string](t, pool, `
select array[table_name::text, column_name::text]
from information_schema.columns
where table_schema = current_schema
order by 1`) {
		table, name := column[0], column[1]
		if slices.Contains(empty, table) || slices.Contains(empty, table+"."+name) || slices.Contains(data.Models, table) {
			continue
		}
		if number(t, pool, "select count("+name+") from "+table) == 0 {
			t.Errorf("%s.%s is not filled", table, name)
		}
	}
}

func TestFilledDatabaseIsServed(t *testing.T) {
	url := sample(t)
	admin := serve(t, url)
	for path, want := range map[string]int{
		"/rest/client":                           clients,
		"/rest/client?name=" + data.RareWord:     25,
		"/rest/invoice":                          3 * clients,
		"/rest/invoice?company=" + data.RareWord: number(t, pgtest.Pool(t, url), "select count(*) from invoices v join clients c on c.id = v.client_id where c.name like '%"+data.RareWord+"%'"),
		"/rest/invoice-items":                    number(t, pgtest.Pool(t, url), "select count(*) from invoice_lines"),
		"/rest/deal":                             2 * clients,
		"/rest/offer":                            3 * clients / 5,
		"/rest/contract":                         clients / 4,
		"/rest/performer":                        20,
		"/rest/client?user_id=1&sort=name":       number(t, pgtest.Pool(t, url), "select count(*) from clients where user_id = 1"),
		"/rest/invoice?status_id=2&month=10":     number(t, pgtest.Pool(t, url), "select count(*) from invoices where status = 2 and extract(month from date) = 10"),
	} {
		response, err := admin.Call(t.Context(), http.MethodGet, path, nil, nil)
		if got := response.Header.Get("X_Pagination_Total_Count"); err != nil || got != strconv.Itoa(want) {
			t.Errorf("GET %s: %v, with the total %s, want %d", path, err, got, want)
		}
	}
	if id, err := admin.Create(t.Context(), "/rest/client", `{"name":"New","type":1}`); err != nil || id != clients+1 {
		t.Errorf("a new client has the id %d, %v, want %d", id, err, clients+1)
	}
}

// serve runs the service on a filled database, and returns the administrator.
func serve(t *testing.T, url string) rest.Client {
	t.Helper()
	service := testserver.On(t, url)
	secret, _, err := service.Commands.Tokens.Issue(t.Context(), data.Admin, time.Hour)
	if err != nil {
		t.Fatal(err)
	}
	return rest.Client{URL: service.URL, Token: secret.Token}
}

func TestFillBuildsReadModels(t *testing.T) {
	url, separator := sample(t), "?"
	if strings.Contains(url, separator) {
		separator = "&"
	}
	pool := pgtest.Pool(t, url+separator+"timezone=UTC")
	if number(t, pool, "select count(*) from read_model_state where is_ready") != 1 {
		t.Error("they are not ready")
	}
	differences, err := pgsummary.Verify(t.Context(), pgtest.DB(t, url, "UTC"))
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range differences {
		t.Error(d)
	}
}

func TestRowsDependOnTheSeedOnly(t *testing.T) {
	url := pgtest.EmptyURL(t)
	if err := data.Fill(t.Context(), url, data.Options{Clients: clients, Seed: 5}, 1, noProgress); err != nil {
		t.Fatal(err)
	}
	first, second := pgtest.Pool(t, sample(t)), pgtest.Pool(t, url)
	for _, table := range data.Records {
		sum := "select md5(string_agg(t::text, ',' order by id)) from " + table + " t"
		if query[string](t, first, sum)[0] != query[string](t, second, sum)[0] {
			t.Errorf("the rows of %s differ", table)
		}
	}
}

func TestFillLeavesAFilledDatabaseAlone(t *testing.T) {
	url := pgtest.URL(t)
	err := data.Fill(t.Context(), url, data.Options{Clients: 100, Seed: 1}, 2, noProgress)
	if !errors.Is(err, data.ErrNotEmpty) {
		t.Fatalf("the error is %v, want %v", err, data.ErrNotEmpty)
	}
	if got := number(t, pgtest.Pool(t, url), "select count(*) from users"); got != 0 {
		t.Errorf("%d users have been added, want none", got)
	}
}
