package command_test

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/kontor-crm/kontor/application/command"
	"github.com/kontor-crm/kontor/domain/client"
	"github.com/kontor-crm/kontor/domain/fault"
	"github.com/kontor-crm/kontor/ports/readmodel"
	"github.com/kontor-crm/kontor/ports/repository"
	"github.com/kontor-crm/kontor/test/fixture"
)

// idempotent makes the request one that is executed once, with the text for a
// response.
func idempotent(r command.Request, fingerprint byte, text string) command.Request {
	r.Idempotency = &command.Idempotency{
		Key:         repository.IdempotencyKey{UserID: r.Actor.UserID, Path: "/rest/client", Key: "k"},
		Fingerprint: [32]byte{fingerprint},
	}
	r.Response = responding(func(int64, *readmodel.Rows) ([]byte, error) { return []byte(text), nil })
	return r
}

func responding(encode func(id int64, record *readmodel.Rows) ([]byte, error)) *command.Response {
	return &command.Response{Resource: readmodel.Clients, Selection: &readmodel.Selection{Paths: []string{"id"}, Type: -1}, Encode: encode}
}

// contract 4.61
func TestCreationWithAnIdempotencyKeyIsCarriedOutOnce(t *testing.T) {
	t.Parallel()
	o := open(t)
	first := done[client.ID](t)(o.clients.Create(t.Context(), idempotent(o.manager(), 1, "first"), fixture.Company()))
	o.client(first)

	_, err := o.clients.Create(t.Context(), idempotent(o.manager(), 1, "second"), fixture.Company())
	repeated, ok := errors.AsType[command.Repeated](err)
	if !ok {
		t.Fatalf("the second is answered %v", err)
	}
	if diff := cmp.Diff("first", string(repeated.Response)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	o.clock.at = o.clock.at.Add(repository.ResponseLife - time.Second)
	if _, err := o.clients.Create(t.Context(), idempotent(o.manager(), 1, "x"), fixture.Company()); !errors.As(err, &repeated) {
		t.Errorf("before a day is over it is answered %v", err)
	}
	o.clock.at = o.clock.at.Add(time.Second)
	if again := done[client.ID](t)(o.clients.Create(t.Context(), idempotent(o.manager(), 1, "x"), fixture.Company())); again == first {
		t.Error("after a day it is the same client")
	}
}

// contract 4.64
func TestIdempotencyKeyBelongsToTheRecordStoredUnderIt(t *testing.T) {
	t.Parallel()
	o := open(t)
	_, err := o.clients.Create(t.Context(), idempotent(o.manager(), 1, "x"), client.Attributes{})
	rejected(t, err, fault.Invalid, "name", "type")
	_, err = o.clients.Create(t.Context(), idempotent(o.manager(), 2, "x"), fixture.Company())
	succeed(t, err)
	_, err = o.clients.Create(t.Context(), idempotent(o.manager(), 1, "x"), fixture.Company())
	rejected(t, err, fault.Invalid, "Idempotency-Key")
	_, err = o.clients.Create(t.Context(), idempotent(o.viewer(), 2, "x"), fixture.Company())
	rejected(t, err, fault.Forbidden)
}

// contract 4.82
func TestWriteWhoseResponseFailsIsUndone(t *testing.T) {
	t.Parallel()
	o := open(t)
	var asked []int64
	failing := o.manager()
	failing.Response = responding(func(id int64, _ *readmodel.Rows) ([]byte, error) {
		asked = append(asked, id)
		return nil, fault.New(fault.Malformed, "no such field")
	})
	before := o.client(o.Client)
	rejected(t, o.clients.Update(t.Context(), failing, o.Client, fixture.Person()), fault.Malformed)
	if diff := cmp.Diff(before, o.client(o.Client)); diff != "" {
		t.Errorf("the client is changed: -want +got\n%s", diff)
	}
	if len(asked) == 0 || asked[0] != int64(o.Client) {
		t.Errorf("the response was encoded for %v", asked)
	}
	_, err := o.clients.Create(t.Context(), failing, fixture.Company())
	rejected(t, err, fault.Malformed)
}

// contract 4.98
func TestDryRunIgnoresTheIdempotencyKey(t *testing.T) {
	t.Parallel()
	o := open(t)
	dry := func(fingerprint byte, text string) command.Request {
		r := idempotent(o.manager(), fingerprint, text)
		r.DryRun = true
		return r
	}
	tried := done[client.ID](t)(o.clients.Create(t.Context(), dry(1, "tried"), fixture.Company()))
	if tried < readmodel.FirstPlaceholder {
		t.Errorf("the id is %d, want a placeholder", tried)
	}
	stored := done[client.ID](t)(o.clients.Create(t.Context(), idempotent(o.manager(), 2, "stored"), fixture.Company()))
	for _, fingerprint := range []byte{1, 2} {
		done[client.ID](t)(o.clients.Create(t.Context(), dry(fingerprint, "tried"), fixture.Company()))
	}
	o.client(stored)
}
