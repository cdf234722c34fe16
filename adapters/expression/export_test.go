package expression

import (
	"slices"
	"strings"
	"time"
	"unicode"

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

// AttributesOfActor are those of the variable actor.
func AttributesOfActor() []string { return actorKind.names() }

// Signatures are the functions that an expression can call by name, without operators.
func (c *Compiler) Signatures() []string {
	var all []string
	for name, f := range c.environments["client"].Functions() {
		if name == "" || name == "in" || !unicode.IsLetter(rune(name[0])) {
			continue
		}
		for _, o := range f.OverloadDecls() {
			types := plainTexts(o.ArgTypes())
			signature := name + "(" + strings.Join(types, ", ") + ")"
			if o.IsMemberFunction() {
				signature = types[0] + "." + name + "(" + strings.Join(types[1:], ", ") + ")"
			}
			all = append(all, signature+": "+plainText(o.ResultType()))
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

var plainly = strings.NewReplacer("wrapper(int)", "id", "google.protobuf.Timestamp", "timestamp", "google.protobuf.Duration", "duration")

func plainText(t *cel.Type) string { return plainly.Replace(t.String()) }

func plainTexts(types []*cel.Type) []string {
	texts := make([]string, len(types))
	for i, t := range types {
		texts[i] = plainText(t)
	}
	return texts
}
