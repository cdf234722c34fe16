package httpapi

import (
	"net/http"
	"strings"
)

// The headers of preferences (RFC 7240), and the only one that is known.
const (
	prefer            = "Prefer"
	preferenceApplied = "Preference-Applied"
	dryRun            = "dry-run"
)

// dryRunParameter asks for a dry run in the query.
const dryRunParameter = "dry_run"

// prefersDryRun reports whether the request asks for a dry run. A value of the preference is
// ignored: what is not meant to be stored must not be because of a spelling.
func prefersDryRun(h http.Header) bool {
	for preference := range strings.SplitSeq(strings.Join(h.Values(prefer), ","), ",") {
		name, _, _ := strings.Cut(preference, ";")
		name, _, _ = strings.Cut(name, "=")
		if strings.EqualFold(strings.TrimSpace(name), dryRun) {
			return true
		}
	}
	return false
}
