package architecture

import (
	"fmt"
	"go/ast"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ban is SQL that a distributed PostgreSQL does not run, or that bypasses the
// stores. The patterns match lower-case text with single blanks, without comments
// and the content of string literals.
type ban struct {
	pattern *regexp.Regexp
	why     string
}

// bans are searched for in SQL and in all string literals of the stores, so they
// must be phrases that prose does not contain.
var bans = []ban{
	{regexp.MustCompile(`\b(create|alter|drop)( or replace)?( constraint| event)? trigger\b`), "no triggers: the stores write derived rows"},
	{regexp.MustCompile(`\b(create|alter|drop)( or replace)? (function|procedure|aggregate)\b`), "no functions in the database"},
	{regexp.MustCompile(`\bexecute (function|procedure)\b|\blanguage plpgsql\b|\$[a-z_]*\$`), "no code in the database"},
	{regexp.MustCompile(`\bcreate( or replace)? rule\b`), "no rewrite rules"},
	{regexp.MustCompile(`\bon (delete|update) (cascade|set null|set default)\b`), "no change of one table by another's: it bypasses the stores"},
	{regexp.MustCompile(`\bpg_notify ?\(|^(un)?listen [a-z_"*]+ ?(;|$)|^notify [a-z_"]+ ?(,|;|$)`), "no listen or notify: it needs one node"},
	{regexp.MustCompile(`\bpg_(current_snapshot|snapshot_x[a-z_]+|current_xact_id[a-z_]*|visible_in_snapshot|xact_status|export_snapshot)\b|\btxid_[a-z_]+ ?\(|\bxid8\b`), "no snapshot or transaction ids: they mean nothing across nodes"},
	{regexp.MustCompile(`\b"?public"? ?\. ?"?[a-z_]`), schemaName},
}

const schemaName = "no schema name: the search path decides"

// qualified matches a table after a keyword. It is searched for in statements only,
// as prose contains these words too.
var qualified = regexp.MustCompile(`\b(from|join|into|update|table|only|references|on) (if (?:not )?exists )?"?([a-z_][a-z0-9_]*)"? ?\. ?"?[a-z_][a-z0-9_]*"?( ?\(| |;|,|\)|$)`)

// CheckMigration complains of forbidden SQL in a migration, and of constraints and
// indexes without a name.
func CheckMigration(name, sql string) []string {
	var complaints []string
	for _, stmt := range statements(sql) {
		at := fmt.Sprintf("%s:%d", name, stmt.line)
		complaints = append(complaints, forbidden(at, stmt.text)...)
		complaints = append(complaints, qualifiedTables(at, stmt.text)...)
		complaints = append(complaints, unnamed(at, stmt.text)...)
	}
	return complaints
}

// CheckLiterals complains of forbidden SQL in a Go file's string literals.
func CheckLiterals(file File) []string {
	var complaints []string
	ast.Inspect(file.Syntax, func(node ast.Node) bool {
		literal, ok := node.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, err := strconv.Unquote(literal.Value)
		if err != nil {
			complaints = append(complaints, fmt.Sprintf("%s: %v", file.at(node), err))
			return true
		}
		for _, stmt := range statements(text) {
			complaints = append(complaints, forbidden(file.at(node), stmt.text)...)
			if verb.MatchString(stmt.text) {
				complaints = append(complaints, qualifiedTables(file.at(node), stmt.text)...)
			}
		}
		return true
	})
	return complaints
}

// verb matches the beginning of a statement.
var verb = regexp.MustCompile(`^(select|insert into|update|delete from|with|create|alter table|drop|lock table|truncate|copy|do \$|merge into) ?\b`)

func forbidden(at, text string) []string {
	var complaints []string
	for _, ban := range bans {
		if found := ban.pattern.FindString(text); found != "" {
			complaints = append(complaints, fmt.Sprintf("%s: %q: %s", at, found, ban.why))
		}
	}
	return complaints
}

// catalogues are the schemas that may be named: PostgreSQL's own, and that of the catalogue of
// companies, which is the same for all of them.
var catalogues = []string{"pg_catalog", "information_schema", "kontor_shared"}

// columnWords are constructs with a column after "from".
var columnWords = regexp.MustCompile(`\bis (not )?distinct from\b|\b(extract|trim|substring|overlay) ?\([^()]*? from\b`)

func qualifiedTables(at, text string) []string {
	var complaints []string
	text = columnWords.ReplaceAllString(text, "")
	for _, found := range qualified.FindAllStringSubmatch(text, -1) {
		word, schema := found[1], found[3]
		if slices.Contains(catalogues, schema) || schema == "public" {
			continue // public has its own ban
		}
		if word == "on" && !strings.HasPrefix(text, "create ") {
			continue // a join's condition begins with a column
		}
		complaints = append(complaints, fmt.Sprintf("%s: %q: %s", at, strings.TrimSpace(found[0]), schemaName))
	}
	return complaints
}

// unnamed complains of constraints and indexes without an explicit name.
func unnamed(at, text string) []string {
	words := tokens.FindAllString(text, -1)
	if isIndex(words) {
		if name := indexName(words); name == "" || name == "on" {
			return []string{at + ": an index without a name"}
		}
		return nil
	}
	if len(words) < 2 || words[1] != "table" {
		return nil
	}
	var complaints []string
	foreign := false
	for i, word := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		var kind string
		switch {
		case word == "primary" && next == "key", word == "foreign" && next == "key":
			kind = word + " key"
			foreign = word == "foreign"
		case word == "unique", word == "check", word == "exclude":
			kind = word
		case word == "references" && foreign:
			foreign = false // it belongs to the foreign key just seen
		case word == "references":
			kind = word
		}
		if kind != "" && (i < 2 || words[i-2] != "constraint") {
			complaints = append(complaints, fmt.Sprintf("%s: %s without a constraint's name", at, kind))
		}
	}
	return complaints
}

func isIndex(words []string) bool {
	return len(words) > 2 && words[0] == "create" && (words[1] == "index" || words[1] == "unique" && words[2] == "index")
}

// indexName is the first word after "index" that is not an option.
func indexName(words []string) string {
	for _, word := range words[slices.Index(words, "index")+1:] {
		if !slices.Contains([]string{"concurrently", "if", "not", "exists"}, word) {
			return word
		}
	}
	return ""
}

var tokens = regexp.MustCompile(`"[^"]*"|[a-z_][a-z0-9_]*|[^\sa-z_]`)

// statement is a statement of a script in lower case, without comments, with single
// blanks and empty string literals.
type statement struct {
	line int // of its beginning, from 1
	text string
}

// noise are the comments and literals that are removed.
var noise = regexp.MustCompile(`--[^\n]*|(?s:/\*.*?\*/)|'(?:[^']|'')*'`)

func statements(script string) []statement {
	clean := noise.ReplaceAllStringFunc(script, func(found string) string {
		if strings.HasPrefix(found, "'") {
			return "''" + strings.Repeat("\n", strings.Count(found, "\n"))
		}
		return " " + strings.Repeat("\n", strings.Count(found, "\n"))
	})
	var list []statement
	line := 1
	for part := range strings.SplitSeq(clean, ";") {
		body := strings.TrimLeft(part, " \t\r\n")
		lead := part[:len(part)-len(body)]
		if text := strings.Join(strings.Fields(strings.ToLower(body)), " "); text != "" {
			list = append(list, statement{line: line + strings.Count(lead, "\n"), text: text})
		}
		line += strings.Count(part, "\n")
	}
	return list
}
