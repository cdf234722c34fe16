package token

import (
	"slices"
	"strings"

	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/domain/text"
)

// Scopes are the resources that a token may read or write, as comma-separated texts like invoice:read and
// client:write. Empty: whatever its user may. They can be compared with ==.
type Scopes string

// The accesses of a scope.
const (
	read  = "read"
	write = "write" // and read
)

// ParseScopes returns the scopes, each once and sorted. Those that do not name one of the resources and one
// of the accesses are a fault.Invalid, which says what was probably meant.
func ParseScopes(scopes, resources []string) (Scopes, error) {
	var known, parsed []string
	for _, resource := range resources {
		known = append(known, resource+":"+read, resource+":"+write)
	}
	var c fault.Collector
	for _, scope := range scopes {
		scope = strings.TrimSpace(scope)
		meant := text.Nearest(scope, known)
		switch {
		case slices.Contains(known, scope):
			parsed = append(parsed, scope)
		case meant != "":
			c.Add("scope "+scope, "is unknown; did you mean %s?", meant)
		default:
			c.Add("scope "+scope, "is unknown: it is RESOURCE:read or RESOURCE:write, with one of the resources %s", strings.Join(resources, ", "))
		}
	}
	slices.Sort(parsed)
	return Scopes(strings.Join(slices.Compact(parsed), ",")), c.Err()
}

// CheckRead returns a fault.Forbidden that names the scope, if a token with these scopes may not read the
// resource.
func (s Scopes) CheckRead(resource string) error {
	if s.has(resource + ":" + write) {
		return nil
	}
	return s.check(resource + ":" + read)
}

// CheckWrite is like CheckRead, for writing.
func (s Scopes) CheckWrite(resource string) error { return s.check(resource + ":" + write) }

func (s Scopes) check(scope string) error {
	if s == "" || s.has(scope) {
		return nil
	}
	return fault.New(fault.Forbidden, "the token needs the scope %s", scope)
}

func (s Scopes) has(scope string) bool { return slices.Contains(strings.Split(string(s), ","), scope) }

// Covers reports whether a token with these scopes may do all that one with the others may.
func (s Scopes) Covers(others Scopes) bool {
	if s == "" || others == "" {
		return s == ""
	}
	for scope := range strings.SplitSeq(string(others), ",") {
		resource, _ := strings.CutSuffix(scope, ":"+read)
		if !s.has(scope) && !s.has(resource+":"+write) {
			return false
		}
	}
	return true
}
