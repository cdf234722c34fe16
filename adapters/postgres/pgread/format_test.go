package pgread_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	shortQuery = 72  // a subselect that is no longer stays on its line
	longLine   = 100 // a list is continued on the next line behind this column
)

// format formats a statement: one clause per line, keywords in lower case, subselects
// indented. It changes white space and the case of keywords only.
func format(sql string) string {
	var nodes []node
	nodes, _ = parse(tokens.FindAllString(sql, -1))
	return strings.TrimSpace(selectClause(nodes, ""))
}

var tokens = regexp.MustCompile(`\s+|'[^']*'|"[^"]*"|[(),]|[^\s'"(),]+`)

// node is a word with the space before it, or what is inside of parentheses.
type node struct {
	word    string
	isSpace bool // there is a space before it
	group   []node
}

func parse(words []string) (nodes []node, rest []string) {
	isSpace := false
	for len(words) > 0 {
		word := words[0]
		words = words[1:]
		n := node{word: word, isSpace: isSpace}
		switch {
		case strings.TrimSpace(word) == "":
			isSpace = true
			continue
		case word == ")":
			return nodes, words
		case word == "(":
			n.group, words = parse(words)
		case word == strings.ToUpper(word) && word[0] != '\'':
			n.word = strings.ToLower(word)
		}
		nodes, isSpace = append(nodes, n), false
	}
	return nodes, nil
}

func (n node) isWord(words ...string) bool { return slices.Contains(words, n.word) }

// isQuery reports whether the nodes are a select, or some of them.
func isQuery(nodes []node) bool {
	return len(nodes) > 0 && (nodes[0].isWord("select", "with") || slices.ContainsFunc(nodes, func(n node) bool { return n.isWord("union") }))
}

// flat is the nodes on one line.
func flat(nodes []node) string {
	var b strings.Builder
	for _, n := range nodes {
		if n.isSpace {
			b.WriteByte(' ')
		}
		if b.WriteString(n.word); n.word == "(" {
			b.WriteString(flat(n.group) + ")")
		}
	}
	return b.String()
}

// selectClause formats a select, each clause on a line of its own.
func selectClause(nodes []node, indent string) string {
	var b strings.Builder
	column := 0
	write := func(text string) {
		b.WriteString(text)
		column += len(text)
	}
	line := func(indent string) {
		b.WriteString("\n" + indent)
		column = len(indent)
	}
	for i, n := range nodes {
		isFirst := i == 0 || nodes[i-1].isWord("left", "cross", "union", "lateral")
		switch {
		case !isFirst && n.isWord("select", "from", "where", "having", "group", "order", "limit", "offset", "left", "cross", "join", "union"):
			line(indent)
		case n.word == "(" && i > 0 && nodes[i-1].isWord("all"), column > longLine && i > 0 && nodes[i-1].isWord(","):
			line(indent + map[bool]string{true: "", false: "    "}[nodes[i-1].isWord("all")])
		case n.isWord("and") && i > 0 && !isBetween(nodes[:i]):
			line(indent + "    ")
		case n.isSpace && i > 0:
			write(" ")
		}
		write(n.word)
		if n.word != "(" {
			continue
		}
		text := flat(n.group)
		if len(text) > shortQuery {
			text = group(n.group, indent)
			if at := strings.LastIndexByte(text, '\n'); at >= 0 {
				column = -at
			}
		}
		write(text + ")")
	}
	return b.String()
}

// group is what is inside of parentheses and too long for a line.
func group(nodes []node, indent string) string {
	const deeper = "    "
	if isQuery(nodes) {
		return "\n" + indent + deeper + selectClause(nodes, indent+deeper) + "\n" + indent
	}
	var b strings.Builder
	for i, n := range nodes {
		if n.isWord("and") && len(flat(nodes)) > longLine && !isBetween(nodes[:i]) {
			b.WriteString("\n" + indent + deeper)
		} else if n.isSpace {
			b.WriteByte(' ')
		}
		if b.WriteString(n.word); n.word == "(" {
			text := flat(n.group)
			if len(text) > shortQuery {
				text = group(n.group, indent)
			}
			b.WriteString(text + ")")
		}
	}
	return b.String()
}

// isBetween reports whether the next and belongs to a between.
func isBetween(nodes []node) bool {
	for _, n := range slices.Backward(nodes) {
		if n.isWord("and", "between") {
			return n.word == "between"
		}
	}
	return false
}

func TestFormatChangesWhiteSpaceAndCaseOnly(t *testing.T) {
	const sql = `SELECT a.b, (select count(*) from c where d between :e and :f) FROM (SELECT 'X Y' as z, r."N" FROM r WHERE (x AND y) ` +
		`ORDER BY a desc limit 10 offset 5) AS x cross join lateral (SELECT 1) y WHERE p AND q`
	plain := func(s string) string {
		return strings.ReplaceAll(strings.Join(strings.Fields(strings.ToLower(s)), " "), "( ", "(")
	}
	if got := format(sql); strings.ReplaceAll(plain(got), " )", ")") != plain(sql) {
		t.Errorf("got %s", got)
	}
}
