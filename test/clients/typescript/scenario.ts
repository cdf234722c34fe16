// An example of a client whose types openapi-typescript generates: it creates a client and an invoice, and pays a part of it.
// Generate and run it with:
//
//	export KONTOR_URL=http://127.0.0.1:8080 KONTOR_TOKEN=kt_...
//	npm install && npm run generate && npm run check && npm start
import createClient from "openapi-fetch";
import type { paths } from "./kontor.js";

// The media types leave XML and CSV out, so that a response has the type of its JSON, and an error that of a problem.
const api = createClient<paths, "application/json" | "application/problem+json">({
  baseUrl: process.env["KONTOR_URL"] ?? "http://127.0.0.1:8080",
  headers: { Accept: "application/json", Authorization: `Bearer ${process.env["KONTOR_TOKEN"]}` },
});

const client = done(await api.POST("/rest/client", { body: { type: 1, name: "Hotel Seeblick" } })).response;
const performer = done(await api.POST("/rest/performer", { body: { name: "Nordlicht Workshop" } })).response;
const type = done(await api.POST("/rest/invoice-type", { body: { title: "Invoice" } })).response;
done(await api.POST("/rest/status", { body: { name: "New", default: true } }));

const invoice = done(await api.POST("/rest/invoice", {
  body: {
    number: "2026-001", date: "2026-11-26", client_id: client.id, performer_id: performer.id, type_id: type.id,
    items: [{ name: "Standing desk", count: 4, price: "745.00" }],
  },
})).response;
done(await api.POST("/rest/payment", {
  body: { performer_id: performer.id, date: "2026-11-28", amount: "1000.00", invoice_id: invoice.id },
}));
const list = done(await api.GET("/rest/invoice", { params: { query: { client_id: [client.id], due: 1 } } })).response;
for (const { number, pay_price, due_price } of list.items) {
  console.log(`${number}: ${due_price} of ${pay_price} is due`);
}

// What a refused request says has a type too: code is one of the codes of the document.
const refused = await api.POST("/rest/client", { body: { type: 1, name: "" } });
if (refused.error?.errors?.[0]?.code !== "required") {
  throw new Error(`an empty name is ${JSON.stringify(refused.error)}`);
}

// done returns the body of a response, and throws the error of a refused request.
function done<T>(result: { data?: T; error?: { detail: string } }): T {
  if (result.data === undefined) {
    throw new Error(result.error?.detail ?? "the response has no body");
  }
  return result.data;
}
