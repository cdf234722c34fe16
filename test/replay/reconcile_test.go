package replay

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// shelves are the lists of a service that has it all, as they would be read.
type shelves struct {
	clients  []clientRow
	invoices []invoiceRow
	lines    []lineRow
}

func shelved(sales *Sales) *shelves {
	s := &shelves{}
	for _, customer := range sales.Customers {
		s.clients = append(s.clients, clientRow{clientName(customer)})
	}
	for n, i := range sales.Invoices {
		id := int64(100 - n)
		s.invoices = append(s.invoices, invoiceRow{
			ID: id, Number: i.Number, Date: i.Date, Company: clientRow{clientName(i.Customer)},
			TotalCount: len(i.Lines), TotalPrice: i.Total().FloatString(4),
		})
		for _, l := range i.Lines {
			s.lines = append(s.lines, lineRow{
				InvoiceID: id, Name: l.Name, Count: json.Number(l.Count), Price: l.Price, TotalPrice: l.Total().FloatString(4),
			})
		}
	}
	return s
}

func (s *shelves) differences(sales *Sales) []string {
	l := newLedger(sales)
	for _, row := range s.clients {
		l.client(row)
	}
	for _, row := range s.invoices {
		l.invoice(row)
	}
	for _, row := range s.lines {
		l.line(row)
	}
	l.close()
	return l.differences
}

func TestEveryWayToDifferIsNoticed(t *testing.T) {
	tests := []struct {
		name   string
		change func(s *shelves)
		want   string
	}{
		{"a client too few", func(s *shelves) { s.clients = s.clients[1:] }, `client "Customer 41001": missing`},
		{"a client twice", func(s *shelves) { s.clients[2] = s.clients[0] }, `client "Customer 41001": not in the file, or read before`},
		{"an unknown client", func(s *shelves) { s.clients = append(s.clients, clientRow{"Mallory"}) }, "clients: 5, the file has 4"},
		{"an invoice too few", func(s *shelves) { s.invoices = s.invoices[1:] }, "invoice 700001: missing"},
		{"an invoice twice", func(s *shelves) { s.invoices = append(s.invoices, s.invoices[0]) }, "the sum of total_price of all invoices: 1433.6470, the file has 1304.9170"},
		{"another date", func(s *shelves) { s.invoices[0].Date = "2020-03-02 09:16:00" }, "invoice 700001: date: 2020-03-02 09:16:00, the file has 2020-03-02 09:15:00"},
		{"another client", func(s *shelves) { s.invoices[1].Company = s.clients[0] }, "invoice 700002: client: Customer 41001, the file has Customers without a number"},
		{"another total_count", func(s *shelves) { s.invoices[0].TotalCount = 2 }, "invoice 700001: total_count: 2, the file has 3"},
		{"a total that is off by the last digit", func(s *shelves) { s.invoices[1].TotalPrice = "13.0071" }, "invoice 700002: total_price: 13.007100, the file has 13.007000"},
		{"two totals that make up for each other", func(s *shelves) {
			s.invoices[0].TotalPrice, s.invoices[1].TotalPrice = "128.7301", "13.0069"
		}, "invoice 700001: total_price: 128.730100, the file has 128.730000"},
		{"a total that is no number", func(s *shelves) { s.invoices[1].TotalPrice = "NaN" }, `invoice 700002: total_price: "NaN" is no decimal number`},
		{"a line too few", func(s *shelves) { s.lines = s.lines[:15] }, "invoice 700008: 1 lines, the file has 2"},
		{"a line too many", func(s *shelves) { s.lines = append(s.lines, s.lines[0]) }, "invoice id 100: has a line that is not in the file"},
		{"two lines in another order", func(s *shelves) { s.lines[0], s.lines[1] = s.lines[1], s.lines[0] }, `invoice 700001, line 1: name: BRASS HOOK 3", SMALL, the file has OAK STOOL`},
		{"another count", func(s *shelves) { s.lines[0].Count = "6.000001" }, "invoice 700001, line 1: count: 6.000001, the file has 6.000000"},
		{"another price", func(s *shelves) { s.lines[0].Price = "12.5001" }, "invoice 700001, line 1: price: 12.500100, the file has 12.500000"},
		{"another total of a line", func(s *shelves) { s.lines[0].TotalPrice = "75.0001" }, "the sum of total_price of all lines: 1304.9171, the file has 1304.9170"},
	}
	sales := smallSales(t, 0)
	if differences := shelved(sales).differences(sales); len(differences) > 0 {
		t.Fatalf("nothing is wrong, and yet: %q", differences)
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := shelved(sales)
			test.change(s)
			if differences := s.differences(sales); !slices.Contains(differences, test.want) {
				t.Errorf("want %q among\n%s", test.want, strings.Join(differences, "\n"))
			}
		})
	}
}
