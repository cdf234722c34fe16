package load

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"strconv"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgproto3"
)

// tap stands between a service and PostgreSQL and notes what is said.
type tap struct {
	listener net.Listener
	network  string
	address  string

	mu       sync.Mutex
	units    []*unit
	sessions int
}

// unit is what belongs together: a transaction, or one round trip outside of any.
type unit struct {
	session int
	params  map[string]string // of the connection
	rounds  []seenRound
}

// seenRound is one round trip.
type seenRound struct {
	plain string
	execs []*seenExec
}

// seenExec is one statement with its values and what it gave.
type seenExec struct {
	sql     string
	unnamed bool
	args    [][]byte
	formats []int16
	results []int16
	oids    []uint32
	rows    [][][]byte
}

// newTap listens on a port of this machine for connections to the database.
func newTap(databaseURL string) (*tap, error) {
	config, err := pgconn.ParseConfig(databaseURL)
	if err != nil {
		return nil, fmt.Errorf("read the database URL: %w", err)
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	t := &tap{listener: listener}
	t.network, t.address = pgconn.NetworkAddress(config.Host, config.Port)
	go t.accept()
	return t, nil
}

// port is where the tap listens.
func (t *tap) port() int { return t.listener.Addr().(*net.TCPAddr).Port }

func (t *tap) close() { t.listener.Close() }

// take is what was said since it was asked last.
func (t *tap) take() []*unit {
	t.mu.Lock()
	defer t.mu.Unlock()
	units := t.units
	t.units = nil
	return units
}

func (t *tap) accept() {
	for {
		front, err := t.listener.Accept()
		if err != nil {
			return
		}
		go t.relay(front)
	}
}

func (t *tap) relay(front net.Conn) {
	defer front.Close()
	back, err := net.Dial(t.network, t.address)
	if err != nil {
		return
	}
	defer back.Close()
	t.mu.Lock()
	t.sessions++
	s := &session{tap: t, number: t.sessions, statements: map[string]*prepared{}}
	t.mu.Unlock()
	if err := s.startUp(front, back); err != nil {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = copyMessages(front, back, s.answered) // its end is the connection's
		front.Close()
	}()
	_ = copyMessages(back, front, s.said)
	back.Close()
	<-done
}

// copyMessages passes messages on, each after it was looked at: nothing comes back before the
// question is noted.
func copyMessages(to io.Writer, from io.Reader, look func(kind byte, body []byte)) error {
	var head [5]byte
	for {
		if _, err := io.ReadFull(from, head[:]); err != nil {
			return err
		}
		body := make([]byte, binary.BigEndian.Uint32(head[1:])-4)
		if _, err := io.ReadFull(from, body); err != nil {
			return err
		}
		look(head[0], body)
		if _, err := to.Write(append(head[:], body...)); err != nil {
			return err
		}
	}
}

// prepared is a statement that a connection knows by a name.
type prepared struct {
	sql  string
	oids []uint32
}

// session is one connection.
type session struct {
	tap        *tap
	number     int
	params     map[string]string
	statements map[string]*prepared
	bound      *seenExec
	current    seenRound
	described  []*prepared // whose parameters will be told
	waiting    []*seenExec // whose rows are to come; nil for plain text
	unit       *unit
}

// startUp passes on the first message, which has no kind.
func (s *session) startUp(front io.Reader, back io.Writer) error {
	var size [4]byte
	if _, err := io.ReadFull(front, size[:]); err != nil {
		return err
	}
	body := make([]byte, binary.BigEndian.Uint32(size[:])-4)
	if _, err := io.ReadFull(front, body); err != nil {
		return err
	}
	var m pgproto3.StartupMessage
	if err := m.Decode(body); err == nil {
		s.params = maps.Clone(m.Parameters)
	}
	_, err := back.Write(append(size[:], body...))
	return err
}

// said looks at a message to the database.
func (s *session) said(kind byte, body []byte) {
	s.tap.mu.Lock()
	defer s.tap.mu.Unlock()
	switch kind {
	case 'P':
		var m pgproto3.Parse
		if m.Decode(body) == nil {
			s.statements[m.Name] = &prepared{sql: m.Query}
		}
	case 'D':
		if known := s.statements[strings.TrimRight(string(body[1:]), "\x00")]; body[0] == 'S' && known != nil {
			s.described = append(s.described, known)
		}
	case 'B':
		s.bind(body)
	case 'E':
		s.current.execs = append(s.current.execs, s.bound)
		s.waiting = append(s.waiting, s.bound)
	case 'Q':
		s.current.plain = strings.TrimRight(string(body), "\x00")
		s.waiting = append(s.waiting, nil)
	}
}

func (s *session) bind(body []byte) {
	var m pgproto3.Bind
	if err := m.Decode(body); err != nil {
		return
	}
	e := &seenExec{unnamed: m.PreparedStatement == "", formats: m.ParameterFormatCodes, results: m.ResultFormatCodes}
	if known := s.statements[m.PreparedStatement]; known != nil {
		e.sql, e.oids = known.sql, known.oids
	}
	for _, value := range m.Parameters {
		if value != nil {
			value = append([]byte{}, value...)
		}
		e.args = append(e.args, value)
	}
	s.bound = e
}

// answered looks at a message from the database.
func (s *session) answered(kind byte, body []byte) {
	s.tap.mu.Lock()
	defer s.tap.mu.Unlock()
	switch kind {
	case 't':
		var m pgproto3.ParameterDescription
		if len(s.described) > 0 && m.Decode(body) == nil {
			s.described[0].oids = append([]uint32(nil), m.ParameterOIDs...)
			s.described = s.described[1:]
		}
	case 'D':
		var m pgproto3.DataRow
		if len(s.waiting) > 0 && s.waiting[0] != nil && m.Decode(body) == nil {
			s.waiting[0].rows = append(s.waiting[0].rows, m.Values) // the body is this message's own
		}
	case 'C', 'I', 's':
		if len(s.waiting) > 0 {
			s.waiting = s.waiting[1:]
		}
	case 'E':
		s.waiting, s.described = nil, nil
	case 'Z':
		s.ready(body[0])
	}
}

// ready ends a round trip; outside of a transaction it ends the unit.
func (s *session) ready(state byte) {
	s.waiting = nil
	round := s.current
	s.current = seenRound{}
	isPing := strings.HasPrefix(strings.TrimSpace(round.plain), "--")
	if s.unit == nil {
		s.unit = &unit{session: s.number, params: s.params}
	}
	if len(round.execs) > 0 || round.plain != "" && !isPing {
		s.unit.rounds = append(s.unit.rounds, round)
	}
	if state != 'I' {
		return
	}
	if len(s.unit.rounds) > 0 {
		s.tap.units = append(s.tap.units, s.unit)
	}
	s.unit = nil
}

// sequence is what tells units apart that do other things.
func (u *unit) sequence() string {
	var b strings.Builder
	for _, r := range u.rounds {
		b.WriteString(r.plain + "|")
		for _, e := range r.execs {
			b.WriteString(e.sql + ";" + strconv.FormatBool(e.unnamed) + ";")
		}
	}
	return b.String()
}

func (u *unit) execs() []*seenExec {
	var all []*seenExec
	for _, r := range u.rounds {
		all = append(all, r.execs...)
	}
	return all
}

var errNothingSaid = errors.New("the service said nothing to the database")
