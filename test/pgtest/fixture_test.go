package pgtest

import (
	"os"
	"testing"
)

func TestMain(m *testing.M) { os.Exit(Run(m)) }

func TestFixtureIsPreparedOnceAndCopied(t *testing.T) {
	prepared := 0
	fixture := NewFixture(func(t testing.TB, url string) int {
		t.Helper()
		prepared++
		if _, err := Pool(t, url).Exec(t.Context(), "insert into statuses (name, name_key, is_default) values ('new', 'new', true)"); err != nil {
			t.Fatal(err)
		}
		return prepared
	})
	for range 2 {
		url, of := fixture.URL(t)
		if of != 1 {
			t.Errorf("it has been prepared %d times", of)
		}
		var left int
		if err := Pool(t, url).QueryRow(t.Context(), "with d as (delete from statuses returning 1) select count(*) from d").Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left != 1 {
			t.Errorf("a copy has %d statuses, want 1", left)
		}
	}
}
