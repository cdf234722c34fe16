package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"
)

// Beside is another program on the same database, at an address of its own. It is not
// started yet. The site that was opened ends the database.
func (s *Site) Beside(program string) (*Site, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return &Site{Address: address, Token: s.Token, program: program, data: s.data, database: s.database}, nil
}

// Counted is the lists of a service whose totals are compared, each with the rows that
// it shows.
var Counted = map[string]string{
	"client":           "clients",
	"client?name=w1":   "clients where name_key like '%w1%'",
	"deal":             "deals",
	"invoice":          "invoices",
	"invoice?status=2": "invoices where status = 2",
	"invoice?number=w": "invoices where number_key like '%w%'",
	"invoice?paid_year=" + strconv.Itoa(time.Now().UTC().Year()): "invoices where extract(year from paid_on) = extract(year from now())",
	"invoice-items": "invoice_items",
}

// WrongTotals is the lists of the service whose total is not that of the records, while
// nobody writes.
func WrongTotals(ctx context.Context, s *Site) (wrong []string, err error) {
	db, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	if _, err := db.Exec(ctx, "set timezone = 'UTC'"); err != nil {
		return nil, err
	}
	for path, rows := range Counted {
		var want int64
		if err := db.QueryRow(ctx, "select count(*) from "+rows, pgx.QueryExecModeSimpleProtocol).Scan(&want); err != nil {
			return nil, fmt.Errorf("count %s: %w", rows, err)
		}
		total, err := s.Total(ctx, path)
		if err != nil {
			return nil, err
		}
		if total != want {
			wrong = append(wrong, fmt.Sprintf("%s says %d of %d", path, total, want))
		}
	}
	return wrong, nil
}

// Total is how many records a list of the service says it has.
func (s *Site) Total(ctx context.Context, path string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Address+"/rest/"+path, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	said, err := io.ReadAll(answer.Body)
	if err != nil || answer.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %d %s: %w", path, answer.StatusCode, said, err)
	}
	return strconv.ParseInt(answer.Header.Get("X-Pagination-Total-Count"), 10, 64)
}
