package floor

import (
	"bytes"
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Server answers as the scripts say.
type Server struct {
	*player
	exact     map[string]*Script // by method, address and body
	templates map[string]*Script // the same without the word
	checked   atomic.Int64       // when the token was last looked up, in nanoseconds
}

// New makes a server with pools of so many connections.
func New(ctx context.Context, file *File, databaseURL string, connections int) (*Server, error) {
	p, err := newPlayer(ctx, file, databaseURL, connections)
	if err != nil {
		return nil, err
	}
	s := &Server{player: p, exact: map[string]*Script{}, templates: map[string]*Script{}}
	for i := range file.Scripts {
		script := &file.Scripts[i]
		if script.Word == "" {
			s.exact[script.Method+script.URI+script.Body] = script
			continue
		}
		s.templates[script.Method+strings.TrimSuffix(script.URI, script.Word)+script.Body] = script
	}
	return s, nil
}

// Close ends the connections.
func (s *Server) Close() {
	for _, pool := range s.pools {
		pool.Close()
	}
}

var buffers = sync.Pool{New: func() any { b := make([]byte, 0, 1<<14); return &b }}

// What a word in a body begins with, and how long it is.
const (
	WordMark   = "zq"
	WordLength = 12
)

var errNoScript = errors.New("nothing like this was seen before")

// ServeHTTP answers one request.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := s.admit(r); err != nil {
		http.Error(w, err.Error(), http.StatusUnauthorized)
		return
	}
	script, word, err := s.find(r)
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	pooled := buffers.Get().(*[]byte)
	defer buffers.Put(pooled)
	program := &s.file.Programs[script.Program]
	body := program.Begin((*pooled)[:0])
	rows := 0
	err = s.play(r.Context(), script.Pool, script.Rounds, script.Shown, word, func(cells [][]byte) {
		if rows++; rows > 1 {
			body = append(body, ',')
		}
		body = program.Record(body, cells)
	})
	*pooled = body
	if err == nil && !program.List && rows == 0 {
		err = errNoScript
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	body = program.End(body)
	*pooled = body
	h := w.Header()
	if script.Page != nil {
		paginate(h, script.Page, r.Host)
	}
	h["Content-Type"] = contentType
	h["Content-Length"] = []string{strconv.Itoa(len(body))}
	_, _ = w.Write(body) // a caller that went away needs no answer
}

var contentType = []string{"application/json; charset=utf-8"}

func paginate(h http.Header, p *Page, host string) {
	for i, value := range []string{p.Total, p.Pages, p.Number, p.Size} {
		text := []string{value}
		h[underscored[i]], h[hyphened[i]] = text, text
	}
	var b strings.Builder
	for i, l := range p.Links {
		if i > 0 {
			b.WriteString(", ")
		}
		b.WriteString("<http://")
		b.WriteString(host)
		b.WriteString(l.URI)
		b.WriteString(`>; rel="`)
		b.WriteString(l.Rel)
		b.WriteByte('"')
	}
	h["Link"] = []string{b.String()}
}

var (
	underscored = [...]string{"X_Pagination_Total_Count", "X_Pagination_Page_Count", "X_Pagination_Current_Page", "X_Pagination_Per_Page"}
	hyphened    = [...]string{"X-Pagination-Total-Count", "X-Pagination-Page-Count", "X-Pagination-Current-Page", "X-Pagination-Per-Page"}
)

// find is the script for a request, and the word in it.
func (s *Server) find(r *http.Request) (script *Script, word []byte, err error) {
	var body []byte
	if r.Method != http.MethodGet {
		if body, err = io.ReadAll(r.Body); err != nil {
			return nil, nil, err
		}
	}
	if script := s.exact[r.Method+r.RequestURI+string(body)]; script != nil {
		return script, nil, nil
	}
	if r.Method != http.MethodGet {
		at := bytes.Index(body, []byte(WordMark))
		if at < 0 || at+WordLength > len(body) {
			return nil, nil, errNoScript
		}
		word = body[at : at+WordLength : at+WordLength]
		if script = s.templates[r.Method+r.RequestURI+string(body[:at])+string(body[at+WordLength:])]; script == nil {
			return nil, nil, errNoScript
		}
		return script, word, nil
	}
	end := strings.LastIndexByte(r.RequestURI, '=') + 1
	if script = s.templates[r.Method+r.RequestURI[:end]]; script == nil {
		return nil, nil, errNoScript
	}
	text, err := url.QueryUnescape(r.RequestURI[end:])
	return script, []byte(text), err
}

// rememberFor is how long Kontor, too, believes what it found out about a token.
const rememberFor = 2 * time.Second

// admit checks the token: its form and hash at each request, and the database every two seconds.
func (s *Server) admit(r *http.Request) error {
	refused := errors.New("a token is needed")
	raw, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer kt_")
	public, secret, _ := strings.Cut(raw, "_")
	hash := sha256.Sum256([]byte(secret))
	if !ok || public != s.file.Token.Public || subtle.ConstantTimeCompare(hash[:], s.file.Token.Hash) != 1 {
		return refused
	}
	now := time.Now().UnixNano()
	if last := s.checked.Load(); now-last < int64(rememberFor) {
		return nil
	}
	known := false
	rounds := []Round{{Execs: []Exec{s.file.Token.Statement}}}
	err := s.play(r.Context(), s.file.Token.Pool, rounds, Shown{}, nil, func(cells [][]byte) {
		known = bytes.Equal(cells[s.file.Token.Column], hash[:])
	})
	if err != nil {
		return err
	}
	if !known {
		return refused
	}
	s.checked.Store(now)
	return nil
}
