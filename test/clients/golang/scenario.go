// Command scenario is an example of a client that oapi-codegen generates: it creates a
// client, a contact, a deal and an invoice, marks it as paid, and checks the responses.
// Generate and run it with:
//
//	go install github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@latest
//	export KONTOR_URL=http://127.0.0.1:8080 KONTOR_TOKEN=kt_...
//	go generate ./kontor
//	go run .
package main

import (
	"context"
	"crypto/rand"
	"fmt"
	"log"
	"net/http"
	"os"

	"kontor.example/scenario/kontor"
)

var ctx = context.Background()

func main() {
	log.SetFlags(0)
	api := connect(os.Getenv("KONTOR_URL"), os.Getenv("KONTOR_TOKEN"))

	client := done(api.CreateClientWithResponse(ctx, nil, kontor.ClientNew{
		Type:  kontor.ClientCompany,
		Name:  "Hotel Seeblick",
		Email: new("front@seeblick.example"),
	})).JSON200.Response
	contact := done(api.CreateContactWithResponse(ctx, nil, kontor.ContactNew{
		ClientId: &client.Id,
		Name:     "Jule Thoms",
	})).JSON200.Response
	fmt.Printf("client %d, contact %d\n", client.Id, contact.Id)

	blank := sell(api, client.Id)
	pay(api, bill(api, blank))
}

// connect sets the headers of all requests. Without Accept, invoices, statuses and users
// are sent as XML; without the token, requests are rejected.
func connect(address, token string) *kontor.ClientWithResponses {
	api, err := kontor.NewClientWithResponses(address, kontor.WithRequestEditorFn(
		func(_ context.Context, request *http.Request) error {
			request.Header.Set("Accept", "application/json")
			request.Header.Set("Authorization", "Bearer "+token)
			return nil
		}))
	if err != nil {
		log.Fatal(err)
	}
	return api
}

// sell creates a deal of the client, and returns the common attributes of its invoices.
// It uses the first status, invoice type and performer, and creates them if there is
// none, for which the token must be an administrator's.
func sell(api *kontor.ClientWithResponses, client int64) kontor.InvoiceNew {
	statuses := done(api.ListStatusesWithResponse(ctx, nil)).JSON200.Response.Items
	if len(statuses) == 0 {
		made := done(api.CreateStatusWithResponse(ctx, nil, kontor.StatusNew{Name: "In talks", Default: new(true)}))
		statuses = append(statuses, made.JSON200.Response)
	}
	types := done(api.ListInvoiceTypesWithResponse(ctx, nil)).JSON200.Response.Items
	if len(types) == 0 {
		made := done(api.CreateInvoiceTypeWithResponse(ctx, nil, kontor.InvoiceTypeNew{Title: "Invoice"}))
		types = append(types, made.JSON200.Response)
	}
	performers := done(api.ListPerformersWithResponse(ctx, nil)).JSON200.Response.Items
	if len(performers) == 0 {
		made := done(api.CreatePerformerWithResponse(ctx, nil, kontor.PerformerNew{
			Name: "Nordlicht Workshop", VatUse: new(true), VatPercent: new("19.00"),
		}))
		performers = append(performers, made.JSON200.Response)
	}
	deal := done(api.CreateDealWithResponse(ctx, nil, kontor.DealNew{
		Name: "Oak chairs", ClientId: &client, StatusId: &statuses[0].Id,
	})).JSON200.Response
	return kontor.InvoiceNew{
		ClientId: client, DealId: &deal.Id, TypeId: types[0].Id, PerformerId: performers[0].Id, Date: "2024-03-09",
	}
}

// bill creates an invoice of the deal. It sends it twice, as if the first response had been
// lost: the idempotency key prevents a second invoice.
func bill(api *kontor.ClientWithResponses, invoice kontor.InvoiceNew) kontor.Invoice {
	invoice.Number = new("2024-4")
	invoice.Items = &[]kontor.InvoiceLineNew{
		{Name: "Chair", Units: new("pcs"), ItemsCount: new(3.0), ItemPrice: new("19.90")},
		{Name: "Carpentry", Units: new("h"), ItemsCount: new(2.5), ItemPrice: new("80")},
	}
	once := &kontor.CreateInvoiceParams{IdempotencyKey: new(rand.Text()), Expand: new("items")}
	first := done(api.CreateInvoiceWithResponse(ctx, once, invoice))
	again := done(api.CreateInvoiceWithResponse(ctx, once, invoice))

	made := first.JSON200.Response
	check("one invoice of two requests", again.JSON200.Response.Id == made.Id)
	check("Idempotent-Replayed", again.Headers200.IdempotentReplayed != nil && first.Headers200.IdempotentReplayed == nil)
	check("total_price", made.TotalPrice == "259.7000") // text, because decimals are exact
	check("items", made.Items != nil && len(*made.Items) == 2 && (*made.Items)[1].TotalPrice == "200.0000")
	fmt.Printf("invoice %d over %s, with VAT %s\n", made.Id, made.TotalPrice, made.PayPrice)
	return made
}

// pay marks the invoice as paid, unless it has been changed since it was read: If-Match
// has the version of ETag.
func pay(api *kontor.ClientWithResponses, invoice kontor.Invoice) {
	read := done(api.ReadInvoiceWithResponse(ctx, invoice.Id, nil))
	asRead := &kontor.PatchInvoiceParams{IfMatch: &read.Headers200.ETag}
	paid := done(api.PatchInvoiceWithResponse(ctx, invoice.Id, asRead, kontor.InvoiceChanges{Paid: new(true)}))
	check("paid", paid.JSON200.Response.Paid && paid.JSON200.Response.PaidOn != nil)

	late, err := api.PatchInvoiceWithResponse(ctx, invoice.Id, asRead, kontor.InvoiceChanges{Notice: new("Too late.")})
	check("a write over an older version is a 412", err == nil && late.ApplicationproblemJSON412 != nil)
}

// done is the response of a request that must succeed.
func done[R interface {
	StatusCode() int
	GetBody() []byte
}](response R, err error) R {
	if err != nil {
		log.Fatal(err)
	}
	if response.StatusCode() != http.StatusOK {
		log.Fatalf("status %d: %s", response.StatusCode(), response.GetBody())
	}
	return response
}

func check(what string, isTrue bool) {
	if !isTrue {
		log.Fatal("not as expected: ", what)
	}
}
