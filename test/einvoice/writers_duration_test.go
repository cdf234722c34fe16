//go:build !race

// The race detector makes the writers several times slower.

package einvoice

import (
	"context"
	"io"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/documents"
	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
)

// contract 16.14
func TestUsualInvoiceIsWrittenWithinAMillisecond(t *testing.T) {
	d := billing.New(Sample(1, 0))
	best := time.Hour
	for range 200 { // of which the machine leaves some alone
		from := time.Now()
		if err := documents.Write(context.Background(), io.Discard, d, billing.XRechnung, paper.Pictures{}); err != nil {
			t.Fatal(err)
		}
		best = min(best, time.Since(from))
	}
	if t.Logf("%d lines: %v", len(d.Lines), best); best > time.Millisecond {
		t.Errorf("%d lines take %v", len(d.Lines), best)
	}
}
