package httpapi

import (
	"bytes"
	"context"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/kontor-crm/kontor/adapters/gate"
	"github.com/kontor-crm/kontor/application/query"
	"github.com/kontor-crm/kontor/domain/billing"
	"github.com/kontor-crm/kontor/domain/invoice"
)

// document is that of each invoice.
type document billing.Document

func (d document) Read(context.Context, invoice.ID) (billing.Document, error) {
	return billing.Document(d), nil
}

// printerOf is a service that prints the document as that of each invoice.
func printerOf(d billing.Document) http.Handler {
	return New(Config{DefaultFormat: AlwaysJSON, RequestTimeout: time.Minute},
		companyWith(InvoiceDocuments(query.NewDocuments(document(d), nil))), nil, slog.New(slog.DiscardHandler))
}

// unread is a client that takes nothing of a response until it is released.
type unread struct {
	*httptest.ResponseRecorder
	begun, released chan struct{}
}

func (u *unread) Write(p []byte) (int, error) {
	if u.Code == http.StatusOK {
		u.begun <- struct{}{}
		<-u.released
	}
	return u.ResponseRecorder.Write(p)
}

// contract 2.39
func TestDocumentsThatNobodyTakesAreBounded(t *testing.T) {
	const size, fit = billing.MaxTextSize - 1<<10, maxHeld / billing.MaxTextSize
	service := printerOf(billing.Document{Notice: strings.Repeat("x", size)})
	get := func(w http.ResponseWriter) {
		service.ServeHTTP(w, newGet("/rest/invoice/1/document?as=html", "Access-Token", "good"))
	}
	released, rejected := make(chan struct{}), make(chan *unread)
	sent := 0
	for isFull := false; !isFull && sent <= fit; {
		u := &unread{httptest.NewRecorder(), make(chan struct{}, 1), released}
		go func() {
			if get(u); u.Code != http.StatusOK {
				rejected <- u
			}
		}()
		select {
		case <-u.begun:
			sent++
		case got := <-rejected:
			isFull = true
			if got.Code != http.StatusServiceUnavailable || got.Header().Get("Retry-After") == "" {
				t.Errorf("the response beyond the budget is %d, %v", got.Code, got.Header())
			}
		}
	}
	close(released)
	if sent > fit || sent < fit/2 {
		t.Errorf("%d documents are being sent, and the budget has room for %d", sent, fit)
	}
	for w := httptest.NewRecorder(); ; w = httptest.NewRecorder() { // once the others have ended
		if get(w); w.Code == http.StatusOK {
			return
		}
	}
}

// slowDocuments are read when they are released.
type slowDocuments struct {
	read     atomic.Int64
	released chan struct{}
}

func (d *slowDocuments) Read(context.Context, invoice.ID) (billing.Document, error) {
	d.read.Add(1)
	<-d.released
	return billing.Document{Number: "1", Currency: "EUR"}, nil
}

// contract 2.39
func TestDocumentsOfACallerWaitForEachOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		documents := &slowDocuments{released: make(chan struct{})}
		service := New(Config{DefaultFormat: AlwaysJSON, RequestTimeout: time.Minute, Heavy: gate.NewInFlight(28, 25)},
			companyWith(InvoiceDocuments(query.NewDocuments(documents, nil))), nil, slog.New(slog.DiscardHandler))
		const inWork, waiting = 2, 5 // together a quarter of what may be heavy
		var responses [inWork + waiting + 1]*httptest.ResponseRecorder
		for i := range responses {
			responses[i] = httptest.NewRecorder()
			go service.ServeHTTP(responses[i], newGet("/rest/invoice/1/document?as=html", "Access-Token", "good"))
			synctest.Wait()
		}
		if read := documents.read.Load(); read != inWork {
			t.Errorf("%d documents are in work, want %d", read, inWork)
		}
		close(documents.released)
		synctest.Wait()
		for i, w := range responses {
			if isOneTooMany := i == inWork+waiting; (w.Code == http.StatusTooManyRequests) != isOneTooMany || (w.Code == http.StatusOK) == isOneTooMany {
				t.Errorf("response %d: %d %s", i, w.Code, w.Body)
			}
		}
	})
}

// contract 2.39
func TestPDFWhoseCallerHasLeftIsNotWrittenToItsEnd(t *testing.T) {
	service := printerOf(billing.Document{Number: "1", Currency: "EUR", Lines: make([]billing.Line, 20_000)})
	ctx, leave := context.WithCancel(t.Context())
	w, ended := httptest.NewRecorder(), make(chan struct{})
	go func() {
		defer close(ended)
		service.ServeHTTP(w, newGet("/rest/invoice/1/document?as=pdf", "Access-Token", "good").WithContext(ctx))
	}()
	for stacks := make([]byte, 1<<20); ; time.Sleep(time.Millisecond) {
		if bytes.Contains(stacks[:runtime.Stack(stacks, true)], []byte("paper.(*layout)")) {
			break // it is being written
		}
	}
	leave()
	if <-ended; w.Code == http.StatusOK {
		t.Errorf("the PDF is written to its end: %d bytes", w.Body.Len())
	}
}

// contract 16.16
func TestNameOfADocumentHasLettersOfAllAlphabets(t *testing.T) {
	for number, want := range map[string]string{
		"2026/7":   `inline; filename="invoice-2026-7.pdf"`,
		"Р-2026/7": `inline; filename="invoice---2026-7.pdf"; filename*=UTF-8''invoice-%D0%A0-2026-7.pdf`,
	} {
		w := httptest.NewRecorder()
		printerOf(billing.Document{Number: number, Currency: "EUR"}).ServeHTTP(w, newGet("/rest/invoice/1/document?as=pdf", "Access-Token", "good"))
		if got := w.Header().Get("Content-Disposition"); got != want {
			t.Errorf("%s: %s, want %s", number, got, want)
		}
	}
}
