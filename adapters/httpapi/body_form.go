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
)

// decodeForm reads a body of application/x-www-form-urlencoded.
func decodeForm(raw []byte) (node, error) {
	var pairs []formPair
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
		pairs = append(pairs, formPair{name, value})
	}
	return formRecord(pairs)
}

// decodeMultipart reads a body of multipart/form-data that holds fields only.
func decodeMultipart(raw []byte, boundary string) (node, error) {
	if boundary == "" {
		return node{}, fault.New(fault.Malformed, "the content type of a multipart body must name its boundary")
	}
	var pairs []formPair
	parts := multipart.NewReader(bytes.NewReader(raw), boundary)
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return formRecord(pairs)
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
		pairs = append(pairs, formPair{part.FormName(), string(value)})
	}
}

// formPair is a field of a form; the name may lead into lists and records:
// items[0][name].
type formPair struct {
	name, value string
}

// formRecord is the record that the pairs make up. Of a field that is sent
// twice, the last counts.
func formRecord(pairs []formPair) (node, error) {
	root := node{kind: record, fields: map[string]node{}}
	for _, p := range pairs {
		path, ok := formPath(p.name)
		if !ok {
			return node{}, fault.New(fault.Malformed, "the body has a field %q: write a name, or items[0][name]", p.name)
		}
		if len(path) > maxDepth {
			return node{}, tooDeep()
		}
		root.plant(path, asText(p.value))
	}
	return root.withLists(), nil
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

// plant puts a value where the path leads.
func (n node) plant(path []string, value string) {
	name := path[0]
	if len(path) == 1 {
		n.fields[name] = node{kind: scalar, text: value}
		return
	}
	child := n.fields[name]
	if child.kind != record {
		child = node{kind: record, fields: map[string]node{}}
		n.fields[name] = child
	}
	child.plant(path[1:], value)
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
