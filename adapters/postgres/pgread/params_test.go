package pgread

import (
	"slices"
	"strings"
	"testing"
)

func TestParametersAreBoundToTheFirstUseOfTheirNames(t *testing.T) {
	names := parameterNames{"offset", "name", "status_of_any_year"}
	sql, args, err := names.bind("select x::text from t where a = :status_of_any_year and b in (:offset::bigint, :name, :offset)")
	if want := "select x::text from t where a = $1 and b in ($2::bigint, $3, $2)"; err != nil || sql != want {
		t.Errorf("got %s, %v", sql, err)
	}
	if want := []int{2, 0, 1}; !slices.Equal(args, want) {
		t.Errorf("the values are %v, want %v", args, want)
	}
}

func TestParameterOfUnknownNameIsRejected(t *testing.T) {
	if _, _, err := (parameterNames{"offset"}).bind("select :ofset"); err == nil || !strings.Contains(err.Error(), "ofset") {
		t.Errorf("got %v", err)
	}
}

func TestReaderRejectsWrongParametersWhenItIsMade(t *testing.T) {
	values := func(struct{}, []any) bool { return false }
	for name, filters := range map[string][]filter[struct{}]{
		"a parameter that the SQL does not have": {{params: []string{"name", "city"}, values: values, where: "r.name = :name"}},
		"SQL with an unknown parameter":          {{params: []string{"name"}, values: values, where: "r.name = :nam"}},
		"two parameters of one name": {
			{params: []string{"name"}, values: values, where: "r.name = :name"}, {params: []string{"name"}, values: values, where: "r.city = :name"},
		},
		"a parameter of every list": {{params: []string{"offset"}, values: values, where: "r.name = :offset"}},
	} {
		t.Run(name, func(t *testing.T) {
			defer func() {
				if recover() == nil {
					t.Error("the reader is made")
				}
			}()
			newReader(nil, clients, filters...)
		})
	}
}
