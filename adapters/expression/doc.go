// Package expression is the language of the rules that administrators type in: CEL, the Common
// Expression Language, with the records of this service. An expression is true if the change
// may pass.
//
// # Variables
//
//	before     the record before the change; null for a new one
//	after      the record as it is to be; null for one that is deleted
//	actor      who makes the change: id (null at the command line) and role (admin, manager or
//	           viewer; empty at the command line)
//	now        when
//	operation  "create", "update" or "delete"
//	facts      functions that look at other records, see below
//	variables  the variables of the rule: variables.<name> has the value of the expression of the
//	           name, whose type it has; it is evaluated if it is needed, and once
//
// The attributes of a record are those of the API, by the same names; resources.go lists them.
// A text that is missing is "", never null. A reference, a date or a time that is missing is
// null, and so is the id of a record or a line that is not stored yet. A rule that calculates with
// an attribute of before or after that may be null has to compare it with null. An attribute of a record
// that is null is an error, which && and || ignore if their other side decides.
//
// Rules see all lines of an invoice in items, and the party of a client or performer, or null, in party.
//
// # Types
//
// Types are checked when a rule is saved. Amounts, percentages and quantities are of the type
// decimal, which is exact: + - * and comparisons take two decimals, or a decimal and an
// integer. There is no division, and no mixture with inexact numbers such as 0.5: write
// decimal("0.5"). Products of more than 200 digits are errors. string(d) is without trailing
// zeros.
//
// Dates and times are timestamps. A date of a document is the instant at which a clock in
// the service's time zone shows it: 2026-01-01 is the midnight at which that day begins
// there. getFullYear() and the like count in that zone too, getMonth(), getDayOfMonth() and
// getDayOfYear() from 0 and getDate() from 1, as CEL has it; they do not take another zone.
//
// Records are compared with null only, and the elements of a list have one type and are not lists.
//
// # Functions
//
// Those of CEL, with the macros all, exists, exists_one, filter, map and has, and without bytes,
// dyn and type. has(after.notice) is false if the attribute is null or "". Others are:
//
//	decimal("10.5"), decimal(10)         exact numbers
//	list.sum()                           of decimals or integers
//	date("2026-01-31")                   a timestamp in the service's zone; a time may follow
//	timestamp.day()                      "2026-01-31", in the service's zone
//	text.lower(), .upper(), .trim()
//	text.matches("pattern")              RE2; the pattern is a text in quotes
//
//	facts.unpaid_invoices(client_id)     .sum (of due_price); without credit notes: .count, .oldest (date, or null)
//	facts.client_deals(client_id)        numbers of deals by status: [5], .total(), .total([5, 6])
//	facts.user_deals(user_id)            the same for the deals of a responsible user
//	facts.deal_invoices(deal_id)         .not_paid, .paid, .closed, .cancelled, .issued (without credit notes and cancelled ones)
//	facts.deal_documents(deal_id)        .offers, .contracts
//	facts.number_taken(performer_id, year, number)
//	                                     whether an invoice has the number
//	facts.client(id), .deal(id), .status(id), .performer(id), .user(id)
//	                                     the record, or null; .party of a client or performer, or null
//	facts.statuses()                     all statuses of deals, by id; default is true of one of them at most
//	facts.client_contacts(client_id), facts.deal_contacts(deal_id)
//	                                     lists of contacts
//
// A fact about null, or about a record that does not exist, is 0, null, false or empty. The record
// that is judged does not count.
//
// # Limits
//
// An expression is at most 100 levels deep and has at most 50 macros. A judgement, of the expression, the
// message and the variables of a rule, costs at most 500,000, as CEL counts its steps and the texts that it
// makes, takes at most a second and asks at most 100 questions at once; more is an error, and an error
// refuses the change. A regular expression has at most 256 characters. No function reads a clock, the
// environment or the network.
//
// # Decisions
//
// Chose: records that read their attributes from a State when they are asked. Because: a judgement
// needs no copy of the record. Costs: a table of attributes for each resource.
//
// Chose: a fact that is not known yet is an unknown value of CEL, and the evaluation goes on. Because:
// the questions of all rules are then asked in one round trip. Costs: some facts are read and locked
// although the rule turns out not to need them.
//
// Chose: the operators == and != take operands of any types, and check.go checks them. Because:
// CEL's own declaration would not let amounts be compared with integers. Costs: a
// check of our own.
package expression
