package expression

import (
	"strings"
	"time"

	"github.com/google/cel-go/cel"
)

// WithLimit returns the compiler with another time limit of an evaluation.
func (c *Compiler) WithLimit(limit time.Duration) *Compiler {
	other := *c
	other.limit = limit
	return &other
}

// AttributesOf are the attributes of before and after, with their types.
func AttributesOf(resource string) (all []string) {
	for _, a := range resources[resource].attributes {
		all = append(all, a.name+" "+strings.ReplaceAll(plainText(a.typ), "id", "int"))
	}
	return all
}

var plainly = strings.NewReplacer("wrapper(int)", "id", "google.protobuf.Timestamp", "timestamp", "google.protobuf.Duration", "duration")

func plainText(t *cel.Type) string { return plainly.Replace(t.String()) }
