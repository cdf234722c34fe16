package data

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"slices"
	"testing"
)

func company(t *testing.T, seed uint64) *Company {
	t.Helper()
	b, err := New(Options{Clients: 301, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// rowsIn are all rows, by table.
func rowsIn(t *testing.T, b *Company, chunks []chunk) map[string][]row {
	t.Helper()
	all := map[string][]row{}
	for _, stage := range b.stages() {
		for _, p := range chunks {
			tables, err := stage.tables(p)
			if err != nil {
				t.Fatal(err)
			}
			for _, s := range tables {
				for r, err := range s.rows {
					if err != nil {
						t.Fatal(err)
					}
					all[s.table] = append(all[s.table], r)
				}
			}
		}
	}
	return all
}

// Benchmarks of two versions of the program are comparable only if their rows are the same. An intended
// change of the rows, whose distribution the package describes, needs new checksums here.
func TestRowsDependOnSeedOnly(t *testing.T) {
	for seed, want := range map[uint64]string{1: "e62470ce532723b2", 2: "a64b037ee8402a0f"} {
		b := company(t, seed)
		if got := checksum(t, b, b.chunks()); got != want {
			t.Errorf("seed %d: the checksum is %s, want %s", seed, got, want)
		}
	}
}

func TestRowsDoNotDependOnChunks(t *testing.T) {
	b := company(t, 1)
	var small []chunk
	for from := uint64(0); from < 301; from += 7 {
		small = append(small, chunk{from: countsFor(from), to: countsFor(from + 7)})
	}
	if whole, chunked := checksum(t, b, b.chunks()), checksum(t, b, small); whole != chunked {
		t.Errorf("the checksum is %s in one run and %s in chunks", whole, chunked)
	}
}

// checksum covers all rows and the reference lists.
func checksum(t *testing.T, b *Company, chunks []chunk) string {
	t.Helper()
	sum := sha256.New()
	for _, u := range b.users {
		fmt.Fprintln(sum, u.State())
	}
	for _, p := range b.performers {
		fmt.Fprintln(sum, p.State())
	}
	rows := rowsIn(t, b, chunks)
	for _, table := range slices.Sorted(maps.Keys(rows)) {
		for _, r := range rows[table] {
			fmt.Fprintln(sum, r...)
		}
	}
	return fmt.Sprintf("%x", sum.Sum(nil)[:8])
}

func TestOptionsAreValidated(t *testing.T) {
	for _, o := range []Options{
		{Clients: MinClients - 1},
		{Clients: MaxClients + 1},
	} {
		if _, err := New(o); err == nil {
			t.Errorf("%+v: no error", o)
		}
	}
}
