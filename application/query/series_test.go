package query_test

import (
	"strings"
	"testing"

	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
)

// series is a performer with one series of documents.
func series(kind, year, last, count string) inputs {
	return inputs{adjusted: "series", cells: map[string]string{
		"id": "3", "version": "5", "party.number_pattern": "{year}-{seq}", "party.credit_pattern": "CN-{seq:4}",
		"series.kind": kind, "series.year": year, "series.last_seq": last, "series.count": count,
	}}
}

// contract 16.64
func TestSeriesShowsItsNumbersAndGaps(t *testing.T) {
	for _, tt := range []struct {
		fields string
		of     inputs
		want   string
	}{
		{"", series("1", "2024", "12", "10"), "5 3 | invoice 2024 2024-1 2024-12 10 2024-13 2"},
		{"", series("2", "0", "3", "3"), "5 3 | credit  CN-0001 CN-0003 3 CN-0004 0"},
		{"id", series("1", "2024", "12", "10"), "5 3"},
		{"items.next", series("1", "2024", "12", "10"), "5 | 2024-13"},
	} {
		s, err := query.Select(readmodel.Series, query.Parameters{Fields: domain.Some(tt.fields), Record: true})
		if err != nil {
			t.Fatal(err)
		}
		rows, err := query.NewSeries(tt.of).Read(t.Context(), 3, s)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for i := range s.Paths {
			if s.Lists[i] == nil {
				got = append(got, text(rows, i))
				continue
			}
			got = append(got, "|")
			for column := range s.Lists[i].Paths {
				got = append(got, text(rows.List(0, i), column))
			}
		}
		if shown := strings.Join(got, " "); shown != tt.want || rows.Total != 1 {
			t.Errorf("fields=%s: got %s, want %s", tt.fields, shown, tt.want)
		}
	}
	s, err := query.Select(readmodel.Series, query.Parameters{Record: true})
	if err != nil {
		t.Fatal(err)
	}
	without := series("1", "2024", "12", "10")
	without.cells["party.number_pattern"] = ""
	_, err = query.NewSeries(without).Read(t.Context(), 3, s)
	if err == nil || !strings.Contains(err.Error(), "no pattern of the invoice series") {
		t.Errorf("without its pattern: %v", err)
	}
	if _, err := query.NewSeries(recordsUpTo(2)).Read(t.Context(), 3, s); !fault.Is(err, fault.NotFound) {
		t.Errorf("no performer: %v", err)
	}
}

// text is that of a cell in the first row; "" is none.
func text(rows *readmodel.Rows, column int) string {
	cell, _ := rows.Cell(0, column)
	return string(cell)
}
