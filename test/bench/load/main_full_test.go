//go:build full

package main

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/test/bench/data"
	"github.com/kontor-crm/kontor/test/pgtest"
	"github.com/kontor-crm/kontor/test/testprogram"
)

func TestMain(m *testing.M) { os.Exit(testprogram.Run(m)) }

func TestLoadMeasuresEachKindWithoutFailures(t *testing.T) {
	t.Parallel()
	database := pgtest.EmptyURL(t)
	filling := data.Options{Clients: 200, Seed: 1}
	if err := data.Fill(t.Context(), database, filling, 2, func(string) {}); err != nil {
		t.Fatal(err)
	}
	path := testprogram.Path(t)
	o := options{
		path: [2]string{path, path}, database: [2]string{database, database},
		connections: 2, rounds: 1, duration: 50 * time.Millisecond, texts: 50, tokens: 1, slow: 1,
	}
	var out strings.Builder
	if err := run(t.Context(), o, &out); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(out.String(), "\n")
	if len(lines) != 1+3*len(kinds)+3 {
		t.Errorf("not three lines of each kind:\n%s", &out)
	}
	for _, line := range lines {
		if strings.Contains(line, "map[") && !strings.HasSuffix(line, "map[]") {
			t.Errorf("failures: %s", line)
		}
	}
	t.Log(&out)
}

func TestLoadMeasuresReadsBesideEachWorkAndTheFirstSeconds(t *testing.T) {
	t.Parallel()
	database := pgtest.EmptyURL(t)
	if err := data.Fill(t.Context(), database, data.Options{Clients: 200, Seed: 1}, 2, func(string) {}); err != nil {
		t.Fatal(err)
	}
	o := options{
		path: [2]string{testprogram.Path(t)}, database: [2]string{database}, connections: 2, rounds: 1, duration: 100 * time.Millisecond,
		texts: 50, tokens: 1, beside: "all",
	}
	var out strings.Builder
	if err := run(t.Context(), o, &out); err != nil {
		t.Fatal(err)
	}
	if rows := strings.Count(out.String(), "| 0 |"); rows != 4*len(works) {
		t.Errorf("not four rows of each work, without errors:\n%s", &out)
	}
	out.Reset()
	o.beside, o.starts, o.kinds = "", 1, "client-by-id"
	if err := run(t.Context(), o, &out); err != nil || !strings.Contains(out.String(), "map[]") {
		t.Errorf("%v:\n%s", err, &out)
	}
}
