package api_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/adapters/httpapi/apidoc"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 2.61
func TestEveryReferenceNamesAResourceWithAPage(t *testing.T) {
	t.Parallel()
	all := operations()
	check := func(where, refers string) {
		t.Helper()
		if !slices.ContainsFunc(all, func(o apidoc.Operation) bool { return o.Path == "/rest/"+refers+"/{id}" && o.Verb == apidoc.Read }) {
			t.Errorf("%s refers to %q", where, refers)
		}
	}
	var walk func(where string, attributes []readmodel.Attribute)
	walk = func(where string, attributes []readmodel.Attribute) {
		for _, a := range attributes {
			isReference := a.Kind == readmodel.ID && strings.HasSuffix(a.Name, "_id") && a.Name != "record_id"
			if a.Refers != "" || isReference {
				check(where+"."+a.Name, a.Refers)
			}
			walk(where+"."+a.Name, a.Of)
		}
	}
	for _, o := range all {
		if o.Table == nil {
			continue
		}
		walk(o.Path, o.Table.Attributes)
		for _, p := range o.Filters {
			if strings.HasSuffix(p.Name, "_id") && p.Name != "status_id" || p.Refers != "" {
				check(o.Path+"?"+p.Name, p.Refers)
			}
		}
	}
}
