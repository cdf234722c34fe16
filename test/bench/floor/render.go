package floor

import (
	"bytes"
	"unicode/utf8"
)

// Begin and End stand around the records of an answer.
func (p *Program) Begin(b []byte) []byte {
	if p.List {
		return append(b, `{"response":{"items":[`...)
	}
	return append(b, `{"response":`...)
}

// End closes what Begin opened.
func (p *Program) End(b []byte) []byte {
	if p.List {
		return append(b, `]}}`...)
	}
	return append(b, '}')
}

// Record appends one record.
func (p *Program) Record(b []byte, cells [][]byte) []byte {
	for i := 0; i < len(p.Steps); i++ {
		s := &p.Steps[i]
		if s.Kind == Literal {
			b = append(b, s.Text...)
			continue
		}
		cell := cells[s.Column]
		switch {
		case s.Kind == Only:
			if string(cell) != s.Text {
				i += s.Skip
			}
		case s.Kind == Inner:
			b = s.Of.inner(b, cell)
		case cell == nil:
			b = append(b, "null"...)
			i += s.Skip
		default:
			b = value(b, s.Kind, cell)
		}
	}
	return b
}

func value(b []byte, kind string, cell []byte) []byte {
	switch kind {
	case Raw:
		return append(b, cell...)
	case Quoted:
		return quoted(b, cell)
	case Clock:
		return quoted(b, cell[:min(len(cell), len("2006-01-02 15:04:05"))])
	case Quantity:
		if bytes.IndexByte(cell, '.') >= 0 {
			cell = bytes.TrimSuffix(bytes.TrimRight(cell, "0"), []byte("."))
		}
		return append(b, cell...)
	case Truth:
		if cell[0] == 't' {
			return append(b, "true"...)
		}
		return append(b, "false"...)
	}
	return b // Unless: its parts follow
}

func quoted(b, text []byte) []byte {
	const hex = "0123456789abcdef"
	b = append(b, '"')
	start := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(append(b, text[start:i]...), '\\')
		start = i + 1
		switch c {
		case '"', '\\':
			b = append(b, c)
		case '\n':
			b = append(b, 'n')
		case '\r':
			b = append(b, 'r')
		case '\t':
			b = append(b, 't')
		default:
			b = append(b, 'u', '0', '0', hex[c>>4], hex[c&15])
		}
	}
	return append(append(b, text[start:]...), '"')
}

// inner writes rows that come as a JSON array of arrays of texts and nulls.
func (p *Program) inner(b, cell []byte) []byte {
	b = append(b, '[')
	var cells [][]byte
	first := true
	depth := 0
	for i := 0; i < len(cell); i++ {
		switch cell[i] {
		case '[':
			depth++
			cells = cells[:0]
		case 'n':
			cells = append(cells, nil)
			i += len("ull")
		case '"':
			text, length := unquoted(cell[i+1:])
			cells = append(cells, text)
			i += length
		case ']':
			if depth--; depth == 1 {
				if !first {
					b = append(b, ',')
				}
				first = false
				b = p.Record(b, cells)
			}
		}
	}
	return append(b, ']')
}

// unquoted is the text of a JSON string, up to its closing quote, and how many bytes that took with
// the quote.
func unquoted(s []byte) (text []byte, length int) {
	end := bytes.IndexAny(s, `"\`)
	if end < 0 {
		return s, len(s)
	}
	if s[end] == '"' {
		return s[:end], end + 1
	}
	text = append(text, s[:end]...)
	for i := end; i < len(s); i++ {
		switch s[i] {
		case '"':
			return text, i + 1
		case '\\':
			i++
			switch s[i] {
			case 'n':
				text = append(text, '\n')
			case 't':
				text = append(text, '\t')
			case 'r':
				text = append(text, '\r')
			case 'b':
				text = append(text, '\b')
			case 'f':
				text = append(text, '\f')
			case 'u':
				text = utf8.AppendRune(text, hexRune(s[i+1:]))
				i += 4
			default:
				text = append(text, s[i])
			}
		default:
			text = append(text, s[i])
		}
	}
	return text, len(s)
}

func hexRune(s []byte) (r rune) {
	for _, c := range s[:4] {
		switch {
		case c <= '9':
			r = r<<4 | rune(c-'0')
		default:
			r = r<<4 | rune(c|0x20-'a'+10)
		}
	}
	return r
}
