package floor

import (
	"context"
	"encoding/binary"
	"fmt"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// player sends scripts to the database.
type player struct {
	file  *File
	pools []*pgxpool.Pool
}

// run is one run of a script.
type run struct {
	*player
	conn *pgconn.PgConn
	word []byte
	seen int // statements until now
	kept map[Cell][]byte
}

// newPlayer makes a pool for each of the file's.
func newPlayer(ctx context.Context, file *File, url string, connections int) (*player, error) {
	p := &player{file: file}
	for _, params := range file.Pools {
		config, err := pgxpool.ParseConfig(url)
		if err != nil {
			return nil, err
		}
		config.MaxConns = int32(connections)
		for name, value := range params {
			if name != "user" && name != "database" {
				config.ConnConfig.RuntimeParams[name] = value
			}
		}
		pool, err := pgxpool.NewWithConfig(ctx, config)
		if err != nil {
			return nil, err
		}
		p.pools = append(p.pools, pool)
	}
	return p, nil
}

// play runs the rounds and hands over each row of the statement that is shown; its cells hold until
// the next row.
func (p *player) play(ctx context.Context, pool int, rounds []Round, shown Shown, word []byte, row func(cells [][]byte)) error {
	conn, err := p.pools[pool].Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	r := &run{player: p, conn: conn.Conn().PgConn(), word: word}
	for i := range rounds {
		if err := r.round(ctx, &rounds[i], shown, row); err != nil {
			if r.conn.TxStatus() != 'I' {
				_ = r.conn.Exec(ctx, "rollback").Close() // else the pool throws the connection away
			}
			return err
		}
	}
	return nil
}

func (r *run) round(ctx context.Context, round *Round, shown Shown, row func([][]byte)) error {
	if round.Plain != "" {
		return r.conn.Exec(ctx, round.Plain).Close()
	}
	if len(round.Execs) == 1 {
		e := &round.Execs[0]
		args := r.args(e)
		if e.Unnamed {
			return r.read(r.conn.ExecParams(ctx, r.file.Statements[e.Statement], args, nil, e.Formats, e.Results), e, shown, row)
		}
		prepared, err := r.prepared(ctx, e.Statement)
		if err != nil {
			return err
		}
		return r.read(r.conn.ExecStatement(ctx, prepared, args, e.Formats, e.Results), e, shown, row)
	}
	batch := &pgconn.Batch{}
	for i := range round.Execs {
		e := &round.Execs[i]
		if e.Unnamed {
			batch.ExecParams(r.file.Statements[e.Statement], r.args(e), nil, e.Formats, e.Results)
			continue
		}
		prepared, err := r.prepared(ctx, e.Statement)
		if err != nil {
			return err
		}
		batch.ExecStatement(prepared, r.args(e), e.Formats, e.Results)
	}
	results := r.conn.ExecBatch(ctx, batch)
	for i := 0; results.NextResult(); i++ {
		if err := r.read(results.ResultReader(), &round.Execs[i], shown, row); err != nil {
			_ = results.Close() // the first error says more
			return err
		}
	}
	return results.Close()
}

func (r *run) read(rows *pgconn.ResultReader, e *Exec, shown Shown, row func([][]byte)) error {
	number := r.seen
	r.seen++
	for n := 0; rows.NextRow(); n++ {
		cells := rows.Values()
		if number == shown.Statement && n >= shown.Skipped && (shown.Most == 0 || n < shown.Skipped+shown.Most) {
			row(cells)
		}
		if n == 0 && e.Kept {
			r.keep(number, cells)
		}
	}
	_, err := rows.Close()
	return err
}

func (r *run) keep(number int, cells [][]byte) {
	if r.kept == nil {
		r.kept = map[Cell][]byte{}
	}
	for i, cell := range cells {
		r.kept[Cell{number, i}] = append([]byte(nil), cell...)
	}
}

// prepared is the statement on this connection, prepared at its first use.
func (r *run) prepared(ctx context.Context, statement int) (*pgconn.StatementDescription, error) {
	name := "floor" + strconv.Itoa(statement)
	if known, ok := r.conn.CustomData()[name].(*pgconn.StatementDescription); ok {
		return known, nil
	}
	description, err := r.conn.Prepare(ctx, name, r.file.Statements[statement], nil)
	if err != nil {
		return nil, fmt.Errorf("prepare: %w", err)
	}
	r.conn.CustomData()[name] = description
	return description, nil
}

// beginning is the instant that PostgreSQL counts time from.
var beginning = time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)

func (r *run) args(e *Exec) [][]byte {
	values := make([][]byte, len(e.Args))
	for i := range e.Args {
		a := &e.Args[i]
		switch {
		case a.Null:
		case a.Now:
			values[i] = binary.BigEndian.AppendUint64(nil, uint64(time.Since(beginning).Microseconds()))
		case a.From != nil:
			values[i] = r.kept[*a.From]
		case len(a.Parts) == 1:
			values[i] = a.Parts[0]
		default:
			for n, part := range a.Parts {
				if n > 0 {
					values[i] = append(values[i], r.word...)
				}
				values[i] = append(values[i], part...)
			}
		}
	}
	return values
}
