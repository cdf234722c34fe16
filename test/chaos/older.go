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

// SecondSite is another program on the same database with an address of its own,
// not started yet. The original site stops the database.
func (s *Site) SecondSite(program string) (*Site, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	return &Site{Address: address, Token: s.Token, program: program, data: s.data, url: s.url, stopDatabase: s.stopDatabase}, nil
}

// CountedLists are lists whose totals are compared, with the rows that they
// contain.
var CountedLists = map[string]string{
	"client":           "clients",
	"client?name=w1":   "clients where name_key like '%w1%'",
	"deal":             "deals",
	"invoice":          "invoices",
	"invoice?status=2": "invoices where status = 2",
	"invoice?number=w": "invoices where number_key like '%w%'",
	"invoice?paid_year=" + strconv.Itoa(time.Now().UTC().Year()): "invoices where extract(year from paid_on) = extract(year from now())",
	"invoice-items": "invoice_items",
}

// WrongTotals returns the lists whose total differs from the records. Nothing may
// write meanwhile.
func WrongTotals(ctx context.Context, s *Site) (wrong []string, err error) {
	db, err := s.Connect(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close(ctx)) }()
	if _, err := db.Exec(ctx, "set timezone = 'UTC'"); err != nil {
		return nil, err
	}
	for path, rows := range CountedLists {
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

// Total returns the total of a list.
func (s *Site) Total(ctx context.Context, path string) (int64, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+s.Address+"/rest/"+path, nil)
	if err != nil {
		return 0, err
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		return 0, fmt.Errorf("%s: %d %s: %w", path, response.StatusCode, body, err)
	}
	return strconv.ParseInt(response.Header.Get("X-Pagination-Total-Count"), 10, 64)
}
