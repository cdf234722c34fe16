package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/credential"
	"github.com/kontor-crm/kontor/adapters/localpg"
	"github.com/kontor-crm/kontor/test/rest"
)

// company is a company in which one caller works and another one reads.
type company struct {
	name                           string
	database, table                string // where its clients are
	worker, reader                 rest.Client
	client, contact, performer, of int64 // records; of is the type of invoices
}

// work is what one caller does beside the reads of others.
type work struct {
	name    string
	callers int // requests at a time
	// begin prepares it, send sends a request, and end is called after the last one.
	begin func(ctx context.Context, c *company, o options) (send request, end func() error, err error)
}

type request func(ctx context.Context) (rest.Response, error)

var works = []work{
	{"writes of a locked row", 20, writeLocked},
	{"issues of one series", 60, issueDrafts},
	{"rules that take 2 s", 60, obeySlowRules},
	{"invoices of 2,000 lines", 16, func(_ context.Context, c *company, _ options) (request, func() error, error) {
		body, err := json.Marshal(c.invoice(2000, 20))
		return func(ctx context.Context) (rest.Response, error) {
			return c.worker.Send(ctx, http.MethodPost, "/rest/invoice", string(body))
		}, nil, err
	}},
	{"PDFs of 4,000 lines", 64, printing("pdf", 4000, 200, 0)},
	{"PDFs of 2 MB of text", 64, printing("pdf", 1, 65_000, 31)},
	{"pages of 2 MB of text", 64, printing("html", 1, 65_000, 31)},
}

type object map[string]any

// invoice is the body of an invoice whose lines have names of so many letters.
func (c *company) invoice(lines, letters int) object {
	line := object{"name": words(letters), "count": 1, "price": "19.99"}
	return object{
		"date": "2025-12-04", "performer_id": c.performer, "client_id": c.client, "type_id": c.of, "items": slices.Repeat([]object{line}, lines),
	}
}

func words(letters int) string { return strings.Repeat("oak stool ", letters/10+1)[:letters] }

func writeLocked(ctx context.Context, c *company, _ options) (request, func() error, error) {
	conn, err := pgx.Connect(ctx, c.database)
	if err != nil {
		return nil, nil, err
	}
	_, err = conn.Exec(ctx, fmt.Sprintf("begin; select from %s where id = %d for update", c.table, c.client))
	return func(ctx context.Context) (rest.Response, error) {
		return c.worker.Send(ctx, http.MethodPatch, fmt.Sprintf("/rest/client/%d", c.client), object{"phone": fmt.Sprint(rand.Uint64())})
	}, func() error { return conn.Close(ctx) }, err
}

func issueDrafts(ctx context.Context, c *company, o options) (request, func() error, error) {
	const perSecond, writers = 150, 4
	drafts := make(chan int64, int(2*o.duration.Seconds()*perSecond)+1)
	var creating sync.WaitGroup
	errs := make([]error, writers)
	for i := range errs {
		creating.Go(func() {
			for range cap(drafts) / writers {
				id, err := c.worker.Create(ctx, "/rest/invoice", c.invoice(2, 20))
				if errs[i] = err; err != nil {
					return
				}
				drafts <- id
			}
		})
	}
	creating.Wait()
	close(drafts)
	return func(ctx context.Context) (rest.Response, error) {
		id, ok := <-drafts
		if !ok { // all are issued, as the number of responses says
			<-ctx.Done()
			return rest.Response{}, ctx.Err()
		}
		return c.worker.Send(ctx, http.MethodPost, fmt.Sprintf("/rest/invoice/%d/issue?as=none", id), object{})
	}, nil, errors.Join(errs...)
}

func obeySlowRules(ctx context.Context, c *company, _ options) (request, func() error, error) {
	ten := "[0,1,2,3,4,5,6,7,8,9]"
	slow := "after.name != ''"
	for name := range strings.FieldsSeq("a b c d e f") {
		slow = fmt.Sprintf("%s.all(%s, %s)", ten, name, slow)
	}
	rules := make([]int64, 8)
	var err error
	for i := range rules {
		if err == nil {
			rules[i], err = c.worker.Create(ctx, "/rest/rule", object{
				"name": fmt.Sprintf("slow-%x", rand.Uint64()), "resource": "contact", "on": []string{"update"}, "mode": "shadow",
				"expression": slow, "message": "x",
			})
		}
	}
	return func(ctx context.Context) (rest.Response, error) {
			return c.worker.Send(ctx, http.MethodPatch, fmt.Sprintf("/rest/contact/%d", c.contact), object{"phone": fmt.Sprint(rand.Uint64())})
		}, func() (err error) {
			for _, id := range rules {
				_, failed := c.reader.Call(ctx, http.MethodDelete, fmt.Sprintf("/rest/rule/%d", id), nil, nil)
				err = errors.Join(err, failed)
			}
			return err
		}, err
}

// printing gets a document of lines with names of so many letters, of which more are added one by one.
func printing(as string, lines, letters, more int) func(context.Context, *company, options) (request, func() error, error) {
	return func(ctx context.Context, c *company, _ options) (request, func() error, error) {
		id, err := c.worker.Create(ctx, "/rest/invoice", c.invoice(lines, letters))
		for range more {
			if err == nil {
				_, err = c.worker.Create(ctx, "/rest/invoice-items", object{"invoice_id": id, "name": words(letters), "price": "1"})
			}
		}
		path := fmt.Sprintf("/rest/invoice/%d/document?as=%s", id, as)
		return func(ctx context.Context) (rest.Response, error) { return c.worker.Send(ctx, http.MethodGet, path, nil) }, nil, err
	}
}

// another is the company beside the default one.
const another = "bench-beside"

// openCompanies returns the default company and another one, which it adds where it is missing, with the records that the works need.
func openCompanies(ctx context.Context, p *program, database string) ([]*company, error) {
	if !strings.Contains(database, "://") {
		server, err := localpg.Attach(ctx, localpg.Options{Dir: database})
		if err != nil {
			return nil, err
		}
		database = server.URL()
	}
	if listed, err := p.run(ctx, "company", "list"); err != nil {
		return nil, err
	} else if !strings.Contains(listed, another) {
		if _, err := p.run(ctx, "company", "add", another); err != nil {
			return nil, err
		}
		if _, err := p.run(ctx, "user", "add", "--company", another, "--username", "admin", "--fname", "A", "--lname", "B",
			"--email", "a@bench.example", "--role", "admin"); err != nil {
			return nil, err
		}
	}
	all := []*company{{name: "default", database: database, table: "clients"}, {name: "another", database: database}}
	for _, c := range all {
		var of []string
		if c.name == "another" {
			of = []string{"--company", another}
		}
		for _, caller := range []*rest.Client{&c.worker, &c.reader} {
			secret, err := p.issue(ctx, of...)
			if err != nil {
				return nil, err
			}
			if code, ok := credential.TenantOf(secret); ok {
				c.table = "company_" + string(code) + ".clients"
			}
			*caller = rest.Client{URL: p.url, Token: secret, HTTP: p.http}
		}
		if err := c.addRecords(ctx); err != nil {
			return nil, err
		}
	}
	return all, nil
}

func (c *company) addRecords(ctx context.Context) (err error) {
	add := func(path string, record object) (id int64) {
		if err == nil {
			id, err = c.worker.Create(ctx, path, record)
		}
		return id
	}
	name := fmt.Sprintf("Bench %x", rand.Uint64())
	add("/rest/status", object{"name": name, "default": true})
	c.of = add("/rest/invoice-type", object{"title": name})
	c.client = add("/rest/client", object{"name": name, "type": 1})
	c.contact = add("/rest/contact", object{"name": name, "client_id": c.client})
	c.performer = add("/rest/performer", object{"name": name})
	if err == nil {
		series := object{"numbering": "series", "number_pattern": "{year}-{seq}", "credit_pattern": "C{year}-{seq}"}
		_, err = c.worker.Call(ctx, http.MethodPut, fmt.Sprintf("/rest/performer/%d/party", c.performer), series, nil)
	}
	return err
}

// besideWorks measures, for each of the works in each company, how much longer reads of others take beside it, and prints a table.
func besideWorks(ctx context.Context, o options, out io.Writer, p *program) error {
	companies, err := openCompanies(ctx, p, o.database[0])
	if err != nil {
		return err
	}
	fmt.Fprintln(out, "| work | in | reads in | p99 idle | beside | ratio | errors | memory | responses to the work |")
	fmt.Fprintln(out, "|---|---|---|---|---|---|---|---|---|")
	for _, w := range works {
		if !strings.Contains(w.name, o.beside) && o.beside != "all" {
			continue
		}
		for i, c := range companies {
			if err := w.measure(ctx, o, out, p, c, companies[1-i]); err != nil {
				return fmt.Errorf("%s: %w", w.name, err)
			}
		}
	}
	return nil
}

// measure measures the reads in rounds, without and with the work.
func (w work) measure(ctx context.Context, o options, out io.Writer, p *program, at, other *company) error {
	readers, statuses, most := []*company{at, other}, map[int]int{}, 0
	rounds, failures := make([][]figures, len(readers)), []map[string]int{{}, {}}
	readAll(o, p, readers, failures) // plans and caches
	for range o.rounds {
		idle := readAll(o, p, readers, failures)
		p.forgetMemory()
		stop, err := w.start(ctx, o, at, statuses)
		if err != nil {
			return err
		}
		beside := readAll(o, p, readers, failures)
		most = max(most, p.mostMemory())
		if err := stop(); err != nil {
			return err
		}
		for i := range readers {
			rounds[i] = append(rounds[i], figures{idle[i][2], beside[i][2], beside[i][2] / idle[i][2]})
		}
	}
	for i, reader := range readers {
		errs := 0
		for n := range maps.Values(failures[i]) {
			errs += n
		}
		fmt.Fprintf(out, "| %s | %s | %s | %.1f ms | %.1f ms | %.1f | %d | %d MB | %v |\n", w.name, at.name, reader.name,
			median(rounds[i], 0), median(rounds[i], 1), median(rounds[i], 2), errs, most, statuses)
	}
	return nil
}

// readAll gets a client by its id in each company at the same time.
func readAll(o options, p *program, readers []*company, failures []map[string]int) []figures {
	const connections = 2
	o.connections = connections
	all := make([]figures, len(readers))
	var reading sync.WaitGroup
	for i, c := range readers {
		reading.Go(func() {
			reader := *p
			reader.tokens = []string{c.reader.Token}
			path := fmt.Sprintf("/rest/client/%d", c.client)
			all[i] = reader.attack(o, sequence{next: func(int) (string, string) { return path, "" }}, failures[i])
		})
	}
	reading.Wait()
	return all
}

// start begins the work, and counts its responses by status; stop ends it, without its last responses.
func (w work) start(ctx context.Context, o options, c *company, statuses map[int]int) (stop func() error, err error) {
	const retryAfter = 200 * time.Millisecond // sooner than the service asks for
	send, end, err := w.begin(ctx, c, o)
	if err != nil {
		return nil, err
	}
	var working sync.WaitGroup
	var mu sync.Mutex
	sending, leave := context.WithCancel(ctx)
	work := func() {
		for {
			response, failed := send(sending)
			mu.Lock()
			if sending.Err() == nil {
				statuses[response.Status]++
				err = errors.Join(err, failed)
			}
			mu.Unlock()
			switch {
			case failed != nil:
				return
			case response.Status != http.StatusOK:
				time.Sleep(retryAfter)
			}
		}
	}
	for range w.callers {
		working.Go(work)
	}
	time.Sleep(o.duration / 2) // until queues are full
	return func() error {
		leave()
		working.Wait()
		if end != nil {
			err = errors.Join(err, end())
		}
		return err
	}, nil
}

// forgetMemory sets the most memory of the program to what it has now. Linux only.
func (p *program) forgetMemory() {
	_ = os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.command.Process.Pid), []byte("5"), 0)
}

// mostMemory is the most memory that the program had since then, in MB; 0 where it cannot be read.
func (p *program) mostMemory() (kB int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.command.Process.Pid))
	_, behindName, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(behindName, &kB)
	return kB / 1024
}
