package pgread

import (
	"fmt"
	"slices"
	"strings"
)

// The parameters that statements of all lists have. Those of a reader's filters
// follow them.
const (
	paramOffset      = iota // how many rows are before the page
	paramCursorKey          // the sort key in a cursor
	paramCursorID           // the id in a cursor
	paramID                 // the id of the one record that is read
	paramMatchCount         // the cached match count
	paramMatchBatch         // the first batch that it does not include
	paramMatchToken         // the token of this position
	paramNewestMatch        // when the newest match was created
	paramMatchIDs           // the ids of the matches
	paramScanLimit          // how many rows a scan for matches reads
	commonParams
)

var commonNames = [commonParams]string{
	paramOffset: "offset", paramCursorKey: "cursor_key", paramCursorID: "cursor_id", paramID: "id", paramMatchCount: "match_count",
	paramMatchBatch: "match_batch", paramMatchToken: "match_token", paramNewestMatch: "newest_match", paramMatchIDs: "match_ids", paramScanLimit: "scan_limit",
}

// parameterNames are the names that SQL of a reader may use, each as :name.
type parameterNames []string

// params are the values of the parameters, at the same index as their names.
type params []any

// bind replaces each :name by the $n of its first use. args are the indexes of the
// values that the statement takes. An unknown name is an error.
func (names parameterNames) bind(named string) (sql string, args []int, err error) {
	var b strings.Builder
	rest := named
	for {
		before, name, behind, found := cutParameter(rest)
		b.WriteString(before)
		if !found {
			return b.String(), args, nil
		}
		at := slices.Index(names, name)
		if at < 0 {
			return "", nil, fmt.Errorf("no parameter is named %s in: %s", name, named)
		}
		n := slices.Index(args, at)
		if n < 0 {
			n, args = len(args), append(args, at)
		}
		fmt.Fprintf(&b, "$%d", n+1)
		rest = behind
	}
}

// cutParameter cuts SQL around its first :name. A cast has two colons.
func cutParameter(sql string) (before, name, behind string, found bool) {
	for at := 0; at < len(sql); at++ {
		if sql[at] != ':' {
			continue
		}
		end := at + 1
		for end < len(sql) && (sql[end] == '_' || 'a' <= sql[end] && sql[end] <= 'z') {
			end++
		}
		if end > at+1 {
			return sql[:at], sql[at+1 : end], sql[end:], true
		}
		at++ // the second colon of a cast
	}
	return sql, "", "", false
}

func parametersIn(sql string) (names []string) {
	for {
		_, name, behind, found := cutParameter(sql)
		if !found {
			return names
		}
		names, sql = append(names, name), behind
	}
}
