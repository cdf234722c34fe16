package replay

import (
	"bytes"
	"compress/gzip"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// small is a file with everything that makes the real one difficult.
func small(t testing.TB) []byte {
	t.Helper()
	text, err := os.ReadFile("testdata/small.csv")
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func smallSales(t testing.TB, invoices int) *Sales {
	t.Helper()
	sales, err := Read(bytes.NewReader(small(t)), invoices)
	if err != nil {
		t.Fatal(err)
	}
	return sales
}

func TestReadGroupsRowsByInvoice(t *testing.T) {
	want := &Sales{
		Customers: []string{"41001", "", "41002", "41003"},
		Invoices: []*Invoice{
			{Number: "700001", Date: "2020-03-02 09:15:00", Customer: "41001", Lines: []Line{
				{"OAK STOOL", "6", "12.5"}, {`BRASS HOOK 3", SMALL`, "24", "0.85"}, {"Voucher £40.00", "1", "33.33"},
			}},
			{Number: "700002", Date: "2020-03-02 09:20:00", Lines: []Line{
				{"OAK STOOL", "1", "13.0"}, {"PAPER CLIP", "7", "0.001"},
			}},
			{Number: "700003", Date: "2020-03-02 10:02:00", Customer: "41002", Lines: []Line{
				{"BIRCH TRAY", "2", "7.95"}, {"BIRCH SPOON", "3", "4.2"}, {"Manual", "1", "1500.0"},
			}},
			{Number: "700004", Date: "2020-03-02 10:05:00", Customer: "41001", Lines: []Line{
				{"COLE'S TEA & COFFEE TIN", "10", "1.25"}, {"COLE'S TEA & COFFEE TIN", "10", "1.25"},
			}},
			{Number: "C700005", Date: "2020-03-03 08:00:00", Customer: "41001", Lines: []Line{
				{"OAK STOOL", "-6", "12.5"}, {"Discount", "-1", "5.55"},
			}},
			{Number: "700006", Date: "2020-03-03 11:30:00", Lines: []Line{{"10008", "-40", "0.0"}}},
			{Number: "A700007", Date: "2020-03-03 12:00:00", Lines: []Line{{"Adjust bad debt", "1", "-310.06"}}},
			{Number: "700008", Date: "2020-03-04 17:45:00", Customer: "41003", Lines: []Line{
				{"PARASOL  BLUE", "1", "0.29"}, {"10010", "3", "0.0"},
			}},
		},
	}
	if diff := cmp.Diff(want, smallSales(t, 0)); diff != "" {
		t.Errorf("sales (-want +got):\n%s", diff)
	}
}

func TestReadOfFirstInvoicesIncludesTheirLateRows(t *testing.T) {
	want := smallSales(t, 0)
	want.Invoices = want.Invoices[:3]
	want.Customers = want.Customers[:3]
	if diff := cmp.Diff(want, smallSales(t, 3)); diff != "" {
		t.Errorf("sales (-want +got):\n%s", diff)
	}
}

func TestReadUncompressesGzip(t *testing.T) {
	var compressed bytes.Buffer
	w := gzip.NewWriter(&compressed)
	if _, err := w.Write(small(t)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := Read(&compressed, 0)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(smallSales(t, 0), got); diff != "" {
		t.Errorf("sales (-plain +compressed):\n%s", diff)
	}
}

func TestReadRejectsInvalidRowsWithTheirLine(t *testing.T) {
	head := strings.Join(columns, ",") + "\n"
	tests := []struct{ name, file, want string }{
		{"an empty file", "", "the header of the file"},
		{"other columns", "Invoice,StockCode,Description,Quantity,InvoiceDate,Price,Customer ID,Country\n", "the columns must be InvoiceNo,"},
		{"a column too few", head + "1,A,A,1,2020-03-02 09:15:00,1\n", "wrong number of fields"},
		{"no quantity", head + "1,A,A,,2020-03-02 09:15:00,1,,\n", `line 2 of the file: the quantity: "" is no decimal`},
		{"a broken quantity", head + "1,A,A,1.5,2020-03-02 09:15:00,1,,\n", "the quantity 1.5 is not whole"},
		{"a price in words", head + "1,A,A,1,2020-03-02 09:15:00,free,,\n", `the price: "free" is no decimal`},
		{"a price of two points", head + "1,A,A,1,2020-03-02 09:15:00,1.2.3,,\n", `the price: "1.2.3" is no decimal`},
		{"a price with an exponent", head + "1,A,A,1,2020-03-02 09:15:00,1e3,,\n", `the price: "1e3" is no decimal`},
		{"a price of five digits", head + "1,A,A,1,2020-03-02 09:15:00,0.12345,,\n", "the price 0.12345 has more than four digits"},
		{"two customers", head + "1,A,A,1,2020-03-02 09:15:00,1,7,\n1,A,A,1,2020-03-02 09:15:00,1,8,\n",
			`line 3 of the file: invoice 1 is of customer "7", not "8"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := Read(strings.NewReader(test.file), 0)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("the error is %v, want %q in it", err, test.want)
			}
		})
	}
}
