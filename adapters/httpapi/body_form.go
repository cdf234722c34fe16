package httpapi

import (
	"bytes"
	"errors"
	"io"
	"mime/multipart"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/membudget"
)

// decodeForm reads a body of application/x-www-form-urlencoded.
func decodeForm(raw []byte, share *membudget.Share) (node, error) {
	f := newForm(share)
	for pair := range strings.SplitSeq(string(raw), "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		if err := errors.Join(nameErr, valueErr); err != nil {
			return node{}, fault.New(fault.Malformed, "the body is not a form: %s", err)
		}
		if err := f.add(name, value); err != nil {
			return node{}, err
		}
	}
	return f.root.withLists(), nil
}

// decodeMultipart reads a body of multipart/form-data that holds fields only.
func decodeMultipart(raw []byte, boundary string, share *membudget.Share) (node, error) {
	if boundary == "" {
		return node{}, fault.New(fault.Malformed, "the content type of a multipart body must name its boundary")
	}
	f := newForm(share)
	parts := multipart.NewReader(bytes.NewReader(raw), boundary)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) && isClosed(raw, boundary) {
			return f.root.withLists(), nil
		}
		if err != nil {
			return node{}, fault.New(fault.Malformed, "the body is not a multipart form: %s", err)
		}
		if part.FormName() == "" || part.FileName() != "" {
			return node{}, fault.New(fault.Malformed, "a multipart body may hold named fields only, and no files")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return node{}, fault.New(fault.Malformed, "the body is not a multipart form: %s", err)
		}
		if err := f.add(part.FormName(), string(value)); err != nil {
			return node{}, err
		}
	}
}

// isClosed tells whether a multipart body has the line that ends it. Its reader
// ends no differently where the body was cut off behind a part.
func isClosed(raw []byte, boundary string) bool {
	end := []byte("--" + boundary + "--")
	return bytes.HasPrefix(raw, end) || bytes.Contains(raw, append([]byte("\n"), end...))
}

// form is what the fields of a form make up, as far as they were read.
type form struct {
	root node
	tally
}

func newForm(share *membudget.Share) *form {
	return &form{node{kind: record, fields: map[string]node{}}, tally{1, share}}
}

// add takes a field; its name may lead into lists and records: items[0][name].
// Of a field that is sent twice, the last counts.
func (f *form) add(name, value string) error {
	path, ok := formPath(name)
	if !ok {
		return fault.New(fault.Malformed, "the body has a field %q: write a name, or items[0][name]", quoted(name))
	}
	if len(path) > maxDepth {
		return tooDeep()
	}
	return f.plant(path, asText(value))
}

// plant puts a value where the path leads.
func (f *form) plant(path []string, value string) error {
	at, last := f.root, len(path)-1
	for _, name := range path[:last] {
		child := at.fields[name]
		if child.kind != record {
			if err := errors.Join(f.value(), f.record()); err != nil {
				return err
			}
			child = node{kind: record, fields: map[string]node{}}
			at.fields[name] = child
		}
		at = child
	}
	if err := f.value(); err != nil {
		return err
	}
	at.fields[path[last]] = node{kind: scalar, text: value}
	return nil
}

// formPath takes items[0][name] apart.
func formPath(name string) (path []string, ok bool) {
	head, rest, _ := strings.Cut(name, "[")
	path = []string{head}
	if strings.Contains(head, "]") || head == "" {
		return nil, false
	}
	for step := range strings.SplitSeq(rest, "[") {
		if rest == "" {
			break
		}
		step, closed := strings.CutSuffix(step, "]")
		if !closed || step == "" || strings.Contains(step, "]") {
			return nil, false
		}
		path = append(path, step)
	}
	return path, true
}

// withLists turns every inner record whose names are all numbers into a list,
// in the order of the numbers; gaps close.
func (n node) withLists() node {
	for name, child := range n.fields {
		if child.kind == record {
			n.fields[name] = child.withLists().asList()
		}
	}
	return n
}

func (n node) asList() node {
	places := make([]int, 0, len(n.fields))
	for name := range n.fields {
		place, err := strconv.ParseUint(name, 10, 31)
		if err != nil || name != strconv.FormatUint(place, 10) {
			return n
		}
		places = append(places, int(place))
	}
	slices.Sort(places)
	l := node{kind: list}
	for _, place := range places {
		l.items = append(l.items, n.fields[strconv.Itoa(place)])
	}
	return l
}
