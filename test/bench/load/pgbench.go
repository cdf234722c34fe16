package load

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
)

// Ceiling is the floor beside pgbench with the same statement and values.
type Ceiling struct {
	Kind           string
	Connections    int
	Floor, Pgbench float64 // requests and transactions in a second
	Ratio          float64
}

// ceiling measures the floor against pgbench, for the reads that are one statement.
func (b *bench) ceiling(ctx context.Context, w *watcher, kinds []*Kind, floor *Process) error {
	program, err := findPgbench()
	if err != nil {
		return err
	}
	connections := b.Connections[0]
	fmt.Fprintf(b.Out, "\n%-22s %10s %10s %6s\n", "The floor and pgbench", "floor /s", "pgbench /s", "ratio")
	for _, k := range kinds {
		e := w.single[k.Name]
		if e == nil {
			continue
		}
		var floors []Sample
		var rates, ratios []float64
		for range b.Rounds {
			s, err := b.measure(ctx, floor, floor.Name, w.site, k, connections, b.Duration)
			if err != nil {
				return err
			}
			rate, err := pgbench(ctx, program, w.site.URL, e, connections, b.Duration)
			if err != nil {
				return fmt.Errorf("%s: %w", k.Name, err)
			}
			floors, rates, ratios = append(floors, s), append(rates, rate), append(ratios, ratio(s.Rate(), rate))
		}
		c := Ceiling{Kind: k.Name, Connections: connections, Floor: mid(floors).Rate(), Pgbench: median(rates), Ratio: median(ratios)}
		b.report.Ceiling = append(b.report.Ceiling, c)
		fmt.Fprintf(b.Out, "%-22s %10.0f %10.0f %6.2f\n", c.Kind, c.Floor, c.Pgbench, c.Ratio)
	}
	return nil
}

// single is the one statement of a request; nil if there are several, or one whose values cannot be
// told to pgbench.
func (s *seen) single() *singleExec {
	u, err := s.only()
	if err != nil || len(u.rounds) != 1 || len(u.rounds[0].execs) != 1 {
		return nil
	}
	e := u.rounds[0].execs[0]
	values := make([]string, len(e.args))
	for i, value := range e.args {
		text, ok := textOf(value, oidAt(e.oids, i), formatAt(e.formats, i))
		if !ok {
			return nil
		}
		values[i] = text
	}
	return &singleExec{sql: e.sql, values: values, params: u.params}
}

// singleExec is a statement with its values as text.
type singleExec struct {
	sql    string
	values []string
	params map[string]string
}

func oidAt(oids []uint32, i int) uint32 {
	if i < len(oids) {
		return oids[i]
	}
	return 0
}

// formatAt is the format of a value: one code stands for all, none for text.
func formatAt(formats []int16, i int) int16 {
	switch {
	case len(formats) == 1:
		return formats[0]
	case i < len(formats):
		return formats[i]
	}
	return pgtype.TextFormatCode
}

// textOf is a value as text.
func textOf(value []byte, oid uint32, format int16) (string, bool) {
	switch {
	case value == nil:
		return "", false
	case format == pgtype.TextFormatCode, oid == pgtype.TextOID, oid == pgtype.VarcharOID:
		return string(value), true
	case oid == pgtype.Int8OID && len(value) == 8:
		return strconv.FormatInt(int64(binary.BigEndian.Uint64(value)), 10), true
	case oid == pgtype.Int4OID && len(value) == 4:
		return strconv.Itoa(int(int32(binary.BigEndian.Uint32(value)))), true
	case oid == pgtype.Int2OID && len(value) == 2:
		return strconv.Itoa(int(int16(binary.BigEndian.Uint16(value)))), true
	case (oid == pgtype.TimestampOID || oid == pgtype.TimestamptzOID) && len(value) == 8:
		beginning := time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)
		at := beginning.Add(time.Duration(int64(binary.BigEndian.Uint64(value))) * time.Microsecond)
		return at.Format("2006-01-02 15:04:05.999999"), true
	}
	return "", false
}

func findPgbench() (string, error) {
	if path, err := exec.LookPath("pgbench"); err == nil {
		return path, nil
	}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if err != nil || len(found) == 0 {
		return "", errors.New("pgbench is not installed: it comes with PostgreSQL's programs")
	}
	return found[len(found)-1], nil
}

var (
	parameter     = regexp.MustCompile(`\$([0-9]+)`)
	transactionsS = regexp.MustCompile(`tps = ([0-9.]+) \(without`)
)

// pgbench is how many times in a second pgbench runs the statement, prepared.
func pgbench(ctx context.Context, program, databaseURL string, e *singleExec, connections int, d time.Duration) (rate float64, err error) {
	file, err := os.CreateTemp("", "kontor-bench-*.sql")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.Remove(file.Name())) }()
	_, err = file.WriteString(parameter.ReplaceAllString(strings.TrimSpace(e.sql), ":v$1") + ";\n")
	if err := errors.Join(err, file.Close()); err != nil {
		return 0, err
	}
	args := []string{
		"--no-vacuum", "--protocol=prepared", "--file=" + file.Name(), "--client=" + strconv.Itoa(connections), "--jobs=2",
		"--time=" + strconv.Itoa(max(1, int(d.Seconds()+0.5))),
	}
	for i, value := range e.values {
		args = append(args, fmt.Sprintf("--define=v%d=%s", i+1, value))
	}
	command := exec.CommandContext(ctx, program, append(args, databaseURL)...)
	command.Env = append(os.Environ(), "PGOPTIONS="+optionsOf(e.params))
	out, err := command.CombinedOutput()
	if err != nil {
		return 0, fmt.Errorf("pgbench: %w: %s", err, out)
	}
	return rateIn(string(out))
}

func rateIn(output string) (float64, error) {
	match := transactionsS.FindStringSubmatch(output)
	if match == nil {
		return 0, fmt.Errorf("pgbench told no rate: %s", output)
	}
	return strconv.ParseFloat(match[1], 64)
}

// optionsOf are the parameters of a connection as PGOPTIONS has them.
func optionsOf(params map[string]string) string {
	var options []string
	for name, value := range params {
		if name != "user" && name != "database" && name != "application_name" {
			escaped := strings.NewReplacer(`\`, `\\`, " ", `\ `).Replace(value)
			options = append(options, "-c "+name+"="+escaped)
		}
	}
	slices.Sort(options)
	return strings.Join(options, " ")
}
