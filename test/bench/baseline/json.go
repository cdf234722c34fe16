package baseline

import (
	"fmt"
	"slices"
	"strings"
)

// field is an attribute in JSON. Its format is n, a number; s, a string; t, a time, cut after the seconds; b, a
// boolean; or the fields of an object, which is null if its column is.
type field struct {
	name   string
	format byte
	column int
	fields []field
}

// fields are the attributes of successive columns, each written name:format.
func fields(column int, attributes string) []field {
	var all []field
	for i, attribute := range strings.Fields(attributes) {
		name, format, _ := strings.Cut(attribute, ":")
		all = append(all, field{name: fmt.Sprintf("%q:", name), format: format[0], column: column + i})
	}
	return all
}

func object(name string, column int, attributes string) field {
	return field{name: fmt.Sprintf("%q:", name), format: 'o', column: column, fields: fields(column, attributes)}
}

// The records are the last columns of the rows: of a client version, type, id and so on.
const (
	clientColumns  = 14
	clientType     = 1
	createdAt      = 12
	invoiceColumns = 52
)

func clientFields(details ...field) []field {
	return slices.Concat(fields(2, "id:n user:n name:s"), fields(clientType, "type:n"), fields(5, "email:s phone:s real_address:s description:s"),
		details, fields(createdAt, "created_at:t updated_at:t"))
}

var (
	companyFields = clientFields(fields(9, "company_address:s bank_details:s")...)
	personFields  = clientFields(fields(11, "person_details:s")...)
	invoiceFields = append(
		fields(1, "id:n user_id:n paid:b closed:b number:s date:t notice:s deal_id:n total_count:n total_price:s vat_price:s pay_price:s "+
			"created_on:t paid_on:t updated_on:t update_on:t"),
		object("performer", 17, "id:n status:n name:s company_name:s company_address:s real_address:s bank_details:s company_details:s "+
			"leader:s leader_rank:s booker:s phone:s email:s vat_use:b vat_percent:s stamp_file:s leader_sig_file:s booker_sig_file:s "+
			"logo:s created_at:t updated_at:t"),
		object("type", 38, "id:n name:s"),
		object("company", 40, "id:n name:s type:n email:s phone:s"),
		object("manager", 45, "id:n username:s fname:s lname:s email:s"),
		object("status", 50, "id:n name:s"),
	)
)

// appendClient appends the client of a row.
func appendClient(b []byte, row [][]byte) []byte {
	row = row[len(row)-clientColumns:]
	if string(row[clientType]) == "1" {
		return appendObject(b, companyFields, row)
	}
	return appendObject(b, personFields, row)
}

// appendInvoice appends the invoice of a row.
func appendInvoice(b []byte, row [][]byte) []byte {
	return appendObject(b, invoiceFields, row[len(row)-invoiceColumns:])
}

func appendObject(b []byte, fields []field, row [][]byte) []byte {
	b = append(b, '{')
	for i := range fields {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendValue(append(b, fields[i].name...), &fields[i], row)
	}
	return append(b, '}')
}

func appendValue(b []byte, f *field, row [][]byte) []byte {
	text := row[f.column]
	switch {
	case text == nil:
		return append(b, "null"...)
	case f.format == 'n':
		return append(b, text...)
	case f.format == 's':
		return appendString(b, text)
	case f.format == 't':
		return appendString(b, text[:min(len(text), len("2006-01-02 15:04:05"))])
	case f.format == 'o':
		return appendObject(b, f.fields, row)
	case text[0] == 't':
		return append(b, "true"...)
	}
	return append(b, "false"...)
}

var escapes = map[byte]string{'"': `\"`, '\\': `\\`, '\n': `\n`, '\r': `\r`, '\t': `\t`}

func appendString(b, text []byte) []byte {
	b = append(b, '"')
	start := 0
	for i, c := range text {
		if c >= ' ' && c != '"' && c != '\\' {
			continue
		}
		b = append(b, text[start:i]...)
		start = i + 1
		if escape, ok := escapes[c]; ok {
			b = append(b, escape...)
		} else {
			b = fmt.Appendf(b, `\u%04x`, c)
		}
	}
	return append(append(b, text[start:]...), '"')
}
