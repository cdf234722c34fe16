package pgreplica

import (
	"context"
	"errors"
	"io"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"

	"github.com/kontor-crm/kontor/adapters/postgres"
	"github.com/kontor-crm/kontor/ports/position"
)

// contract 13.16
func TestReadGoesToThePrimaryUnlessItsLookUpIsWrong(t *testing.T) {
	t.Parallel()
	ended, end := context.WithCancel(t.Context())
	end()
	wrong := errors.New("a value of another type")
	for name, c := range map[string]struct {
		ctx context.Context
		err error
		is  error // of the read; nil: the primary serves it
	}{
		"a broken connection":             {t.Context(), io.ErrUnexpectedEOF, nil},
		"too many connections":            {t.Context(), &pgconn.PgError{Code: "53300"}, nil},
		"a server that shuts down":        {t.Context(), &pgconn.PgError{Code: "57P01"}, nil},
		"a standby":                       {t.Context(), &pgconn.PgError{Code: "25006"}, nil},
		"the end of the request":          {ended, wrong, nil},
		"no answer":                       {t.Context(), context.DeadlineExceeded, context.DeadlineExceeded},
		"a table that does not exist":     {t.Context(), &pgconn.PgError{Code: "42P01"}, &pgconn.PgError{Code: "42P01"}},
		"a role without the right":        {t.Context(), &pgconn.PgError{Code: "42501"}, &pgconn.PgError{Code: "42501"}},
		"a result that cannot be decoded": {t.Context(), wrong, wrong},
	} {
		used := &replica{name: "replica-1"}
		used.session = &session{Context: t.Context(), on: used}
		lookups := &batcher[int64, needs]{timeout: positionTimeout, call: func(context.Context, []int64) (map[int64]needs, error) {
			return nil, postgres.Fault(c.err, postgres.Storing)
		}}
		r := &Reads{replicas: &Replicas{all: []*replica{used}}, positions: &positions{lookups: lookups}}
		in, err := r.sessionFor(c.ctx, 7, &position.Request{})
		if in != nil || (err == nil) != (c.is == nil) || err != nil && err.Error() != postgres.Fault(c.is, postgres.Storing).Error() {
			t.Errorf("%s: %v, %v", name, in, err)
		}
	}
}
