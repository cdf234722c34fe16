package documents_test

import (
	"context"
	"errors"
	"io"
	"testing"
	"time"

	"github.com/kontor-crm/kontor/adapters/documents"
	"github.com/kontor-crm/kontor/adapters/documents/paper"
	"github.com/kontor-crm/kontor/domain/billing"
)

// document returns one with so many lines.
func document(lines int) billing.Document {
	return billing.Document{Number: "2026-001", Lines: make([]billing.Line, lines)}
}

// receiver is a writer that takes nothing until it is told to.
type receiver struct{ begun, take chan struct{} }

func (r receiver) Write(part []byte) (int, error) {
	select {
	case r.begun <- struct{}{}:
	case <-r.take:
	}
	<-r.take
	return len(part), nil
}

// contract 16.24
func TestLongDocumentWaitsForAnother(t *testing.T) {
	t.Parallel()
	r, first := receiver{make(chan struct{}), make(chan struct{})}, make(chan error, 1)
	go func() { first <- documents.Write(t.Context(), r, document(1001), billing.UBL, paper.Pictures{}) }()
	<-r.begun
	if err := documents.Write(t.Context(), io.Discard, document(1000), billing.PDF, paper.Pictures{}); err != nil {
		t.Errorf("a shorter document: %v", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer stop()
	if err := documents.Write(ctx, io.Discard, document(1001), billing.CII, paper.Pictures{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a document that waits in vain: %v", err)
	}
	second := make(chan error, 1)
	go func() {
		second <- documents.Write(t.Context(), io.Discard, document(1001), billing.HTML, paper.Pictures{})
	}()
	select {
	case err := <-second:
		t.Fatalf("the second document is written beside the first: %v", err)
	case <-time.After(50 * time.Millisecond):
	}
	close(r.take)
	if err := errors.Join(<-first, <-second); err != nil {
		t.Error(err)
	}
}
