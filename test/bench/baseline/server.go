package baseline

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Connections is the size of the pool: the service's default.
const Connections = 16

// Server answers some of the service's requests. It is an http.Handler.
type Server struct {
	pool       *pgxpool.Pool
	token      [sha256.Size]byte
	statements map[string]statement
	mux        *http.ServeMux
	searches   sync.Map // text: search
}

// New connects to a database of the service's schema. Requests need the token. The golden statements are those of
// adapters/postgres/pgread/testdata.
func New(ctx context.Context, databaseURL, token string, golden fs.FS) (*Server, error) {
	s := &Server{token: sha256.Sum256([]byte("Bearer " + token)), mux: http.NewServeMux()}
	var err error
	if s.statements, err = readStatements(golden); err != nil {
		return nil, err
	}
	if s.pool, err = open(ctx, databaseURL); err != nil {
		return nil, err
	}
	if err := s.createBareTable(ctx); err != nil {
		s.pool.Close()
		return nil, err
	}
	for pattern, handle := range map[string]func(*http.Request, []byte) (response, error){
		"GET /rest/client":      s.listClients,
		"GET /rest/client/{id}": s.readClient,
		"POST /rest/client":     s.createClient,
		"GET /rest/invoice":     s.listInvoices,
	} {
		s.mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, handle) })
	}
	s.mux.HandleFunc("GET /readyz", func(http.ResponseWriter, *http.Request) {})
	return s, nil
}

// Close ends the connections to the database.
func (s *Server) Close() { s.pool.Close() }

func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) { s.mux.ServeHTTP(w, r) }

// open makes a pool whose connections have the settings of the service's.
func open(ctx context.Context, databaseURL string) (*pgxpool.Pool, error) {
	config, err := pgxpool.ParseConfig(databaseURL)
	if err != nil {
		return nil, err
	}
	config.MaxConns = Connections
	maps.Copy(config.ConnConfig.RuntimeParams, map[string]string{
		"timezone": "UTC", "datestyle": "ISO, YMD", "statement_timeout": "10000", "lock_timeout": "5000", "jit": "off",
		"plan_cache_mode": "force_generic_plan", "enable_seqscan": "off", "random_page_cost": "1.1",
	})
	return pgxpool.NewWithConfig(ctx, config)
}

//go:embed testdata/*.sql
var creation embed.FS

// The golden statements, by file name: what the service runs.
const (
	clientsFirst   = "clients-first-page"
	clientsOfUser  = "clients-of-user-by-name"
	clientsCount   = "clients-named-count-matches"
	clientsScan    = "clients-named-scan-and-filter"
	client         = "client-record"
	invoicesFirst  = "invoices-first-page"
	invoicesStatus = "invoices-of-month-in-status"
)

// statement is SQL with numbered parameters, and their names in this order.
type statement struct {
	sql        string
	parameters []string
}

var (
	comment   = regexp.MustCompile(`(?m)^--.*\n`)
	parameter = regexp.MustCompile(`([^:]):([a-z_]+)`)
)

// readStatements reads the golden statements and those of testdata by file name. A parameter is written :name.
func readStatements(golden fs.FS) (map[string]statement, error) {
	statements := map[string]statement{}
	read := func(files fs.FS, name string) error {
		text, err := fs.ReadFile(files, name)
		statements[strings.TrimSuffix(path.Base(name), ".sql")] = parse(string(text))
		return err
	}
	for _, name := range []string{clientsFirst, clientsOfUser, clientsCount, clientsScan, client, invoicesFirst, invoicesStatus} {
		if err := read(golden, name+".sql"); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"client-create", "client-create-change", "client-create-search"} {
		if err := read(creation, "testdata/"+name+".sql"); err != nil {
			return nil, err
		}
	}
	return statements, nil
}

func parse(text string) (s statement) {
	s.sql = parameter.ReplaceAllStringFunc(comment.ReplaceAllString(text, ""), func(match string) string {
		before, name, _ := strings.Cut(match, ":")
		if !slices.Contains(s.parameters, name) {
			s.parameters = append(s.parameters, name)
		}
		return before + "$" + strconv.Itoa(slices.Index(s.parameters, name)+1)
	})
	return s
}

type values = map[string]any

// arguments are the values in the order of the parameters, behind the format of the result, which is text.
func (s statement) arguments(v values) []any {
	arguments := make([]any, 1, len(s.parameters)+1)
	arguments[0] = pgx.QueryResultFormats{pgx.TextFormatCode}
	for _, name := range s.parameters {
		arguments = append(arguments, v[name])
	}
	return arguments
}

type querier interface {
	Query(ctx context.Context, sql string, arguments ...any) (pgx.Rows, error)
}

// query calls each for the rows of a statement.
func (s *Server) query(ctx context.Context, on querier, name string, v values, each func(row [][]byte)) error {
	statement := s.statements[name]
	rows, err := on.Query(ctx, statement.sql, statement.arguments(v)...)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		each(rows.RawValues())
	}
	return rows.Err()
}

// response is the body of a successful response, and how many records the whole list has.
type response struct {
	body    []byte
	total   string // empty: no list
	perPage int
}

var buffers = sync.Pool{New: func() any { return new([]byte) }}

var errNotFound = errors.New("the baseline server does not answer this")

func (s *Server) serve(w http.ResponseWriter, r *http.Request, handle func(*http.Request, []byte) (response, error)) {
	given := sha256.Sum256([]byte(r.Header.Get("Authorization")))
	if subtle.ConstantTimeCompare(given[:], s.token[:]) != 1 {
		http.Error(w, "the token is wrong", http.StatusUnauthorized)
		return
	}
	buffer := buffers.Get().(*[]byte)
	defer buffers.Put(buffer)
	response, err := handle(r, (*buffer)[:0])
	switch {
	case errors.Is(err, errNotFound):
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	case err != nil:
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	*buffer = response.body
	header := w.Header()
	header["Content-Type"] = contentType
	header["Content-Length"] = []string{strconv.Itoa(len(response.body))}
	if response.total != "" {
		if err := paginate(header, r, response); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
	}
	_, _ = w.Write(response.body) // a client that has gone needs no response
}

var contentType = []string{"application/json; charset=utf-8"}

// paginate sets the headers of the first page of a list.
func paginate(h http.Header, r *http.Request, list response) error {
	total, err := strconv.Atoi(list.total)
	if err != nil {
		return fmt.Errorf("read the total: %w", err)
	}
	pages := strconv.Itoa(max(1, (total+list.perPage-1)/list.perPage))
	for name, value := range map[string]string{
		"Total_Count": list.total, "Page_Count": pages, "Current_Page": "1", "Per_Page": strconv.Itoa(list.perPage),
	} {
		text := []string{value}
		h["X_Pagination_"+name], h["X-Pagination-"+strings.ReplaceAll(name, "_", "-")] = text, text
	}
	address := "<http://" + r.Host + r.URL.Path + "?"
	if r.URL.RawQuery != "" {
		address += r.URL.RawQuery + "&"
	}
	h["Link"] = []string{address + `page=1>; rel="self", ` + address + `page=1>; rel="first", ` +
		address + `page=2>; rel="next", ` + address + "page=" + pages + `>; rel="last"`}
	return nil
}

// list writes the first page of a statement, whose first column is the total.
func (s *Server) list(ctx context.Context, b []byte, name string, v values, perPage int, record func(b []byte, row [][]byte) []byte) (response, error) {
	total := "0"
	b = append(b, `{"response":{"items":[`...)
	empty := len(b)
	err := s.query(ctx, s.pool, name, v, func(row [][]byte) {
		total = string(row[0])
		if row[1] == nil {
			return // the row of an empty list has a total only
		}
		if len(b) > empty {
			b = append(b, ',')
		}
		b = record(b, row)
	})
	return response{append(b, `]}}`...), total, perPage}, err
}

// The sizes of a page that the service has by default.
const clientsPerPage, invoicesPerPage = 10, 20

func (s *Server) listClients(r *http.Request, b []byte) (response, error) {
	query := r.URL.Query()
	switch {
	case r.URL.RawQuery == "":
		return s.list(r.Context(), b, clientsFirst, nil, clientsPerPage, appendClient)
	case query.Has("user_id") && query.Get("sort") == "name":
		user, err := strconv.ParseInt(query.Get("user_id"), 10, 64)
		if err != nil {
			return response{}, err
		}
		return s.list(r.Context(), b, clientsOfUser, values{"user_id": user}, clientsPerPage, appendClient)
	case query.Has("name"):
		return s.searchClients(r, b, query)
	}
	return response{}, errNotFound
}

// search is what is cached of a text: the number of its matches, the first batch of changes that it does not
// include, and when the newest match was created.
type search struct {
	count, batch int64
	position     *string // the token of the batch
	newest       string
}

// minScan and scanPerMatch bound the rows that a scan for matches reads, as in the service.
const minScan, scanPerMatch = 10_000, 4

// searchClients counts the matches of a text once, like the service, and adds what has changed since.
func (s *Server) searchClients(r *http.Request, b []byte, query url.Values) (response, error) {
	pattern := "%" + strings.ToLower(query.Get("name")) + "%"
	cached, _ := s.searches.Load(pattern)
	known, ok := cached.(search)
	if !ok {
		known.newest = "infinity"
		var changed, size int64
		var ids string
		statement := s.statements[clientsCount]
		err := s.pool.QueryRow(r.Context(), statement.sql, statement.arguments(values{"name": pattern})...).
			Scan(&known.count, &known.batch, &changed, &size, &ids, &known.position)
		if err != nil {
			return response{}, err
		}
		known.count -= changed
	}
	v := values{
		"name": pattern, "match_count": known.count, "match_batch": known.batch, "match_token": known.position,
		"newest_match": known.newest,
		"scan_limit":   max(minScan, scanPerMatch*known.count),
	}
	newest := ""
	list, err := s.list(r.Context(), b, clientsScan, v, clientsPerPage, func(b []byte, row [][]byte) []byte {
		if newest == "" {
			newest = string(row[len(row)-clientColumns+createdAt])
		}
		return appendClient(b, row)
	})
	if err == nil && newest != "" && newest != known.newest {
		known.newest = newest
		s.searches.Store(pattern, known)
	}
	return list, err
}

func (s *Server) readClient(r *http.Request, b []byte) (response, error) {
	id, err := strconv.ParseInt(r.PathValue("id"), 10, 64)
	if err != nil {
		return response{}, errNotFound
	}
	found := false
	err = s.query(r.Context(), s.pool, client, values{"id": id}, func(row [][]byte) {
		found = true
		b = append(appendClient(append(b, `{"response":`...), row), '}')
	})
	if err == nil && !found {
		err = errNotFound
	}
	return response{body: b}, err
}

func (s *Server) listInvoices(r *http.Request, b []byte) (response, error) {
	if r.URL.RawQuery == "" {
		return s.list(r.Context(), b, invoicesFirst, nil, invoicesPerPage, appendInvoice)
	}
	var numbers [3]int
	query := r.URL.Query()
	for i, name := range []string{"year", "month", "status_id"} {
		var err error
		if numbers[i], err = strconv.Atoi(query.Get(name)); err != nil {
			return response{}, errNotFound
		}
	}
	month := 12*numbers[0] + numbers[1] - 1
	v := values{"month_from": month, "month_to": month, "status": numbers[2]}
	return s.list(r.Context(), b, invoicesStatus, v, invoicesPerPage, appendInvoice)
}

// createClient stores a client with the rows that the service derives from it, in one transaction.
func (s *Server) createClient(r *http.Request, b []byte) (response, error) {
	if isBare(r) {
		return s.createBareClient(r, b)
	}
	var given struct {
		Name, Email, Phone string
		Type               int
		RealAddress        string `json:"real_address"`
	}
	if err := json.NewDecoder(r.Body).Decode(&given); err != nil {
		return response{}, err
	}
	now := time.Now()
	v := values{
		"user_id": 1, "type": given.Type, "name": given.Name, "name_key": strings.ToLower(given.Name),
		"email": given.Email, "email_key": strings.ToLower(given.Email), "phone": given.Phone, "phone_key": given.Phone,
		"real_address": given.RealAddress, "real_address_key": strings.ToLower(given.RealAddress), "now": now,
	}
	err := pgx.BeginFunc(r.Context(), s.pool, func(tx pgx.Tx) error {
		var id int64
		insert := s.statements["client-create"]
		if err := tx.QueryRow(r.Context(), insert.sql, insert.arguments(v)...).Scan(&id); err != nil {
			return err
		}
		v["id"] = id
		var batch pgx.Batch
		for _, name := range []string{"client-create-change", "client-create-search"} {
			statement := s.statements[name]
			batch.Queue(statement.sql, statement.arguments(v)[1:]...)
		}
		if err := tx.SendBatch(r.Context(), &batch).Close(); err != nil {
			return err
		}
		return s.query(r.Context(), tx, client, v, func(row [][]byte) {
			b = append(appendClient(append(b, `{"response":`...), row), '}')
		})
	})
	return response{body: b}, err
}
