// An example of a client with types of openapi-typescript and requests of openapi-fetch:
// it creates a client, a contact, a deal and invoices, marks one as paid, and checks the
// responses. Generate and run it with:
//
//   export KONTOR_URL=http://127.0.0.1:8080 KONTOR_TOKEN=kt_...
//   npm ci
//   npm run generate
//   npm run build
//   npm start

import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import createClient from "openapi-fetch";
import type { components, paths } from "./kontor.js";

type Invoice = components["schemas"]["Invoice"];
type InvoiceNew = components["schemas"]["InvoiceNew"];

// Without Accept, invoices, statuses and users are sent as XML; without the token,
// requests are rejected. The media types are those of responses and errors.
const api = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: process.env.KONTOR_URL ?? "",
  headers: { Accept: "application/json", Authorization: `Bearer ${process.env.KONTOR_TOKEN}` },
});

// done is the record or list in the response of a request that must succeed.
function done<Shown>(response: { data?: { response: Shown }; error?: unknown; response: Response }): Shown {
  assert(response.data, `status ${response.response.status}: ${JSON.stringify(response.error)}`);
  return response.data.response;
}

// sell creates a deal of the client, and returns the common attributes of its invoices.
// It uses the first status, invoice type and performer, and creates them if there is
// none, for which the token must be an administrator's.
async function sell(client: number): Promise<InvoiceNew> {
  const status =
    done(await api.GET("/rest/status")).items[0] ??
    done(await api.POST("/rest/status", { body: { name: "In talks", default: true } }));
  const type =
    done(await api.GET("/rest/invoice-type")).items[0] ??
    done(await api.POST("/rest/invoice-type", { body: { title: "Invoice" } }));
  const performer =
    done(await api.GET("/rest/performer")).items[0] ??
    done(await api.POST("/rest/performer", { body: { name: "Nordlicht Workshop", vat_use: true, vat_percent: "19.00" } }));
  const deal = done(
    await api.POST("/rest/deal", { body: { name: "Oak chairs", client_id: client, status_id: status.id } }),
  );
  return {
    client_id: client, deal_id: deal.id, type_id: type.id, performer_id: performer.id, date: "2024-03-09", number: "",
  };
}

// bill creates the invoices of the deal, the last one with lines. It sends that one twice,
// as if the first response had been lost: the idempotency key prevents a second invoice.
async function bill(blank: InvoiceNew): Promise<Invoice> {
  for (let i = 0; i < 4; i++) {
    done(await api.POST("/rest/invoice", { body: { ...blank, number: `2024-${i}` } }));
  }
  const request = {
    params: { header: { "Idempotency-Key": randomUUID() }, query: { expand: "items" } },
    body: {
      ...blank,
      number: "2024-4",
      items: [
        { name: "Chair", units: "pcs", items_count: 3, item_price: "19.90" },
        { name: "Carpentry", units: "h", items_count: 2.5, item_price: "80" },
      ],
    },
  };
  const first = await api.POST("/rest/invoice", request);
  const again = await api.POST("/rest/invoice", request);

  const invoice = done(first);
  assert.equal(done(again).id, invoice.id);
  assert.equal(first.response.headers.get("Idempotent-Replayed"), null);
  assert.equal(again.response.headers.get("Idempotent-Replayed"), "true");
  const total: string = invoice.total_price; // text, because decimals are exact
  assert.equal(total, "259.7000");
  assert.deepEqual(invoice.items?.map((line) => line.total_price), ["59.7000", "200.0000"]);
  console.log(`invoice ${invoice.id} over ${total}, with VAT ${invoice.pay_price}`);
  return invoice;
}

// pay marks the invoice as paid, unless it has been changed since it was read: If-Match
// has the version of ETag.
async function pay(id: number): Promise<Invoice> {
  const read = await api.GET("/rest/invoice/{id}", { params: { path: { id } } });
  const asRead = { path: { id }, header: { "If-Match": read.response.headers.get("ETag") ?? "" } };
  const paid = done(await api.PATCH("/rest/invoice/{id}", { params: asRead, body: { paid: true } }));
  assert(paid.paid && paid.paid_on);

  const late = await api.PATCH("/rest/invoice/{id}", { params: asRead, body: { notice: "Too late." } });
  assert.equal(late.response.status, 412);
  assert.equal(late.error?.status, 412);
  return paid;
}

// reject sends an invalid invoice; the problem lists all invalid fields.
async function reject(blank: InvoiceNew): Promise<void> {
  const body = { ...blank, number: "", items: [{ name: "Table" }, { name: "" }] };
  const { error, response } = await api.POST("/rest/invoice", { body });
  assert.equal(response.status, 422);
  console.log("rejected:", error?.errors);
  assert.deepEqual(error?.errors?.map((e) => e.field).sort(), ["items[1].name", "number"]);
}

// readAll reads the invoices of the client in pages of two, following Link to the next
// page.
async function readAll(client: number): Promise<Map<number, Invoice>> {
  const found = new Map<number, Invoice>();
  let next: string | undefined;
  for (let pages = 1; ; pages++) {
    const page = await api.GET("/rest/invoice", {
      params: { query: { client_id: client, per_page: 2 } },
      fetch: (first) => fetch(next ? new Request(next, first) : first),
    });
    for (const invoice of done(page).items) {
      found.set(invoice.id, invoice);
    }
    const headers = page.response.headers;
    next = headers.get("Link")?.match(/<([^>]*)>; rel="next"/)?.[1];
    if (!next) {
      assert.equal(headers.get("X-Pagination-Page-Count"), String(pages));
      assert.equal(headers.get("X-Pagination-Total-Count"), String(found.size));
      return found;
    }
  }
}

const client = done(
  await api.POST("/rest/client", { body: { type: 1, name: "Hotel Seeblick", email: "front@seeblick.example" } }),
);
const contact = done(await api.POST("/rest/contact", { body: { client_id: client.id, name: "Jule Thoms" } }));
console.log(`client ${client.id}, contact ${contact.id}`);

const blank = await sell(client.id);
const paid = await pay((await bill(blank)).id);
await reject(blank);

const found = await readAll(client.id);
assert.equal(found.size, 5);
assert.equal(found.get(paid.id)?.paid, true);
console.log(`${found.size} invoices`);
