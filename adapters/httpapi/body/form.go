package body

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
)

func decodeForm(raw []byte) (Value, error) {
	if meant := meantInstead(raw); meant != "" {
		return Value{}, fault.New(fault.Malformed, "the body was read as a form because of its Content-Type, "+
			"application/x-www-form-urlencoded, but it looks like another type: send the header Content-Type: %s", meant)
	}
	f := newForm()
	for pair := range strings.SplitSeq(string(raw), "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, nameErr := url.QueryUnescape(name)
		value, valueErr := url.QueryUnescape(value)
		if err := errors.Join(nameErr, valueErr); err != nil {
			return Value{}, fault.New(fault.Malformed, "the body is not a form: %s", err)
		}
		if err := f.add(name, value); err != nil {
			return Value{}, err
		}
	}
	return f.root.withLists(), nil
}

// meantInstead returns the content type that a body begins like, if it is no form: programs such as curl
// send the type of a form unless they are told otherwise.
func meantInstead(raw []byte) string {
	switch start := bytes.TrimSpace(raw); {
	case bytes.HasPrefix(start, []byte("{")), bytes.HasPrefix(start, []byte("[")):
		return "application/json"
	case bytes.HasPrefix(start, []byte("<")):
		return "application/xml"
	}
	return ""
}

// decodeMultipart reads a body of multipart/form-data that holds fields only.
func decodeMultipart(raw []byte, boundary string) (Value, error) {
	if boundary == "" {
		return Value{}, fault.New(fault.Malformed, "the content type of a multipart body must name its boundary")
	}
	f := newForm()
	parts := multipart.NewReader(bytes.NewReader(raw), boundary)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) && isClosed(raw, boundary) {
			return f.root.withLists(), nil
		}
		if err != nil {
			return Value{}, fault.New(fault.Malformed, "the body is not a multipart form: %s", err)
		}
		if part.FormName() == "" || part.FileName() != "" {
			return Value{}, fault.New(fault.Malformed, "a multipart body may hold named fields only, no files")
		}
		value, err := io.ReadAll(part)
		if err != nil {
			return Value{}, fault.New(fault.Malformed, "the body is not a multipart form: %s", err)
		}
		if err := f.add(part.FormName(), string(value)); err != nil {
			return Value{}, err
		}
	}
}

// isClosed reports whether a multipart body has its closing line. The reader reports no
// error when the body is truncated after a part.
func isClosed(raw []byte, boundary string) bool {
	end := []byte("--" + boundary + "--")
	return bytes.HasPrefix(raw, end) || bytes.Contains(raw, append([]byte("\n"), end...))
}

type form struct {
	root Value
	tally
}

func newForm() *form {
	return &form{Value{Kind: Record, Fields: map[string]Value{}}, tally{1}}
}

// add adds a field; its name may be a path into lists and records: items[0][name]. Of a
// repeated field, the last counts.
func (f *form) add(name, value string) error {
	path, ok := formPath(name)
	if !ok {
		return fault.New(fault.Malformed, "the body has a field %q: write a name, or items[0][name]", quoted(name))
	}
	if len(path) > maxDepth {
		return tooDeep()
	}
	return f.set(path, value)
}

func (f *form) set(path []string, value string) error {
	at, last := f.root, len(path)-1
	for _, name := range path[:last] {
		child := at.Fields[name]
		if child.Kind != Record {
			if err := f.value(); err != nil {
				return err
			}
			child = Value{Kind: Record, Fields: map[string]Value{}}
			at.Fields[name] = child
		}
		at = child
	}
	if err := f.value(); err != nil {
		return err
	}
	at.Fields[path[last]] = untyped(value)
	return nil
}

// formPath splits items[0][name] into its steps.
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

// withLists turns each nested record whose names are all numbers into a list, in the order
// of the numbers; gaps close.
func (v Value) withLists() Value {
	for name, child := range v.Fields {
		if child.Kind == Record {
			v.Fields[name] = child.withLists().asList()
		}
	}
	return v
}

func (v Value) asList() Value {
	places := make([]int, 0, len(v.Fields))
	for name := range v.Fields {
		place, err := strconv.ParseUint(name, 10, 31)
		if err != nil || name != strconv.FormatUint(place, 10) {
			return v
		}
		places = append(places, int(place))
	}
	slices.Sort(places)
	l := Value{Kind: List}
	for _, place := range places {
		l.Items = append(l.Items, v.Fields[strconv.Itoa(place)])
	}
	return l
}
