// Package replay sends a year of a real retailer's sales through Kontor over HTTP, reads everything back through the
// lists and compares it with the file: each invoice with its client and lines, the totals of the lists, and the sum
// of all invoices to the last digit.
//
// The file is Online Retail, a data set of the UCI Machine Learning Repository (docs/contributing/replay.md names it), as CSV,
// plain or compressed with gzip. A CustomerID becomes a client, and one more client is used for rows without any.
// An InvoiceNo becomes an invoice with the time of its first row and all its rows as lines, wherever they are in the
// file. Returns and adjustments have a negative count or price. A row without a description is named by its stock code.
//
// Last, every amount of every invoice is computed again from its explanation. Another test does that without a service.
// Both read the file in KONTOR_REPLAY_FILE, or else a small one.
//
// # Decisions
//
// Chose math/big over Kontor's own arithmetic to read and sum the file, because a mistake in package money would
// otherwise be made on both sides and cancel out.
package replay
