package expression

import (
	"slices"
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

// FunctionNames are those of all functions, without operators, with facts. before the facts.
func FunctionNames(c *Compiler) (names []string) {
	for name := range c.base.Functions() {
		_, isFact := factsByName[name]
		switch {
		case isFact:
			names = append(names, "facts."+name)
		case name != "" && name != "in" && !strings.ContainsAny(name, "_@!?"): // operators
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// AttributesOf are the attributes of before and after, with their types.
func AttributesOf(resource string) []string { return attributesOf(resources[resource]) }

// AttributesOfLine are those of an element of items.
func AttributesOfLine() []string { return attributesOf(lineKind) }

// AttributesOfPaymentItem are those of an element of the items of a payment.
func AttributesOfPaymentItem() []string { return attributesOf(paymentItemKind) }

// AttributesOfTerms are those of the terms of an invoice.
func AttributesOfTerms() []string { return attributesOf(termsKind) }

// AttributesOfParty are those of the party of a client or performer.
func AttributesOfParty(resource string) []string {
	a, _ := resources[resource].attribute("party")
	return attributesOf(kinds[a.typ.TypeName()])
}

func attributesOf(k *kind) (all []string) {
	for _, a := range k.attributes {
		described := a.name + " " + strings.ReplaceAll(plainText(a.typ), "id", "int")
		if a.isOptional {
			described += "?"
		}
		all = append(all, described)
	}
	return all
}

var plainly = strings.NewReplacer("wrapper(int)", "id", "google.protobuf.Timestamp", "timestamp", "google.protobuf.Duration", "duration")

func plainText(t *cel.Type) string { return plainly.Replace(t.String()) }
