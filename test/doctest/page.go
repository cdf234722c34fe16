package doctest

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Block is a fenced block of shell commands with its expected output.
type Block struct {
	Page    string // file name
	Line    int    // of the first command
	Section string // heading above the block
	Script  string
	Output  string // expected output; empty if the page shows none
	Format  string // of the output: text, json or xml
	Reason  string // why it is not run; empty if it is
}

// Name is the position of the block.
func (b Block) Name() string { return fmt.Sprintf("%s:%d", b.Page, b.Line) }

// Blocks returns the blocks of a Markdown file in order.
func Blocks(t testing.TB, file string) []Block {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	blocks, err := read(filepath.Base(file), string(text))
	if err != nil {
		t.Fatal(err)
	}
	if len(blocks) == 0 {
		t.Fatalf("%s has no block of commands", file)
	}
	return blocks
}

// In returns the blocks under one heading.
func In(t testing.TB, section string, blocks []Block) []Block {
	t.Helper()
	var found []Block
	for _, b := range blocks {
		if b.Section == section {
			found = append(found, b)
		}
	}
	if len(found) == 0 {
		t.Fatalf("there is no block of commands under the heading %q", section)
	}
	return found
}

// NotRun lists the blocks that are not run: heading, first line and reason.
func NotRun(blocks []Block) []string {
	var list []string
	for _, b := range blocks {
		if b.Reason != "" {
			first, _, _ := strings.Cut(b.Script, "\n")
			list = append(list, fmt.Sprintf("%s: %s (%s)", b.Section, first, b.Reason))
		}
	}
	return list
}

var (
	fence   = regexp.MustCompile("^( *)(`{3,})([a-z]*) *$")
	heading = regexp.MustCompile(`^#+ +(.+?) *$`)
	mark    = regexp.MustCompile(`^ *<!-- *not run:? *(.*?) *-->$`)
)

// page is parsed line by line.
type page struct {
	name    string
	lines   []string
	at      int
	section string
	reason  string // of a comment before its block
	open    *Block // may get an expected output
	blocks  []*Block
}

// read parses the blocks of a text.
func read(name, text string) ([]Block, error) {
	p := page{name: name, lines: strings.Split(text, "\n")}
	for ; p.at < len(p.lines); p.at++ {
		if err := p.line(p.lines[p.at]); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", name, p.at+1, err)
		}
	}
	if p.reason != "" {
		return nil, fmt.Errorf("%s: no block of commands follows the comment: %s", name, p.reason)
	}
	blocks := make([]Block, len(p.blocks))
	for i, b := range p.blocks {
		blocks[i] = *b
	}
	return blocks, nil
}

func (p *page) line(line string) error {
	if found := fence.FindStringSubmatch(line); found != nil {
		return p.fenced(found[1], found[2], found[3])
	}
	if found := mark.FindStringSubmatch(line); found != nil {
		if found[1] == "" {
			return fmt.Errorf("a block is not run without a reason: write <!-- not run: the reason -->")
		}
		p.reason = found[1]
		return nil
	}
	if p.reason != "" && strings.TrimSpace(line) != "" {
		return fmt.Errorf("no block of commands follows the comment: %s", p.reason)
	}
	if found := heading.FindStringSubmatch(line); found != nil {
		p.section, p.open = found[1], nil
	}
	return nil
}

// fenced reads from the opening line of a block to the closing line.
func (p *page) fenced(indent, ticks, info string) error {
	first := p.at + 1
	for p.at++; p.at < len(p.lines); p.at++ {
		if strings.TrimSpace(p.lines[p.at]) == ticks {
			break
		}
		p.lines[p.at] = strings.TrimPrefix(p.lines[p.at], indent)
	}
	if p.at == len(p.lines) {
		return fmt.Errorf("the block in line %d is not closed", first)
	}
	return p.block(first+1, info, strings.Join(p.lines[first:p.at], "\n"))
}

func (p *page) block(line int, info, text string) error {
	commands := p.open
	p.open = nil
	switch info {
	case "sh":
		p.open = &Block{Page: p.name, Line: line, Section: p.section, Script: text, Reason: p.reason}
		p.blocks = append(p.blocks, p.open)
		p.reason = ""
		return nil
	case "text", "json", "xml":
		if commands != nil {
			commands.Output, commands.Format = text, info
		}
	case "bash", "shell", "console":
		return fmt.Errorf("commands need a block of sh, not of %s", info)
	}
	if p.reason != "" {
		return fmt.Errorf("no block of commands follows the comment: %s", p.reason)
	}
	return nil
}
