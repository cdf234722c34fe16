package api_test

import (
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"
)

// bodyOf returns the schema of the body of the operation; nil if there is none.
func bodyOf(operation *openapi3.Operation) *openapi3.Schema {
	if operation == nil || operation.RequestBody == nil {
		return nil
	}
	return operation.RequestBody.Value.Content["application/json"].Schema.Value
}

// misfit returns a value that no attribute of the schema accepts.
func misfit(s *openapi3.Schema) any {
	if s.Type != nil && s.Type.Includes("array") {
		return "x"
	}
	return []int{1}
}

// fitting returns the sample as a record that can have the attribute.
func (sample fields) fitting(name string) fields {
	body := maps.Clone(another(sample).(fields))
	if name == "person_details" {
		body["type"] = 2
	}
	return body
}

// withField returns the sample with one more attribute.
func (sample fields) withField(name string, value any) fields {
	body := sample.fitting(name)
	body[name] = value
	return body
}

// creation is an operation of the document that creates a record.
type creation struct {
	path   string
	sample fields // a valid body
	body   *openapi3.Schema
	record *openapi3.PathItem // of the created record
}

// creations returns all creations of the document.
func creations() (all []creation) {
	paths := described().whole.Paths
	for path, item := range paths.Map() {
		if body := bodyOf(item.Post); body != nil && paths.Find(path+"/{id}") != nil && paths.Find(path+"/{id}").Put != nil {
			all = append(all, creation{path: path, sample: samples[path], body: body, record: paths.Find(path + "/{id}")})
		}
	}
	return all
}

// contract 1.53
func TestOpenAPIRequiredFieldsMatchService(t *testing.T) {
	t.Parallel()
	s := startBilling(t)
	for _, c := range creations() {
		t.Run(c.path, func(t *testing.T) {
			want := slices.Clone(c.body.Required)
			if c.path == "/rest/contact" {
				want = append(want, "client_id", "deal_id") // one of them is required
			}
			if c.path == "/rest/invoice" {
				want = append(want, "number") // which the performer of the sample does not draw from a series
			}
			got := s.as("admin").post(c.path, fields{}).wrongFields()
			slices.Sort(want)
			slices.Sort(got)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-required by the document +by the service\n%s", diff)
			}
			for _, name := range c.body.Required {
				if _, ok := c.sample[name]; !ok {
					t.Errorf("the sample lacks %s, which the document requires", name)
				}
			}
		})
	}
}

// contract 1.53
func TestOpenAPIWriteFieldsAreRead(t *testing.T) {
	t.Parallel()
	admin := startWithSamples(t).as("admin")
	for _, c := range creations() {
		t.Run(c.path, func(t *testing.T) {
			changes := bodyOf(c.record.Put).Properties
			for name, property := range c.body.Properties {
				wrong := misfit(property.Value)
				if got := admin.post(c.path, c.sample.withField(name, wrong)).wrongFields(); !slices.Contains(got, name) {
					t.Errorf("a creation with %s = %v: wrong fields %v", name, wrong, got)
				}
				record := c.path + "/" + admin.post(c.path, c.sample.fitting(name)).id()
				update := admin.put(record, fields{name: wrong})
				if _, read := changes[name]; read != (update.status == http.StatusUnprocessableEntity) {
					t.Errorf("the document lists %s for an update: %v, but the response is %d", name, read, update.status)
				}
			}
			for name := range changes {
				if c.body.Properties[name] == nil {
					t.Errorf("%s can be changed but not given", name)
				}
			}
			if len(bodyOf(c.record.Put).Required) != 0 || !cmp.Equal(slices.Sorted(maps.Keys(changes)), slices.Sorted(maps.Keys(bodyOf(c.record.Patch).Properties))) {
				t.Error("PUT and PATCH are described as different")
			}
		})
	}
}

// contract 4.68
func TestTextThatCannotBeStoredIsNamed(t *testing.T) {
	t.Parallel()
	admin := startWithSamples(t).as("admin")
	for _, c := range creations() {
		t.Run(c.path, func(t *testing.T) {
			for name, property := range c.body.Properties {
				if property.Value.Type == nil || !property.Value.Type.Includes("string") {
					continue
				}
				if got := admin.post(c.path, c.sample.withField(name, "a\x00")).wrongFields(); !slices.Contains(got, name) {
					t.Errorf("a creation with NUL in %s: wrong fields %v", name, got)
				}
			}
		})
	}
}

// alias matches the other name of a field in its description.
var alias = regexp.MustCompile("`(\\w+)` is accepted instead")

// contract 1.53
func TestOpenAPIWriteFieldsAreComplete(t *testing.T) {
	t.Parallel()
	admin := startWithSamples(t).as("admin")
	everything := fields{}
	for _, schema := range described().whole.Components.Schemas {
		for name, property := range schema.Value.Properties {
			everything[name] = misfit(property.Value)
		}
	}
	for _, c := range creations() {
		t.Run(c.path, func(t *testing.T) {
			listed := map[string]bool{}
			for name, property := range c.body.Properties {
				listed[name] = true
				if other := alias.FindStringSubmatch(property.Value.Description); other != nil {
					listed[other[1]] = true
				}
			}
			known := maps.Clone(everything)
			for _, e := range admin.post(c.path, everything).rejected(http.StatusUnprocessableEntity).Errors {
				if strings.HasPrefix(e.Message, "is unknown") {
					delete(known, e.Field)
				}
			}
			for _, name := range admin.post(c.path, known).wrongFields() {
				if attribute, _, _ := strings.Cut(name, "["); !listed[attribute] { // whatever is wrong with an element
					t.Errorf("%s is read but not listed", name)
				}
			}
		})
	}
}

// contract 1.53, 2.30
func TestOpenAPINullableFieldsMatchService(t *testing.T) {
	t.Parallel()
	admin := startWithSamples(t).as("admin")
	for _, c := range creations() {
		t.Run(c.path, func(t *testing.T) {
			for name, property := range c.body.Properties {
				response := admin.post(c.path, c.sample.withField(name, nil))
				mayBe := property.Value.VisitJSON(nil, openapi3.EnableJSONSchema2020()) == nil
				if c.path == "/rest/contact" && name == "client_id" {
					mayBe = false // the sample has no other link
				}
				if c.path == "/rest/invoice" && name == "number" {
					mayBe = false // the performer of the sample does not draw it from a series
				}
				if taken := response.status == http.StatusOK; taken != mayBe {
					t.Errorf("%s may be null in the document: %v, but the response is %d %s", name, mayBe, response.status, response.body)
				}
			}
		})
	}
}

// contract 1.53, 4.69
func TestOpenAPITextLengthsMatchService(t *testing.T) {
	t.Parallel()
	admin := startWithSamples(t).as("admin")
	for _, c := range creations() {
		t.Run(c.path, func(t *testing.T) {
			for name, property := range c.body.Properties {
				longest := property.Value.MaxLength
				if longest == nil || c.path == "/rest/rule" && name == "field" { // the field of a rule is one of its resource
					continue
				}
				text := strings.Repeat("ä", int(*longest))
				switch name {
				case "email":
					text = "a@" + strings.Repeat("ä", int(*longest)-5) + ".de"
				case "expression":
					text = `"" != "` + strings.Repeat("ä", int(*longest)-8) + `"`
				}
				admin.post(c.path, c.sample.withField(name, text)).wants(http.StatusOK)
				if got := admin.post(c.path, c.sample.withField(name, "x"+text)).wrongFields(); !cmp.Equal(got, []string{name}) {
					t.Errorf("%s of %d characters: wrong fields %v", name, *longest+1, got)
				}
			}
		})
	}
}
