package pgsummary

import "strings"

// The statements are put together once, when the program starts. Each function
// returns SQL without an indentation of its own, so that nested and with can
// format the whole; testdata has the statements in full.

func nested(sql string) string { return "(\n" + indented(sql) + "\n)" }

func indented(sql string) string {
	return "    " + strings.ReplaceAll(sql, "\n", "\n    ")
}

// A cte is a select in a with clause.
type cte struct {
	name string // with "as" or "as materialized" behind it
	sql  string
}

// with returns the clause, and the line break behind it.
func with(all ...cte) string {
	parts := make([]string, len(all))
	for i, c := range all {
		parts[i] = c.name + " " + nested(c.sql)
	}
	return "with " + strings.Join(parts, ", ") + "\n"
}

// each returns the pattern for each of the names, which take the place of {}.
func each(names []string, pattern, between string) string {
	return strings.Join(eachOf(names, pattern), between)
}

func commas(names []string) string { return strings.Join(names, ", ") }

// lineWidth is what a clause may have before each of its items gets a line.
const lineWidth = 100

func clause(keyword string, items []string) string {
	if line := keyword + " " + commas(items); len(line) <= lineWidth {
		return line
	}
	return keyword + "\n    " + strings.Join(items, ",\n    ")
}

func eachOf(names []string, pattern string) []string {
	parts := make([]string, len(names))
	for i, name := range names {
		parts[i] = strings.ReplaceAll(pattern, "{}", name)
	}
	return parts
}
