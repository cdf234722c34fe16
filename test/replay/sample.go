package replay

import (
	"cmp"
	"os"
	"strconv"
	"testing"
)

// The environment of tests.
const (
	File = "KONTOR_REPLAY_FILE"     // names a file to read instead of the small one
	Size = "KONTOR_REPLAY_INVOICES" // how many of its first invoices are sent; all without it
)

// Sample returns the sales of the file, up to a number of invoices. It is for packages beside this one.
func Sample(t testing.TB, invoices string) *Sales {
	t.Helper()
	file, err := os.Open(cmp.Or(os.Getenv(File), "../replay/testdata/small.csv"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	limit, err := strconv.Atoi(cmp.Or(invoices, "0"))
	if err != nil {
		t.Fatal(err)
	}
	sales, err := Read(file, limit)
	if err != nil {
		t.Fatal(err)
	}
	return sales
}
