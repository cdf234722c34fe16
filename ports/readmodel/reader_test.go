package readmodel_test

import (
	"testing"

	"github.com/kontor-crm/kontor/ports/readmodel"
)

// contract 4.33
func TestPageCountRoundsUp(t *testing.T) {
	for _, c := range []struct {
		size        int
		total, want int64
	}{
		{10, 0, 0}, {10, 1, 1}, {10, 10, 1}, {10, 11, 2}, {1, 3, 3}, {readmodel.MaxPerPage, 1001, 3},
		{0, 0, 1}, {0, 1000, 1}, // a list without pages
	} {
		if got := (readmodel.Page{Number: 1, Size: c.size}).Count(c.total); got != c.want {
			t.Errorf("%d rows on pages of %d are %d pages, want %d", c.total, c.size, got, c.want)
		}
	}
}

func TestRowsReturnAppendedCells(t *testing.T) {
	inner := readmodel.NewRows(1)
	inner.Append([]byte("part"))
	cells := [][]any{
		{nil, "a", ""},
		{"", nil, nil},
		{"ü\x00", inner, "last"},
	}
	rows := readmodel.NewRows(3)
	reused := make([]byte, 0, 16)
	for _, row := range cells {
		for _, cell := range row {
			switch cell := cell.(type) {
			case string:
				reused = append(reused[:0], cell...)
				rows.Append(reused)
			case *readmodel.Rows:
				rows.AppendList(cell)
			default:
				rows.Append(nil)
			}
		}
	}
	if rows.Len() != len(cells) {
		t.Fatalf("%d rows, want %d", rows.Len(), len(cells))
	}
	for i, row := range cells {
		for j, cell := range row {
			text, ok := rows.Cell(i, j)
			want, _ := cell.(string)
			if string(text) != want || ok != (cell != nil) {
				t.Errorf("row %d, cell %d is %q, ok: %v; want %q, %v", i, j, text, ok, want, cell != nil)
			}
			list, _ := cell.(*readmodel.Rows)
			if got := rows.List(i, j); got != list {
				t.Errorf("row %d, cell %d holds the rows %v, want %v", i, j, got, list)
			}
		}
	}
}

func TestRowsWithoutCellsAreEmpty(t *testing.T) {
	for _, width := range []int{0, 1} {
		if n := readmodel.NewRows(width).Len(); n != 0 {
			t.Errorf("width %d: %d rows", width, n)
		}
	}
}

func TestRowsReusedAfterReleaseAreEmpty(t *testing.T) {
	for range 100 { // some reuse released ones
		rows := readmodel.NewRows(2)
		if rows.Len() != 0 || rows.Total != 0 || rows.Next != "" || rows.List(0, 1) != nil {
			t.Fatalf("new rows are %+v", rows)
		}
		rows.Total, rows.Next = 1, "next"
		rows.Append([]byte("text"))
		rows.AppendList(readmodel.NewRows(1))
		if cell, ok := rows.Cell(0, 0); !ok || string(cell) != "text" {
			t.Fatalf("the first cell is %q", cell)
		}
		rows.Release()
	}
}
