package load

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/domain/optional"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/test/bench/floor"
)

func row(cells ...string) [][]byte {
	values := make([][]byte, len(cells))
	for i, cell := range cells {
		if cell != "-" {
			values[i] = []byte(cell)
		}
	}
	return values
}

func selected(t *testing.T, r *readmodel.Resource, fields, expand string) *readmodel.Selection {
	t.Helper()
	s, err := r.Select(readmodel.Asking{Fields: optional.Some(fields), Expand: optional.Some(expand)})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// An answer shows a company and a person: each has fields that the other lacks, one has no mail address,
// and a name needs escapes.
func TestAProgramIsFoundFromRowsAndAnswer(t *testing.T) {
	shape := selected(t, readmodel.Clients, "id,name,type,email,created_at,user.username", "")
	answer := `{"response":{"items":[` +
		`{"id":7,"user":{"username":"eva"},"name":"a \"b\"\\\n\u0001ü","type":1,"email":null,"created_at":"2024-03-04 10:00:00"},` +
		`{"id":8,"user":{"username":"max"},"name":"c","type":2,"email":"c@d.example","created_at":"2024-03-05 10:00:00"}]}}`
	first := map[string]string{
		"version": "3", "type": "1", "id": "7", "name": "a \"b\"\\\n\x01ü", "email": "-", "created_at": "2024-03-04 10:00:00.123456+00",
		"user.id": "5", "user.username": "eva",
	}
	second := map[string]string{
		"version": "4", "type": "2", "id": "8", "name": "c", "email": "c@d.example", "created_at": "2024-03-05 10:00:00+00",
		"user.id": "6", "user.username": "max",
	}
	for name, order := range map[string][]string{
		"in order behind the total":     append([]string{"total"}, shape.Paths...),
		"in another order, with others": append(append([]string{"total"}, reversed(shape.Paths)...), "other"),
	} {
		rows := [][][]byte{{}, {}}
		for _, path := range order {
			for i, record := range []map[string]string{first, second} {
				cell, ok := record[path]
				if !ok {
					cell = "2"
				}
				rows[i] = append(rows[i], row(cell)[0])
			}
		}
		records, err := (&Kind{}).recordsOf([]byte(answer))
		if err != nil {
			t.Fatal(err)
		}
		leaves, err := leavesIn(shape, records)
		if err != nil {
			t.Fatal(err)
		}
		execs := []*seenExec{{rows: [][][]byte{row("2")}}, {rows: rows}}
		shown, program, err := shownBy(execs, shape, leaves, records)
		if err != nil || shown != (floor.Shown{Statement: 1}) {
			t.Errorf("%s: %+v, %v", name, shown, err)
			continue
		}
		further := []*seenExec{{rows: [][][]byte{row("2")}}, {rows: append(rows[:2:2], rows[0])}}
		shown, _, err = shownBy(further, shape, leaves, records)
		if err != nil || shown != (floor.Shown{Statement: 1, Most: 2}) {
			t.Errorf("%s, and a row more: %+v, %v", name, shown, err)
		}
		before := []*seenExec{{rows: append([][][]byte{rows[1]}, rows...)}}
		shown, _, err = shownBy(before, shape, leaves, records)
		if err != nil || shown != (floor.Shown{Skipped: 1, Most: 2}) {
			t.Errorf("%s, and a row before: %+v, %v", name, shown, err)
		}
		program.List = true
		written := program.Begin(nil)
		for i, cells := range rows {
			if i > 0 {
				written = append(written, ',')
			}
			written = program.Record(written, cells)
		}
		if got := string(program.End(written)); got != answer {
			t.Errorf("%s:\n%s\nwant\n%s", name, got, answer)
		}
		rows[1][slices.Index(order, "name")] = []byte("other")
		if _, _, err := shownBy(execs, shape, leaves, records); err == nil {
			t.Errorf("%s: found in rows that do not hold the answer", name)
		}
	}
}

func reversed(paths []string) []string {
	paths = slices.Clone(paths)
	slices.Reverse(paths)
	return paths
}

func TestAValueIsExplainedByWhatItFollows(t *testing.T) {
	instant := func(at time.Time) string {
		micros := at.Sub(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)).Microseconds()
		return string(binary.BigEndian.AppendUint64(nil, uint64(micros)))
	}
	now := time.Now()
	one := []*seenExec{
		{args: row("same"), rows: [][][]byte{row("x", "\x00\x01")}},
		{args: row("same", "Bench zq1 GmbH, zq1", "\x00\x01", instant(now), "-", "3")},
	}
	other := []*seenExec{
		{args: row("same"), rows: [][][]byte{row("y", "\x00\x02")}},
		{args: row("same", "Bench zq2 GmbH, zq2", "\x00\x02", instant(now.Add(time.Second)), "-", "4")},
	}
	for n, want := range []string{
		`{Null:false Parts:[same] Now:false From:<nil>}`,
		`{Null:false Parts:[Bench   GmbH,  ] Now:false From:<nil>}`,
		`{Null:false Parts:[] Now:false From:{Statement:0 Column:1}}`,
		`{Null:false Parts:[] Now:true From:<nil>}`,
		`{Null:true Parts:[] Now:false From:<nil>}`,
		`{Null:false Parts:[3] Now:false From:<nil>}`,
	} {
		a := explained(one, other, 1, n, "zq1", "zq2")
		from := "<nil>"
		if a.From != nil {
			from = fmt.Sprintf("%+v", *a.From)
		}
		if got := fmt.Sprintf("{Null:%t Parts:%s Now:%t From:%s}", a.Null, a.Parts, a.Now, from); got != want {
			t.Errorf("value %d: %s, want %s", n, got, want)
		}
	}
}

func TestWordsAreTakenFromNames(t *testing.T) {
	names := []string{"weber toys gmbh", "weber toys gmbh", "müller glas gmbh", "o'brien tools ag", "short"}
	rare := rareWords(names)
	want := []string{"weber toys gmbh", "eber toys gmbh", "ber toys gmbh", "ller glas gmbh", "er toys gmbh", "ler glas gmbh"}
	for _, word := range want[:4] {
		if !slices.Contains(rare, word) {
			t.Errorf("%q is missing in %q", word, rare)
		}
	}
	seen := map[string]bool{}
	for _, word := range rare {
		if seen[word] || strings.Contains(word, "ü") || strings.Contains(word, "'") {
			t.Errorf("%q stands there twice, or needs care", word)
		}
		seen[word] = true
	}
	common := commonWords(append(slices.Repeat([]string{"xyzzy 1"}, 600), names...))
	if len(common) == 0 || common[0] != "xyz" || slices.Contains(common, "toys") || slices.Contains(common, "xy") {
		t.Errorf("common are %q", common)
	}
}
