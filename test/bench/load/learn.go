package load

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"strings"

	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/bench/floor"
)

// seen is a request, its answer, and what was said to the database for it.
type seen struct {
	request Request
	word    string // of a request that stands for others
	page    *floor.Page
	body    []byte
	units   []*unit
}

// book gathers scripts for the floor.
type book struct {
	file       floor.File
	statements map[string]int
}

func newBook() *book { return &book{statements: map[string]int{}} }

// learn adds the script of a request. Of one that stands for others, another one of its sort shows
// which values differ.
func (b *book) learn(k *Kind, s, other *seen) error {
	u, err := s.only()
	if err != nil {
		return err
	}
	execs := u.execs()
	shape, err := k.shape()
	if err != nil {
		return err
	}
	records, err := k.recordsOf(s.body)
	if err != nil {
		return err
	}
	leaves, err := leavesIn(shape, records)
	if err != nil {
		return err
	}
	script := floor.Script{Method: s.request.Method, URI: s.request.URI, Body: s.request.Body, Word: s.word, Page: s.page, Pool: b.pool(u)}
	var program floor.Program
	if script.Shown, program, err = shownBy(execs, shape, leaves, records); err != nil {
		return fmt.Errorf("%s %s: %w", s.request.Method, s.request.URI, err)
	}
	program.List = !k.isRecord
	script.Program = b.program(program)
	var others []*seenExec
	if other != nil {
		v, err := other.only()
		if err != nil {
			return err
		}
		if v.sequence() != u.sequence() {
			return fmt.Errorf("%s %s: other statements than for %s", s.request.Method, s.request.URI, other.request.URI)
		}
		others = v.execs()
	}
	script.Rounds = b.rounds(u, others, s, other)
	b.file.Scripts = append(b.file.Scripts, script)
	return nil
}

// only is the one unit of the request.
func (s *seen) only() (*unit, error) {
	switch len(s.units) {
	case 0:
		return nil, fmt.Errorf("%s %s: %w", s.request.Method, s.request.URI, errNothingSaid)
	case 1:
		return s.units[0], nil
	}
	return joined(s.units)
}

// joined makes one unit of several that follow one another, over whichever connections.
func joined(units []*unit) (*unit, error) {
	all := &unit{session: units[0].session, params: units[0].params}
	for _, u := range units {
		if !maps.Equal(u.params, all.params) {
			return nil, errors.New("one request used connections of different settings")
		}
		all.rounds = append(all.rounds, u.rounds...)
	}
	return all, nil
}

func (k *Kind) recordsOf(body []byte) ([]json.RawMessage, error) {
	if k.isRecord {
		var one struct{ Response json.RawMessage }
		err := json.Unmarshal(body, &one)
		return []json.RawMessage{one.Response}, err
	}
	var many struct {
		Response struct{ Items []json.RawMessage }
	}
	err := json.Unmarshal(body, &many)
	if err == nil && len(many.Response.Items) == 0 {
		err = errors.New("an empty list shows nothing of how it is made")
	}
	return many.Response.Items, err
}

// shownBy finds the statement whose rows are the records, and the program that writes them. There may
// be more rows, by which a reader sees that the list goes on.
func shownBy(execs []*seenExec, shape *readmodel.Selection, leaves []*leaf, records []json.RawMessage) (floor.Shown, floor.Program, error) {
	problem := errNoColumns
	for i, e := range execs {
		more := len(e.rows) - len(records)
		if more < 0 || more > 1 {
			continue
		}
		for skipped := range more + 1 {
			rows := e.rows[skipped : skipped+len(records)]
			columns, err := columnsOf(len(shape.Paths), leaves, rows)
			if err != nil {
				problem = err
				continue
			}
			program := compile(shape, func(cell int) int { return columns[cell] })
			for n, row := range rows {
				if got := program.Record(nil, row); !bytes.Equal(got, records[n]) {
					return floor.Shown{}, program, fmt.Errorf("the floor writes\n%s\ninstead of\n%s", got, records[n])
				}
			}
			shown := floor.Shown{Statement: i, Skipped: skipped}
			if more > 0 {
				shown.Most = len(records)
			}
			return shown, program, nil
		}
	}
	return floor.Shown{}, floor.Program{}, problem
}

func (b *book) program(p floor.Program) int {
	for i := range b.file.Programs {
		if reflect.DeepEqual(b.file.Programs[i], p) {
			return i
		}
	}
	b.file.Programs = append(b.file.Programs, p)
	return len(b.file.Programs) - 1
}

func (b *book) pool(u *unit) int {
	for i, params := range b.file.Pools {
		if maps.Equal(params, u.params) {
			return i
		}
	}
	b.file.Pools = append(b.file.Pools, u.params)
	return len(b.file.Pools) - 1
}

func (b *book) statement(sql string) int {
	n, ok := b.statements[sql]
	if !ok {
		n = len(b.file.Statements)
		b.statements[sql] = n
		b.file.Statements = append(b.file.Statements, sql)
	}
	return n
}

// rounds writes down the round trips. others are the statements of a request that differs in its word.
func (b *book) rounds(u *unit, others []*seenExec, s, other *seen) []floor.Round {
	var rounds []floor.Round
	flat := u.execs()
	var before []*floor.Exec
	number := 0
	for _, r := range u.rounds {
		round := floor.Round{Plain: r.plain, Execs: make([]floor.Exec, len(r.execs))}
		for i, e := range r.execs {
			exec := &round.Execs[i]
			*exec = b.exec(e)
			if others != nil {
				for n := range e.args {
					exec.Args[n] = explained(flat, others, number, n, s.word, other.word)
					if from := exec.Args[n].From; from != nil {
						before[from.Statement].Kept = true
					}
				}
			}
			before = append(before, exec)
			number++
		}
		rounds = append(rounds, round)
	}
	return rounds
}

// exec is a statement with the values that it had.
func (b *book) exec(e *seenExec) floor.Exec {
	exec := floor.Exec{Statement: b.statement(e.sql), Unnamed: e.unnamed, Formats: e.formats, Results: e.results}
	for _, value := range e.args {
		exec.Args = append(exec.Args, floor.Arg{Null: value == nil, Parts: [][]byte{value}})
	}
	return exec
}

// explained is where a value comes from, seen in two requests: from the word, from what an earlier
// statement gave, or from the clock. What is the same in both, and what cannot be explained, stays as
// it is.
func explained(execs, others []*seenExec, number, arg int, word, otherWord string) floor.Arg {
	mine, theirs := execs[number].args[arg], others[number].args[arg]
	if mine == nil {
		return floor.Arg{Null: true}
	}
	constant := floor.Arg{Parts: [][]byte{mine}}
	if bytes.Equal(mine, theirs) {
		return constant
	}
	if parts := bytes.Split(mine, []byte(word)); bytes.Equal(bytes.Join(parts, []byte(otherWord)), theirs) {
		return floor.Arg{Parts: parts}
	}
	for i := range number {
		if len(execs[i].rows) == 0 || len(others[i].rows) == 0 {
			continue
		}
		for column, cell := range execs[i].rows[0] {
			if bytes.Equal(cell, mine) && bytes.Equal(others[i].rows[0][column], theirs) {
				return floor.Arg{From: &floor.Cell{Statement: i, Column: column}}
			}
		}
	}
	if isInstant(mine) && isInstant(theirs) {
		return floor.Arg{Now: true}
	}
	return constant
}

// isInstant tells whether a value may be a point in time of the years that this program runs in: in
// microseconds since 2000.
func isInstant(value []byte) bool {
	const year = 365 * 24 * 3600 * 1e6
	if len(value) != 8 {
		return false
	}
	n := int64(binary.BigEndian.Uint64(value))
	return n > 20*year && n < 100*year
}

// isTokenCheck tells what lets a request in from what it asks for.
func isTokenCheck(u *unit) bool {
	for _, e := range u.execs() {
		if strings.Contains(e.sql, "secret_hash") || strings.HasPrefix(e.sql, "update tokens") {
			return true
		}
	}
	return false
}
