package httpapi

import (
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/adapters/httpapi/page"
)

// searchParameter is the search field of a list. Only pages know it: the page of a search has the filter that finds something.
const searchParameter = "_search"

// sameAsName is the filter of clients that is the same as their name.
const sameAsName = "search"

// searchable are the filters that a search tries, in this order.
var searchable = []string{"number", "name", "company", "email", "reference", "ref"}

// searchNames are the filters that a search in the list tries.
func searchNames(o apidoc.Operation) (names []string) {
	for _, name := range searchable {
		if slices.ContainsFunc(o.Filters, func(p apidoc.Parameter) bool { return p.Name == name }) {
			names = append(names, name)
		}
	}
	return names
}

// search returns the page of the records that the text finds by the first filter that finds any, or else by the first one.
// Other filters stay.
func (c *call) search(text string) string {
	names := searchNames(c.route.describe())
	filters := []string{searchParameter, ""}
	for name := range c.query.Values {
		if !slices.Contains(tokenParameters, name) && name != searchParameter {
			filters = append(filters, name, lastOf(c.query.Values, name))
		}
	}
	if len(names) == 0 {
		return c.with(filters...)
	}
	found := slices.IndexFunc(names, func(name string) bool {
		_, a := c.beside(c.route.path, c.id, jsonFormat, append(filters, name, text, "page", "1", "per_page", "1", "cursor", "")...)
		return a != nil && a.rows.Total > 0
	})
	return c.with(append(filters, names[max(found, 0)], text)...)
}

// searchField returns the search field of a list, with the first of its filters that is set.
func (c *call) searchField(o apidoc.Operation) page.Search {
	names := searchNames(o)
	s := page.Search{Pair: page.Pair{Name: searchParameter}}
	for _, name := range names {
		s.Names = append(s.Names, strings.ToLower(apidoc.Words(name)))
	}
	set := slices.IndexFunc(names, func(name string) bool { return lastOf(c.query.Values, name) != "" })
	if set < 0 {
		return s
	}
	s.By = names[set]
	s.Value = strings.TrimSpace(lastOf(c.query.Values, s.By))
	for _, name := range names {
		if name != s.By && lastOf(c.query.Values, name) == "" {
			s.Other = append(s.Other, page.Link{Text: strings.ToLower(apidoc.Words(name)), URL: c.with(s.By, "", name, s.Value)})
		}
	}
	return s
}
