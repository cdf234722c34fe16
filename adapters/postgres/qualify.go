package postgres

import (
	"io/fs"
	"regexp"
	"strings"
	"sync"

	"github.com/jackc/pgx/v5"

	"github.com/kontor-crm/kontor/adapters/postgres/cache"
	"github.com/kontor-crm/kontor/migrations"
	"github.com/kontor-crm/kontor/ports/company"
)

// tables are the names of those that a company has, or has had: the migrations create them.
var tables = sync.OnceValue(func() map[string]bool {
	found := map[string]bool{migrationsTable: true}
	names, _ := fs.Glob(migrations.FS, "*.sql") // fails for a malformed pattern only
	for _, name := range names {
		text, _ := migrations.FS.ReadFile(name) // it is part of the program
		for _, match := range createTable.FindAllSubmatch(text, -1) {
			found[string(match[1])] = true
		}
	}
	return found
})

var createTable = regexp.MustCompile(`(?m)^create (?:unlogged )?table ([a-z_]+)`)

func precedesTables(word string) bool {
	switch word {
	case "from", "FROM", "join", "JOIN", "into", "update", "using":
		return true
	}
	return false
}

// Qualify puts the schema of the company in front of the tables of a statement, and its code
// into a comment in front of it all. Without a company the statement remains as it is.
//
// Chose to find tables by the word before them over a parser, because the statements are ours,
// and one that is not understood fails. Costs that a list of tables is written with joins
// instead of commas, and that no common table expression has the name of a table.
func Qualify(sql string, of company.Code) string {
	if of == "" {
		return sql
	}
	schema := of.Schema()
	var b strings.Builder
	b.Grow(len(sql) + 8*len(schema))
	b.WriteString(tag(of))
	replaceTables(&b, sql, func(b *strings.Builder, table string) {
		b.WriteString(schema)
		b.WriteByte('.')
		b.WriteString(table)
	})
	return b.String()
}

// tag is the comment in front of the statements of a company.
func tag(of company.Code) string { return "/*" + string(of) + "*/ " }

// replaceTables writes the statement with its tables as write writes them.
func replaceTables(b *strings.Builder, sql string, write func(b *strings.Builder, table string)) {
	copied := 0
	for _, at := range tablesIn(sql) {
		b.WriteString(sql[copied:at.begin])
		write(b, sql[at.begin:at.end])
		copied = at.end
	}
	b.WriteString(sql[copied:])
}

// span is a part of a text.
type span struct{ begin, end int }

// tableSpans has the results of tablesIn: finding the tables takes longer than all else that Qualify
// does.
var tableSpans cache.Bounded[string, *[]span]

// tablesIn returns where the names of tables are in the statement.
func tablesIn(sql string) []span {
	if known, ok := tableSpans.Get(sql); ok {
		return *known
	}
	known, mayFollow := tables(), false
	var spans []span
	for i := 0; i < len(sql); {
		end := tokenEnd(sql, i)
		switch token := sql[i:end]; {
		case isSpace(token) || isComment(token):
		case mayFollow && known[token]:
			spans = append(spans, span{i, end})
			mayFollow = false
		default:
			mayFollow = precedesTables(token)
		}
		i = end
	}
	tableSpans.Put(sql, &spans)
	return spans
}

func qualifyAll(b *pgx.Batch, of company.Code) *pgx.Batch {
	if of != "" {
		for _, q := range b.QueuedQueries {
			q.SQL = Qualify(q.SQL, of)
		}
	}
	return b
}

// unqualified is the statement as it was before its tables were named as in the schema of a
// company, or on a worker.
func unqualified(sql string) string {
	rest, isQualified := strings.CutPrefix(sql, "/*")
	if !isQualified {
		return sql
	}
	digits, rest, _ := strings.Cut(rest, "*/ ")
	code, isCode := company.ParseCode(digits)
	if !isCode {
		return sql
	}
	parts := strings.Split(rest, code.Schema()+".")
	for i, part := range parts[1:] {
		name := part[:skip(part, 0, isWordByte)]
		parts[1+i] = strings.TrimSuffix(strings.TrimRight(name, "0123456789"), "_") + part[len(name):]
	}
	return strings.Join(parts, "")
}

// tokenEnd is where the token at i ends: a word, a quoted text or name, a comment, blanks, or a
// single other character.
func tokenEnd(sql string, i int) int {
	switch c := sql[i]; {
	case isWordByte(c):
		return skip(sql, i, isWordByte)
	case isSpaceByte(c):
		return skip(sql, i, isSpaceByte)
	case c == '\'' || c == '"':
		return after(sql, i+1, string(c))
	case strings.HasPrefix(sql[i:], "--"):
		return after(sql, i, "\n")
	case strings.HasPrefix(sql[i:], "/*"):
		return after(sql, i+2, "*/")
	}
	return i + 1
}

func skip(sql string, i int, belongs func(byte) bool) int {
	for i < len(sql) && belongs(sql[i]) {
		i++
	}
	return i
}

// after is the end of the next occurrence, or of the statement.
func after(sql string, i int, what string) int {
	if n := strings.Index(sql[i:], what); n >= 0 {
		return i + n + len(what)
	}
	return len(sql)
}

func isWordByte(c byte) bool {
	return 'a' <= c && c <= 'z' || c == '_' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

func isSpaceByte(c byte) bool { return c == ' ' || c == '\n' || c == '\t' }

func isSpace(token string) bool { return isSpaceByte(token[0]) }

func isComment(token string) bool {
	return strings.HasPrefix(token, "--") || strings.HasPrefix(token, "/*")
}
