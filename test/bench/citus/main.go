// Command citus measures the CPU time of a request, of the service and of PostgreSQL
// together: on one server, and on a coordinator with two workers of Citus. Both are on this
// machine, with the same settings and the same companies, and take turns.
//
//	go run ./test/bench/citus -program .bin/kontor
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"log"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/cmd/bootstrap"
	"github.com/kontor-crm/kontor/test/bench/load"
	"github.com/kontor-crm/kontor/test/bench/service"
	"github.com/kontor-crm/kontor/test/citus"
	"github.com/kontor-crm/kontor/test/rest"
)

var (
	program  = flag.String("program", ".bin/kontor", "`path` of the program")
	requests = flag.Int("requests", 2000, "`number` of requests of each kind in a round")
	rounds   = flag.Int("rounds", 3, "`number` of rounds")
	callers  = flag.Int("callers", 4, "`number` of requests at the same time")
	port     = flag.Int("port", 18095, "first `port` of the two services")
)

const workers = 2

// kind is a kind of request. The records that it refers to are the first ones.
type kind struct {
	name, method, path, body string
	weight                   int // how many of the requests of the mix are of this kind
}

var kinds = []kind{
	{"a client", http.MethodGet, "/rest/client/1", "", 4},
	{"a list of 20 clients", http.MethodGet, "/rest/client?per_page=20", "", 4},
	{"a new client", http.MethodPost, "/rest/client", `{"name":"Acme","type":1}`, 1},
	{"a new invoice of 3 lines", http.MethodPost, "/rest/invoice", `{"number":"R","date":"2024-03-09","performer_id":1,"client_id":1,"type_id":1,"items":[` +
		`{"name":"Oak","items_count":1,"item_price":2},{"name":"Ash","items_count":1,"item_price":2},{"name":"Elm","items_count":1,"item_price":2}]}`, 1},
}

// needed are the records that the kinds refer to.
var needed = []kind{
	{"", http.MethodPost, "/rest/client", `{"name":"Acme","type":1}`, 0},
	{"", http.MethodPost, "/rest/status", `{"name":"new","default":true}`, 0},
	{"", http.MethodPost, "/rest/performer", `{"name":"Kontor"}`, 0},
	{"", http.MethodPost, "/rest/invoice-type", `{"title":"bill"}`, 0},
}

func main() {
	flag.Parse()
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) (err error) {
	cluster, err := citus.Start(ctx, workers)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, cluster.Stop()) }()
	var installations []*installation
	for i, name := range []string{"single", "distributed"} {
		in, err := install(ctx, cluster, name, *port+i)
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		defer in.service.Stop() //nolint:gocritic // there are two
		installations = append(installations, in)
	}
	var mixOnOne, mixOnCitus time.Duration
	weights := 0
	for _, k := range kinds {
		onOne, onCitus, err := compare(k, installations[0], installations[1])
		if err != nil {
			return err
		}
		mixOnOne += time.Duration(k.weight) * onOne
		mixOnCitus += time.Duration(k.weight) * onCitus
		weights += k.weight
	}
	printRatio("a request of the mix", mixOnOne/time.Duration(weights), mixOnCitus/time.Duration(weights))
	return nil
}

// compare prints the median CPU times of a request, and their ratio.
func compare(k kind, single, distributed *installation) (onOne, onCitus time.Duration, err error) {
	var one, more []time.Duration
	for round := range *rounds + 1 {
		a, err := single.measure(k)
		if err != nil {
			return 0, 0, err
		}
		b, err := distributed.measure(k)
		if err != nil {
			return 0, 0, err
		}
		if round > 0 { // the first one prepares statements and connections
			one, more = append(one, a.total()), append(more, b.total())
			fmt.Printf("%s: one server %s; Citus %s\n", k.name, a, b)
		}
	}
	slices.Sort(one)
	slices.Sort(more)
	onOne, onCitus = load.Quantile(one, 0.5), load.Quantile(more, 0.5)
	printRatio(k.name, onOne, onCitus)
	return onOne, onCitus, nil
}

func printRatio(of string, onOne, onCitus time.Duration) {
	fmt.Printf("%s: %s on one server, %s on Citus, a ratio of %.2f\n", of, onOne, onCitus, float64(onCitus)/float64(onOne))
}

// times are the CPU times of a request.
type times struct{ service, coordinator, workers time.Duration }

func (t times) total() time.Duration { return t.service + t.coordinator + t.workers }

func (t times) String() string {
	return fmt.Sprintf("%s (service %s, coordinator %s, workers %s)", t.total(), t.service, t.coordinator, t.workers)
}

// installation is a service with two companies on one server or on Citus.
type installation struct {
	cluster *citus.Cluster
	url     string
	address string
	tokens  []string
	service *service.Service
}

func install(ctx context.Context, c *citus.Cluster, name string, port int) (*installation, error) {
	in := &installation{cluster: c, url: c.URL(name), address: fmt.Sprint("127.0.0.1:", port)}
	if err := in.create(ctx, name); err != nil {
		return nil, err
	}
	config := bootstrap.Defaults(in.url)
	if err := bootstrap.Migrate(ctx, config); err != nil {
		return nil, err
	}
	companies, closeAll, err := bootstrap.NewCompanies(ctx, config)
	if err != nil {
		return nil, err
	}
	defer closeAll()
	for _, company := range []string{"bakery", "cafe"} {
		if _, err := companies.Add(ctx, company, "UTC"); err != nil {
			return nil, err
		}
		token, err := service.Token(ctx, config, company)
		if err != nil {
			return nil, err
		}
		in.tokens = append(in.tokens, token)
	}
	err = in.start(ctx)
	return in, err
}

// create makes the database, on all nodes if it is to be distributed.
func (in *installation) create(ctx context.Context, name string) error {
	nodes := in.cluster.Nodes
	if name == "single" {
		nodes = nodes[:1]
	}
	var urls []string
	for _, n := range nodes {
		conn, err := pgx.Connect(ctx, n.URL("postgres"))
		if err != nil {
			return err
		}
		_, failed := conn.Exec(ctx, "create database "+name)
		if err := errors.Join(failed, conn.Close(ctx)); err != nil {
			return err
		}
		urls = append(urls, n.URL(name))
	}
	if len(urls) == 1 {
		return nil
	}
	return citus.Distribute(ctx, urls[0], urls[1:]...)
}

// start starts the service, and adds the records that requests refer to.
func (in *installation) start(ctx context.Context) (err error) {
	if in.service, err = service.Start(ctx, *program, in.address, in.url); err != nil {
		return err
	}
	if err := in.addNeeded(); err != nil {
		in.service.Stop()
		return err
	}
	return nil
}

func (in *installation) addNeeded() error {
	for _, token := range in.tokens {
		for _, k := range needed {
			if err := in.send(k, token); err != nil {
				return err
			}
		}
	}
	return nil
}

// measure sends the requests to both companies in turns.
func (in *installation) measure(k kind) (times, error) {
	before := in.used()
	var sending sync.WaitGroup
	failures := make([]error, *callers)
	for caller := range *callers {
		sending.Go(func() {
			for n := caller; n < *requests && failures[caller] == nil; n += *callers {
				failures[caller] = in.send(k, in.tokens[n/(*callers)%len(in.tokens)])
			}
		})
	}
	sending.Wait()
	after, per := in.used(), time.Duration(*requests)
	return times{
		(after.service - before.service) / per, (after.coordinator - before.coordinator) / per, (after.workers - before.workers) / per,
	}, errors.Join(failures...)
}

// used is the CPU time so far.
func (in *installation) used() times {
	t := times{service: load.ProcessorTimeOfTree(in.service.PID())}
	for i, n := range in.cluster.Nodes {
		if i == 0 {
			t.coordinator = load.ProcessorTimeOfTree(n.PID())
			continue
		}
		t.workers += load.ProcessorTimeOfTree(n.PID())
	}
	return t
}

var client = &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 100}}

func (in *installation) send(k kind, token string) error {
	_, err := rest.Client{URL: "http://" + in.address, Token: token, HTTP: client}.Call(context.Background(), k.method, k.path, k.body, nil)
	return err
}
