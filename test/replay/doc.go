// Package replay sends a year of a real company's sales through Kontor, over
// HTTP and from several connections at once, and then reads everything back
// through the lists and holds it against the file: every client, every invoice,
// every line, and the sum of all totals to the last digit.
//
// # The data
//
// The file is Online Retail, the sales of a British mail-order house for
// gift-ware from December 2010 to December 2011: 541,909 lines of 25,900
// invoices for 9,747,747.9340 pounds. It was given to the public by Daqing Chen
// (Online Retail, UCI Machine Learning Repository, 2015,
// https://doi.org/10.24432/C5BW33, data set 352, CC BY 4.0) and is not part of
// this repository. As CSV, plain or compressed with gzip, it has the columns
//
//	InvoiceNo,StockCode,Description,Quantity,InvoiceDate,UnitPrice,CustomerID,Country
//
// with times such as 2010-12-01 08:26:00 and an empty field for what is not
// known. UCI itself offers a spreadsheet, to be saved as such a CSV.
//
// # What becomes of it
//
// A CustomerID is a client; one more client stands for the rows that have none.
// An InvoiceNo is an invoice with the time of its first row and with all its
// rows as lines, also where another invoice's rows lie between them. Returns
// and adjustments are lines like any other, with a count or a price below zero.
// A row without a description is named by its stock code. The performer charges
// no VAT.
//
// # Decisions
//
// The file is read and summed with math/big and nothing of Kontor's own
// arithmetic. Because: a mistake in package money would otherwise be made on
// both sides and cancel out.
//
// The service is the real one, in this process, behind a real listener.
// Because: nothing has to be built or configured first. Costs: the client's
// share of the processors counts in the figures.
//
// A request is repeated only where the answer promises that nothing was stored
// (429, and 503 unless the outcome is unknown).
package replay
