package command_test

import (
	"context"
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

// once makes the request one that is carried out once, and answers with the text.
func once(r command.Request, fingerprint byte, text string) command.Request {
	r.Once = &command.Once{
		AnswerKey:   repository.AnswerKey{UserID: r.Actor.UserID, Path: "/rest/client", Key: "k"},
		Fingerprint: [32]byte{fingerprint},
	}
	r.Answer = func(context.Context, readmodel.Source, int64) (repository.Answer, error) {
		return repository.Answer{Status: 200, Body: []byte(text)}, nil
	}
	return r
}

// contract 4.61
func TestACreationIsCarriedOutOnce(t *testing.T) {
	o := open(t)
	first := done[client.ID](t)(o.clients.Create(t.Context(), once(o.manager(), 1, "first"), fixture.Company()))
	o.client(first)

	_, err := o.clients.Create(t.Context(), once(o.manager(), 1, "second"), fixture.Company())
	repeated, ok := errors.AsType[command.Repeated](err)
	if !ok {
		t.Fatalf("the second is answered %v", err)
	}
	if diff := cmp.Diff(repository.Answer{Status: 200, Body: []byte("first")}, repeated.First); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}

	o.clock.at = o.clock.at.Add(repository.AnswerLife - time.Second)
	if _, err := o.clients.Create(t.Context(), once(o.manager(), 1, "x"), fixture.Company()); !errors.As(err, &repeated) {
		t.Errorf("before a day is over it is answered %v", err)
	}
	o.clock.at = o.clock.at.Add(time.Second)
	if again := done[client.ID](t)(o.clients.Create(t.Context(), once(o.manager(), 1, "x"), fixture.Company())); again == first {
		t.Error("after a day it is the same client")
	}
}

// contract 4.64
func TestAKeyIsKeptByTheRecordThatWasStoredUnderIt(t *testing.T) {
	o := open(t)
	_, err := o.clients.Create(t.Context(), once(o.manager(), 1, "x"), client.Attributes{})
	refused(t, err, fault.Invalid, "name", "type")
	_, err = o.clients.Create(t.Context(), once(o.manager(), 2, "x"), fixture.Company())
	succeed(t, err)
	_, err = o.clients.Create(t.Context(), once(o.manager(), 1, "x"), fixture.Company())
	refused(t, err, fault.Invalid, "Idempotency-Key")
	_, err = o.clients.Create(t.Context(), once(o.viewer(), 2, "x"), fixture.Company())
	refused(t, err, fault.Forbidden)
}

// contract 4.82
func TestAWriteThatCannotBeAnsweredIsNotCarriedOut(t *testing.T) {
	o := open(t)
	var asked []int64
	unanswerable := o.manager()
	unanswerable.Answer = func(_ context.Context, _ readmodel.Source, id int64) (repository.Answer, error) {
		asked = append(asked, id)
		return repository.Answer{}, fault.New(fault.Malformed, "no such field")
	}
	before := o.client(o.Client)
	refused(t, o.clients.Update(t.Context(), unanswerable, o.Client, fixture.Person()), fault.Malformed)
	if diff := cmp.Diff(before, o.client(o.Client)); diff != "" {
		t.Errorf("the client is changed: -want +got\n%s", diff)
	}
	if len(asked) == 0 || asked[0] != int64(o.Client) {
		t.Errorf("the answer was asked for %v", asked)
	}
	_, err := o.clients.Create(t.Context(), unanswerable, fixture.Company())
	refused(t, err, fault.Malformed)
}
