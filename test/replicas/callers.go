package replicas

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// Callers write and read through several instances of the service at the same time. Each has a
// token and records of its own, which the others of its company read too.
type Callers struct {
	t         testing.TB
	instances []string
	tokens    []string
	companies []int   // by caller
	peers     [][]int // the callers of each company
	began     time.Time
	Pause     time.Duration // between two requests of a caller

	mu       sync.Mutex
	records  [][]int64 // by caller
	started  []int     // creations, by caller
	history  []Operation
	failures []string // of reads
	rejected int      // writes without an answer
	last     time.Time
}

// NewCallers makes a caller for each of the tokens of the companies.
func NewCallers(t testing.TB, instances []string, companies ...[]string) *Callers {
	t.Helper()
	c := &Callers{t: t, instances: instances, began: time.Now()}
	for company, tokens := range companies {
		var peers []int
		for range tokens {
			peers = append(peers, len(c.companies))
			c.companies = append(c.companies, company)
		}
		c.tokens, c.peers = append(c.tokens, tokens...), append(c.peers, peers)
	}
	c.records, c.started = make([][]int64, len(c.tokens)), make([]int, len(c.tokens))
	return c
}

// Start starts the callers; the function stops them.
func (c *Callers) Start(seed uint64) (stop func()) {
	ctx, cancel := context.WithCancel(c.t.Context())
	var running sync.WaitGroup
	for i := range c.tokens {
		running.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(i)))
			one := caller{Callers: c, number: i, random: random, written: map[int64]int{}}
			for ctx.Err() == nil {
				one.step(ctx)
				time.Sleep(c.Pause)
			}
		})
	}
	return func() {
		cancel()
		running.Wait()
	}
}

// Await waits until there are so many more operations.
func (c *Callers) Await(more int) {
	c.t.Helper()
	goal := c.Operations() + more
	for end := time.Now().Add(time.Minute); c.Operations() < goal; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			c.t.Fatal("there are no more operations")
		}
	}
}

// Operations is how many have succeeded.
func (c *Callers) Operations() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.history) - c.rejected
}

// History is what has succeeded, and the reads that failed.
func (c *Callers) History() (history []Operation, failures []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.history, c.failures
}

// Written is how many writes have succeeded, and when the last one did.
func (c *Callers) Written() (n int, last time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, o := range c.history {
		if o.isAnswered() {
			n++
		}
	}
	return n, c.last
}

// LongestGap is the longest time without the end of a write that succeeded, since the given time.
func (c *Callers) LongestGap(since time.Time) (longest time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	last := since.Sub(c.began)
	for _, o := range c.history {
		if !o.isAnswered() || o.End < last {
			continue
		}
		longest, last = max(longest, o.End-last), o.End
	}
	return longest
}

// caller is one of the callers.
type caller struct {
	*Callers
	number  int
	random  *rand.Rand
	created int           // that were answered
	written map[int64]int // the figures of its records
}

// step sends one request, or those of a walk, to any instance.
func (c *caller) step(ctx context.Context) {
	peers := c.peers[c.companies[c.number]]
	own, other := c.number, peers[c.random.IntN(len(peers))]
	switch n := c.random.IntN(10); {
	case n == 0 || c.created == 0:
		c.create(ctx)
	case n <= 2:
		c.change(ctx)
	case n <= 4:
		c.record(ctx, own)
	case n == 5:
		c.record(ctx, other)
	case n <= 7:
		c.list(ctx, own)
	case n == 8:
		c.list(ctx, other)
	default:
		c.walk(ctx, other)
	}
}

func (c *caller) send(ctx context.Context, method, target string, record Fields) (Response, error) {
	if strings.HasPrefix(target, "/") {
		target = c.instances[c.random.IntN(len(c.instances))] + target
	}
	return Send(ctx, c.tokens[c.number], method, target, record)
}

func nameOf(caller, record, figure int) string {
	return fmt.Sprintf("k%dx%d %d", caller, record, figure)
}

func (c *caller) registerOf(record int64) string {
	return fmt.Sprintf("record %d of company %d", record, c.companies[c.number])
}

func createdBy(caller int) string { return "records of " + strconv.Itoa(caller) }

// add adds an operation.
func (c *caller) add(o Operation) {
	o.Caller, o.End = c.number, time.Since(c.began)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.history = append(c.history, o)
	if o.IsWrite {
		c.last = time.Now()
	}
}

// lost records a write without an answer: it may have been stored.
func (c *caller) lost(o Operation) {
	o.Caller, o.End, o.Value = c.number, time.Since(c.began), 0
	c.mu.Lock()
	defer c.mu.Unlock()
	c.rejected++
	c.history = append(c.history, o)
}

func (c *caller) create(ctx context.Context) {
	c.mu.Lock()
	c.started[c.number]++
	most := c.started[c.number]
	c.mu.Unlock()
	o := Operation{Start: time.Since(c.began), IsWrite: true, Register: createdBy(c.number), Most: most}
	r, err := c.send(ctx, http.MethodPost, "/rest/client", Fields{"type": 1, "name": nameOf(c.number, most, 0)})
	if err != nil || !r.IsOK() {
		c.lost(o)
		return
	}
	c.created++
	o.Value = c.created
	c.add(o)
	c.written[r.ID()] = 0
	c.mu.Lock()
	c.records[c.number] = append(c.records[c.number], r.ID())
	c.mu.Unlock()
	c.recordIs(ctx, c.number, r.Header.Get("Location"), r.ID())
}

// any is a record of the caller.
func (c *caller) any(of int) (id int64, ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(c.records[of]) == 0 {
		return 0, false
	}
	return c.records[of][c.random.IntN(len(c.records[of]))], true
}

func (c *caller) change(ctx context.Context) {
	id, ok := c.any(c.number)
	if !ok {
		return
	}
	c.written[id]++
	o := Operation{Start: time.Since(c.began), IsWrite: true, Register: c.registerOf(id), Value: c.written[id], Most: c.written[id]}
	r, err := c.send(ctx, http.MethodPatch, fmt.Sprintf("/rest/client/%d", id), Fields{"name": nameOf(c.number, int(id), c.written[id])})
	if err != nil || !r.IsOK() {
		c.lost(o)
		return
	}
	c.add(o)
}

// fail records a read that failed.
func (c *caller) fail(ctx context.Context, what string, r Response, err error) {
	if ctx.Err() != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.failures = append(c.failures, fmt.Sprintf("at %s, caller %d reads %s: %d %s, %v", time.Since(c.began), c.number, what, r.Status, r.Body, err))
}

func (c *caller) record(ctx context.Context, of int) {
	if id, ok := c.any(of); ok {
		c.recordIs(ctx, of, fmt.Sprintf("/rest/client/%d", id), id)
	}
}

// recordIs reads a record. Another's may not have reached the replica of this caller.
func (c *caller) recordIs(ctx context.Context, of int, target string, id int64) {
	o := Operation{Start: time.Since(c.began), Register: c.registerOf(id)}
	r, err := c.send(ctx, http.MethodGet, target, nil)
	if err == nil && r.Status == http.StatusNotFound && of != c.number {
		return
	}
	var body struct{ Response struct{ Name string } }
	if err == nil {
		err = json.Unmarshal(r.Body, &body)
	}
	if err != nil || !r.IsOK() {
		c.fail(ctx, target, r, err)
		return
	}
	_, figure, _ := strings.Cut(body.Response.Name, " ")
	if o.Value, err = strconv.Atoi(figure); err != nil {
		c.fail(ctx, target, r, err)
		return
	}
	c.add(o)
}

// page reads a page of the records of a caller, and returns the address of the next.
func (c *caller) page(ctx context.Context, of int, target string) (ids []int64, next string, err error) {
	o := Operation{Start: time.Since(c.began), Register: createdBy(of)}
	r, err := c.send(ctx, http.MethodGet, target, nil)
	var body struct {
		Response struct{ Items []struct{ ID int64 } }
	}
	if err == nil {
		err = json.Unmarshal(r.Body, &body)
	}
	if err == nil && r.IsOK() {
		o.Value, err = strconv.Atoi(r.Header.Get("X-Pagination-Total-Count"))
	}
	if err != nil || !r.IsOK() {
		c.fail(ctx, target, r, err)
		return nil, "", errors.Join(err, errPage)
	}
	c.add(o)
	for _, item := range body.Response.Items {
		ids = append(ids, item.ID)
	}
	if want := min(o.Value, pageSize); !strings.Contains(target, "cursor=") && len(ids) != want {
		c.fail(ctx, fmt.Sprintf("a page of %d of %d records", len(ids), o.Value), r, nil)
	}
	return ids, nextOf(r.Header), nil
}

const pageSize = 3

var errPage = errors.New("the page cannot be read")

func pathOf(of int) string {
	return fmt.Sprintf("/rest/client?per_page=%d&sort=-created_at&name=%s", pageSize, url.QueryEscape(fmt.Sprintf("k%dx", of)))
}

func (c *caller) list(ctx context.Context, of int) { _, _, _ = c.page(ctx, of, pathOf(of)) }

// walk reads all pages, each through another instance. The records that were there before the walk
// are all in it, and none twice.
func (c *caller) walk(ctx context.Context, of int) {
	o := Operation{Start: time.Since(c.began), Register: createdBy(of)}
	var all []int64
	target := pathOf(of)
	for range 50 { // bounds the time of a walk, not its pages
		ids, next, err := c.page(ctx, of, target)
		if err != nil {
			return
		}
		all = append(all, ids...)
		if next == "" {
			break
		}
		at, err := url.Parse(next)
		if err != nil {
			return
		}
		target = at.RequestURI()
	}
	seen := map[int64]bool{}
	for _, id := range all {
		if seen[id] {
			c.fail(ctx, fmt.Sprintf("record %d twice in a walk", id), Response{}, nil)
		}
		seen[id] = true
	}
	if len(all) < 50*pageSize {
		o.Value = len(all)
		c.add(o)
	}
}

// nextOf is the address of the next page.
func nextOf(h http.Header) string {
	for link := range strings.SplitSeq(h.Get("Link"), ",") {
		target, parameters, _ := strings.Cut(link, ";")
		if strings.Contains(parameters, `rel="next"`) || strings.Contains(parameters, "rel=next") {
			return strings.Trim(strings.TrimSpace(target), "<>")
		}
	}
	return ""
}

// Missing are the answered writes that the service does not have any more. The callers have been
// stopped.
func (c *Callers) Missing(ctx context.Context) (missing []string) {
	least := map[string]int{}
	for _, o := range c.history {
		if o.IsWrite {
			least[o.Register] = max(least[o.Register], o.Value)
		}
	}
	for number := range c.tokens {
		one := caller{Callers: c, number: number, random: rand.New(rand.NewPCG(0, 0))}
		before := len(c.history)
		one.list(ctx, number)
		for _, id := range c.records[number] {
			one.recordIs(ctx, number, fmt.Sprintf("/rest/client/%d", id), id)
		}
		for _, o := range c.history[before:] {
			if o.Value < least[o.Register] {
				missing = append(missing, fmt.Sprintf("%s, and %d was written", o, least[o.Register]))
			}
		}
		if read := len(c.history) - before; read != 1+len(c.records[number]) {
			missing = append(missing, fmt.Sprintf("caller %d reads %d of %d records: %s", number, read-1, len(c.records[number]), c.failures[len(c.failures)-1]))
		}
	}
	return missing
}
